#include <algorithm>

#include "base/text.hpp"
#include "whichgpu/scenario.hpp"

namespace whichgpu {
namespace {

bool runs(const Engine* engine, std::string_view family) {
  return engine && std::find(engine->formats.begin(), engine->formats.end(), family) != engine->formats.end();
}

/// Words whose meaning depends on the engine or the model (the aliases of the scenario's contract).
const char* by_context(std::string_view word, const Engine* engine, const Model* model) {
  const bool gguf = runs(engine, "gguf") && !runs(engine, "plain");
  const bool mlx = runs(engine, "mlx") && !runs(engine, "gguf");
  if (word == "fp16" || word == "f16" || word == "float16" || word == "half") return gguf ? "gguf-f16" : "fp16";
  if (word == "bf16" || word == "bfloat16") return gguf ? "gguf-bf16" : "bf16";
  if (word == "fp32" || word == "f32" || word == "float32") return gguf ? "gguf-f32" : "fp32";
  if (word == "mxfp4") return gguf ? "gguf-mxfp4-moe" : "mxfp4";
  if (word == "int8" || word == "8bit" || word == "8-bit") return mlx ? "mlx-8bit-64g" : gguf ? "gguf-q8_0" : "bnb-int8";
  if (word == "int4" || word == "4bit" || word == "4-bit" || word == "4bit weight-only") return mlx ? "mlx-4bit-64g" : gguf ? "gguf-q4_k_m" : "awq-4bit-128g";
  if (word == "fp8") return model && starts_with(model->native_dtype, "fp8") ? "fp8-block128" : "fp8-tensor";
  if (word == "nf4") return "bnb-nf4-dq";
  return nullptr;
}

}  // namespace

const Quant* find_precision(const Catalog& catalog, std::string_view given, const Engine* engine, const Model* model) {
  std::string word = lower(trim(given));
  // "gguf q4_k_m (assumed)" -> "gguf q4_k_m": remarks in brackets are no part of the name.
  if (const std::size_t bracket = word.find('('); bracket != std::string::npos && bracket > 0 && !catalog.find_quant(word)) word = std::string(trim(word.substr(0, bracket)));
  if (word.empty()) return nullptr;
  if (const char* id = by_context(word, engine, model))
    if (const Quant* q = catalog.find_quant(id)) return q;
  if (const Quant* q = catalog.find_quant(word)) return q;
  if (const Quant* q = catalog.find_quant("gguf-" + word)) return q;
  for (const std::string_view prefix : {"gguf ", "gguf-", "mlx "})
    if (starts_with(word, prefix)) {
      const std::string rest(trim(std::string_view(word).substr(prefix.size())));
      if (const char* id = by_context(rest, engine, model))
        if (const Quant* q = catalog.find_quant(id)) return q;
      if (const Quant* q = catalog.find_quant(rest)) return q;
      if (const Quant* q = catalog.find_quant("gguf-" + rest)) return q;
    }
  return nullptr;
}

std::optional<double> kv_bits(std::string_view given) {
  const std::string word = lower(trim(given));
  if (word.empty() || word == "auto" || starts_with(word, "auto (")) return 16.0;
  struct Known { const char* name; double bits; };
  // q8_0, q5_1 …: ggml blocks of 32 values with one or two 16-bit scales (ggml-common.h block layouts).
  static constexpr Known kKnown[] = {{"fp16", 16}, {"f16", 16}, {"float16", 16}, {"bf16", 16}, {"bfloat16", 16}, {"fp32", 32}, {"f32", 32}, {"float32", 32},
      {"fp8", 8}, {"fp8_e4m3", 8}, {"fp8_e5m2", 8}, {"int8", 8}, {"int8_per_token_head", 8}, {"q8", 8.5}, {"q8_0", 8.5}, {"q5_1", 6}, {"q5_0", 5.5}, {"q4_1", 5}, {"q4_0", 4.5},
      {"q4", 4.5}, {"iq4_nl", 4.5}, {"int4", 4}, {"fp4", 4.5}, {"nvfp4", 4.5}};
  for (const Known& k : kKnown)
    if (word == k.name) return k.bits;
  // "q8_0/q4_0": keys and values differ.
  if (const std::size_t slash = word.find('/'); slash != std::string::npos) {
    const auto keys = kv_bits(word.substr(0, slash)), values = kv_bits(word.substr(slash + 1));
    if (keys && values) return (*keys + *values) / 2;
  }
  return std::nullopt;
}

}  // namespace whichgpu
