#include "step.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.hpp"
#include "whichgpu/math.hpp"

namespace whichgpu::speed {
namespace {

struct EngineWord { const char* word; EngineKind kind; };
// First match wins. Micro-batches: llama.cpp's default n_ubatch 512; MLX prefills 512 tokens a step (mlx-lm's default in
// the measured versions); exllama 2,048 (its max_input_len); serving engines budget about 8,192 tokens a step.
constexpr double kGgml = 512, kExllama = 2048, kServe = 8192;
const EngineWord kEngines[] = {
    {"ktransformers", {"llama", "ktransformers", true, kGgml}},
    {"cpu+gpu", {"llama", "ktransformers", true, kGgml}},
    {"localscore", {"llama", "llamafile", true, kGgml}},
    {"llamafile", {"llama", "llamafile", true, kGgml}},
    {"llama.cpp/ollama", {"llama", "llama.cpp", true, kGgml}},
    {"ollama", {"llama", "ollama", true, kGgml}},
    {"mlx", {"mlx", "mlx", true, kGgml}},
    {"vulkan", {"llama", "llama.cpp-vulkan", true, kGgml}},
    {"gemlite", {"serve", "vllm-gemlite", false, kServe}},
    {"ik-llama", {"llama", "llama.cpp", true, kGgml}},
    {"ik_llama", {"llama", "llama.cpp", true, kGgml}},
    {"llama.cpp", {"llama", "llama.cpp", true, kGgml}},
    {"llama-cpp", {"llama", "llama.cpp", true, kGgml}},
    {"koboldcpp", {"llama", "llama.cpp", true, kGgml}},
    {"lm-studio", {"llama", "llama.cpp", true, kGgml}},
    {"lm studio", {"llama", "llama.cpp", true, kGgml}},
    {"lucebox", {"llama", "llama.cpp", true, kGgml}},
    {"ds4", {"llama", "llama.cpp", true, kGgml}},
    {"hipfire", {"llama", "hipfire", true, kGgml}},
    {"vllm", {"serve", "vllm", false, kServe}},
    {"sglang", {"serve", "sglang", false, kServe}},
    {"tensorrt", {"serve", "tensorrt-llm", false, kServe}},
    {"trt", {"serve", "tensorrt-llm", false, kServe}},
    {"tinychat", {"fast", "tinychat", false, kServe}},
    {"autoawq", {"torch", "autoawq", true, kServe}},
    {"autogptq", {"torch", "autogptq", true, kServe}},
    {"exllamav3", {"fast", "exllamav3", false, kExllama}},
    {"exllamav2", {"fast", "exllamav2", true, kExllama}},
    {"exllama", {"fast", "exllama", true, kExllama}},
    {"mlc", {"fast", "mlc-llm", false, kServe}},
    {"gpt-fast", {"fast", "gpt-fast", false, kServe}},
    {"torchao", {"torch", "torchao", false, kServe}},
    {"tgi", {"serve", "tgi", false, kServe}},
    {"lmdeploy", {"serve", "lmdeploy", false, kServe}},
    {"deepspeed-mii", {"serve", "deepspeed-mii", false, kServe}},
    {"habana", {"serve", "optimum-habana", false, kServe}},
    {"deepspeed", {"serve", "deepspeed-mii", false, kServe}},
    {"litgpt", {"torch", "litgpt", true, kServe}},
    {"mps", {"torch", "torch-mps", true, kServe}},
    {"sambaflow", {"serve", "sambaflow", false, kServe}},
};
constexpr EngineKind kEager = {"torch", "transformers", true, kServe};  // plain PyTorch; several cards by device_map, one after the other

double first_of(std::initializer_list<Figure> figures) {
  for (const Figure& f : figures)
    if (f && *f > 0) return *f;
  return 0;
}

/// Engines that mean "bf16 does not exist here": cards without it compute in fp16 or fp32.
double matmul_tflops(const Gpu& g, MatmulPath path, const char* family) {
  const bool ggml = std::string_view(family) == "llama", nvidia = g.vendor == "NVIDIA";
  const bool matrix_units = g.fp16_tensor_tflops || g.bf16_tensor_tflops;
  const double vector16 = std::max(first_of({g.fp16_vector_tflops}), first_of({g.fp32_tflops}));
  double fp16 = first_of({g.fp16_tensor_tflops, g.bf16_tensor_tflops});
  if (fp16 == 0) fp16 = vector16;
  // ggml's cuBLAS calls accumulate in fp16, which GeForce runs at twice the rate (ggml-cuda: CUBLAS_COMPUTE_16F).
  if (ggml && nvidia) fp16 = std::max(fp16, first_of({g.fp16_tensor_fp16acc_tflops}));
  switch (path) {
    case MatmulPath::kFp32: return first_of({g.fp32_tflops, g.fp16_tensor_tflops});
    case MatmulPath::kFp16: return fp16;
    case MatmulPath::kBf16: return matrix_units ? first_of({g.bf16_tensor_tflops, g.fp32_tflops, g.fp16_tensor_tflops}) : first_of({g.fp32_tflops, g.fp16_vector_tflops});
    case MatmulPath::kInt8: return std::max(fp16, first_of({g.int8_tensor_tops}));
    case MatmulPath::kGgufInt8:
      // Quantized products on int8 units or dp4a; where ggml has no such kernel it expands to fp16 first.
      if (g.vendor == "Apple") return first_of({g.fp32_tflops});
      if (g.generation == "volta" || g.generation == "cdna2" || g.generation == "cdna3" || g.generation == "cdna4" || g.generation == "xe-hpc" || !g.int8_tensor_tops) return fp16;
      return *g.int8_tensor_tops / 2;
    case MatmulPath::kFp8: return std::max(fp16, first_of({g.fp8_tensor_tflops}));
    case MatmulPath::kFp4: return std::max(fp16, first_of({g.fp4_tensor_tflops}));
  }
  return fp16;
}

MatmulPath path_of(const Quant& q, const char* family) {
  const std::string_view group = format_group(q);
  if (group == "f32") return MatmulPath::kFp32;
  if (std::string_view(family) == "mlx") return MatmulPath::kFp16;
  if (starts_with(group, "gguf")) return MatmulPath::kGgufInt8;
  if (q.id == "bf16") return MatmulPath::kBf16;
  if (group == "w8a8") return MatmulPath::kInt8;
  if (group == "fp8") return MatmulPath::kFp8;
  if (group == "nvfp4" || group == "mxfp4") return MatmulPath::kFp4;
  return MatmulPath::kFp16;
}

constexpr double kPcieLaneShare = 0.8;  // of the nominal rate that large copies reach (protocol overhead)
double pcie_gb_per_s(const Gpu& g) {
  // One direction of 16 lanes: 16, 32, 64 GB/s for generations 3, 4, 5 (PCI-SIG).
  const double generation = first_of({g.pcie_gen, 4.0}), lanes = first_of({g.pcie_lanes, 16.0});
  return (generation >= 5 ? 64 : generation >= 4 ? 32 : 16) * lanes / 16;
}

}  // namespace

double host_bytes_per_s(bool computes_there, double ram_gb_per_s, double pcie_gb_per_s, double gpus) {
  const double memory = 0.75 * ram_gb_per_s, slots = kPcieLaneShare * pcie_gb_per_s * gpus;
  return (computes_there ? memory : std::min(memory, slots)) * 1e9;
}

const std::vector<const char*> kLevelNames = {"family", "engine", "family_format", "engine_format", "generation", "family_generation", "format_generation", "engine_generation", "gpu", "kind", "first_token"};

EngineKind engine_kind(std::string_view software, const Engine* engine) {
  for (const EngineWord& e : kEngines)
    if (contains(software, e.word)) return e.kind;
  if (engine)
    for (const EngineWord& e : kEngines)
      if (contains(engine->id, e.word)) return e.kind;
  return kEager;
}

const char* format_group(const Quant& q) {
  std::string_view id = q.id;
  if (q.family == "gguf") {
    if (starts_with(id, "gguf-")) id.remove_prefix(5);
    if (starts_with(id, "ud-")) id.remove_prefix(3);
    if (id == "f16" || id == "bf16") return "f16";
    if (id == "f32") return "f32";
    if (starts_with(id, "q8")) return "gguf-q8";
    if (starts_with(id, "mxfp4") || starts_with(id, "nvfp4")) return "gguf-mxfp4";
    if (starts_with(id, "iq4") || starts_with(id, "iq5") || starts_with(id, "iq6")) return "gguf-iq4";
    if (starts_with(id, "iq") || starts_with(id, "tq")) return "gguf-iq";
    if (starts_with(id, "q2") || starts_with(id, "q3")) return "gguf-k23";
    if (id == "q4_0" || id == "q4_1" || id == "q5_0" || id == "q5_1") return "gguf-q4_0";
    return "gguf-k";
  }
  const double bits = first_of({q.bits_nominal, 16.0});
  if (q.family == "plain") return bits > 16 ? "f32" : "f16";
  if (q.family == "fp8") return "fp8";
  if (q.family == "nvfp4") return "nvfp4";
  if (q.family == "mxfp4") return "mxfp4";
  if (q.family == "bnb") return bits > 6 ? "bnb8" : "bnb4";
  if (q.family == "exl2") return starts_with(id, "exl3") ? "exl3" : "exl2";
  if (q.family == "mlx") return bits > 14 ? "f16" : bits >= 6 ? "mlx8" : "mlx4";
  if (contains(id, "w8a8") || contains(id, "int8dq")) return "w8a8";
  return bits > 14 ? "f16" : bits >= 6 ? "w8" : "w4";
}

double Setup::experts_used(double tokens) const {
  if (experts <= 0) return 0;
  return experts * (1 - pow(1 - std::min(1.0 - 1e-9, experts_per_token / experts), std::max(tokens, 1e-9)));
}

double Setup::cache_bytes(double context) const { return cache.elements_read(context) * cache_bytes_per_element + 2 * cache.state_bytes_per_sequence(); }

std::optional<Setup> make_setup(const SetupInput& in, std::string& why) {
  const Model& m = *in.model;
  const Gpu& g = *in.gpu;
  if (!m.has_layers() || m.params_active_matmul <= 0) return why = "the model's layers are not known", std::nullopt;
  if (!g.bandwidth_gb_per_s) return why = "the GPU's memory bandwidth is not known", std::nullopt;
  Setup s;
  const MatmulPath path = path_of(*in.quant, in.engine.family);
  s.hardware.bytes_per_s = *g.bandwidth_gb_per_s * 1e9;
  s.hardware.matmul_flops = matmul_tflops(g, path, in.engine.family) * 1e12;
  s.hardware.attention_flops = matmul_tflops(g, MatmulPath::kFp16, in.engine.family) * 1e12;
  if (s.hardware.matmul_flops <= 0 || s.hardware.attention_flops <= 0) return why = "the GPU's compute rates are not known", std::nullopt;

  const int count = std::max(1, in.gpu_count);
  const int tensor = in.tensor > 0 ? std::min(in.tensor, count) : in.engine.layer_split ? 1 : count;
  s.tensor = tensor;
  s.cards_in_a_row = double(count) / tensor;
  const double link = first_of({g.link_gb_per_s_bidirectional}) / 2, domain = first_of({g.link_max_gpus});
  s.hardware.fast_link = link > 0 && domain > 2 && tensor <= domain;  // two-card bridges join pairs only
  s.hardware.link_bytes_per_s = std::max(s.hardware.fast_link ? link : 0.0, pcie_gb_per_s(g) * kPcieLaneShare) * 1e9;

  const WeightBytes w = weight_bytes(m, *in.quant);
  s.layer_bytes = w.layers;
  s.expert_bytes = w.experts;
  s.output_bytes = w.output;
  s.total_bytes = w.total;
  s.experts = w.num_experts;
  s.experts_per_token = w.experts_per_token;
  s.moe_layers = w.moe_layers;
  const ParamCount p = count_params(m);
  const TokenFlops f = token_flops(m);
  s.expert_flops = 2 * p.experts;
  s.layer_flops = f.layers - (s.experts > 0 ? s.expert_flops * s.experts_per_token / s.experts : 0);
  s.output_flops = f.output;
  s.layers = m.num_layers;
  s.hidden = m.hidden_size;
  for (const LayerGroup& l : m.layer_groups) {
    const bool recurrent = l.mixer == Mixer::kMamba1 || l.mixer == Mixer::kMamba2 || l.mixer == Mixer::kGatedDeltaNet || l.mixer == Mixer::kKda || l.mixer == Mixer::kLightning || l.mixer == Mixer::kShortConv;
    if (recurrent) s.recurrent_layers += l.count;
  }
  s.cache = cache_of(m);
  s.cache_bytes_per_element = in.kv_bits / 8;
  s.micro_batch_tokens = in.engine.micro_batch_tokens;
  s.years = std::clamp(in.year > 0 ? in.year - kEraOrigin : 0.0, -2.5, 1.5);
  return s;
}

NamedKeys make_keys(const SetupInput& in, bool with_names) {
  NamedKeys k;
  const std::string_view family = in.engine.family, engine = in.engine.name, format = format_group(*in.quant), generation = in.gpu->generation;
  const std::string_view kind = in.model->is_moe() ? (in.model->is_hybrid() ? "hybrid-moe" : "moe") : in.model->is_hybrid() ? "hybrid" : "dense";
  const auto one = [&](Level level, std::string_view a) {
    k.keys.at[level] = key_of(a);
    if (with_names) k.names[level] = a;
  };
  const auto two = [&](Level level, std::string_view a, std::string_view b) {
    k.keys.at[level] = key_of(a, b);
    if (with_names && !a.empty() && !b.empty()) k.names[level] = std::string(a) + "|" + std::string(b);
  };
  if (with_names) k.names.assign(kLevels, "");
  one(kFamily, family);
  one(kEngine, engine);
  two(kFamilyFormat, family, format);
  two(kEngineFormat, engine, format);
  one(kGeneration, generation);
  two(kFamilyGeneration, family, generation);
  two(kFormatGeneration, format, generation);
  two(kEngineGeneration, engine, generation);
  one(kGpu, in.gpu->id);
  one(kKind, kind);
  return k;
}

}  // namespace whichgpu::speed
