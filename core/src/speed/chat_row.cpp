#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "chat.hpp"
#include "whichgpu/domain.hpp"
#include "whichgpu/math.hpp"
#include "whichgpu/scenario.hpp"

namespace whichgpu::speed {
namespace {

struct MetricName { const char* name; ChatMetric metric; };
constexpr std::array<MetricName, 9> kMetrics = {{{"decode_tok_s_per_user", ChatMetric::kDecodeRate}, {"decode_tok_s_total", ChatMetric::kDecodeRate}, {"tpot_ms", ChatMetric::kTokenTime},
    {"latency_s", ChatMetric::kLatency}, {"throughput_out_tok_s", ChatMetric::kOutputRate}, {"throughput_total_tok_s", ChatMetric::kTotalRate},
    {"requests_s", ChatMetric::kRequestRate}, {"prefill_tok_s", ChatMetric::kPrefillRate}, {"ttft_ms", ChatMetric::kFirstToken}}};

struct Pair { double prompt, output; };
// The nine tests of LocalScore, which it averages over (localscore.ai, "what does it measure": prompt + generated).
constexpr Pair kLocalScore[] = {{1024, 16}, {4096, 256}, {2048, 256}, {2048, 768}, {1024, 1024}, {1280, 3072}, {384, 1152}, {64, 1024}, {16, 1536}};
constexpr double kShareGptPrompt = 220, kShareGptOutput = 200;  // means after vLLM's benchmark filter (vllm benchmark_serving: 219.7, 199.5)
constexpr double kShortPrompt = 60, kSomeOutput = 256;          // a chat question; llama-bench's and most scripts' order of magnitude

/// Prompt lengths in words: "sharegpt longctx (~28k)", "short chat prompts", "mean ctx 4989 kv" …
double prompt_of_words(std::string_view words) {
  if (words.empty() || contains(words, "short")) return kShortPrompt;
  if (const auto n = first_number(words)) {
    const bool thousands = contains(words, "k)") || contains(words, "k tokens");
    if (*n >= 8) return thousands && *n < 1000 ? *n * 1000 : *n;
  }
  if (contains(words, "sharegpt")) return kShareGptPrompt;
  return kShortPrompt;
}

double kv_bits_of(const std::string& word) {
  if (const auto bits = kv_bits(word)) return *bits;
  if (contains(word, "3bit") || contains(word, "k3")) return 3.5;
  if (contains(word, "4bit") || contains(word, "turbo") || contains(word, "k4")) return 4.5;
  if (contains(word, "8")) return 8.5;
  return 16;
}

/// The nearest catalog format of a precision word that names none: by its bits, in the engine's usual family.
const Quant* nearest_format(const Catalog& catalog, std::string_view word, const EngineKind& engine) {
  const std::string_view family = engine.family;
  const auto n = first_number(word);
  const double bits = n ? *n : 4;
  if (family == "llama") return catalog.find_quant(bits >= 16 ? "gguf-f16" : bits >= 8 ? "gguf-q8_0" : bits >= 6 ? "gguf-q6_k" : bits >= 5 ? "gguf-q5_k_m" : bits >= 4 ? "gguf-q4_k_m" : bits >= 3 ? "gguf-q3_k_m" : "gguf-q2_k");
  if (family == "mlx") return catalog.find_quant(bits >= 16 ? "bf16" : bits >= 8 ? "mlx-8bit-64g" : bits >= 6 ? "mlx-6bit-64g" : bits >= 5 ? "mlx-5bit-64g" : bits >= 4 ? "mlx-4bit-64g" : "mlx-3bit-64g");
  if (contains(word, "fp8") || contains(word, "float8")) return catalog.find_quant("fp8-tensor");
  if (contains(word, "w8a8") || contains(word, "dq")) return catalog.find_quant("int8-w8a8");
  if (!n) return contains(word, "marlin") || contains(word, "quant") ? catalog.find_quant("gptq-marlin-4bit-128g") : catalog.find_quant("fp16");
  return catalog.find_quant(bits >= 16 ? "fp16" : bits >= 6 ? "int8-weight-only" : "gptq-4bit-128g");
}

constexpr double kRoomForContext = 0.9;  // of a card's memory that weights may take before engines move layers to the host

}  // namespace

std::optional<ChatRow> read_chat_row(const Conditions& c, std::string& why, bool with_names) {
  const auto metric = std::find_if(kMetrics.begin(), kMetrics.end(), [&](const MetricName& m) { return c.metric == m.name; });
  if (metric == kMetrics.end()) return why = "metric " + c.metric + " of one stream", std::nullopt;
  if (!c.gpu) return why = "gpu not resolved", std::nullopt;
  if (!c.model) return why = "model not resolved", std::nullopt;
  ChatRow row;
  row.metric = metric->metric;
  SetupInput in;
  in.model = c.model;
  in.gpu = c.gpu;
  in.engine = engine_kind(c.software, c.engine);
  in.quant = c.quant ? c.quant : nearest_format(*c.catalog, c.precision, in.engine);
  if (!in.quant) return why = "precision not known", std::nullopt;
  in.gpu_count = c.gpu_count;
  if (!in.engine.layer_split)
    if (const auto tp = number_after(c.parallelism, "tp"); tp && *tp >= 1) in.tensor = static_cast<int>(*tp);
  in.kv_bits = kv_bits_of(c.kv_precision);
  in.year = c.year;
  const auto setup = make_setup(in, why);
  if (!setup) return std::nullopt;
  row.setup = *setup;
  row.keys = make_keys(in, with_names);
  row.speculative = c.has(kSpeculative);
  row.power_capped = c.has(kPowerCapped);
  if (c.has(kPerGpu)) row.per = c.gpu_count;
  row.holds_prefill = c.has(kWallRate) || row.metric == ChatMetric::kLatency || row.metric == ChatMetric::kOutputRate || row.metric == ChatMetric::kTotalRate || row.metric == ChatMetric::kRequestRate;
  if (row.metric == ChatMetric::kFirstToken) {
    row.keys.keys.at[kFirstToken] = key_of(in.engine.name, "ttft");
    if (with_names) row.keys.names[kFirstToken] = std::string(in.engine.name) + "|ttft";
  }
  if (c.has(kOffloadFlag) || std::string_view(in.engine.name) == "ktransformers") {
    const bool experts_there = std::string_view(in.engine.name) == "ktransformers" && c.model->is_moe();
    const double room = c.gpu->memory_gib_usable.value_or(c.gpu->memory_gb.value_or(0)) * kBytesPerGib * kRoomForContext * c.gpu_count;
    if (experts_there) row.setup.host_expert_share = 1;
    else row.setup.host_share = row.setup.host_expert_share = std::clamp(1 - room / row.setup.total_bytes, 0.0, 1.0);
  }
  if (contains(c.prompt_word, "mixed")) {
    for (const Pair& p : kLocalScore) row.lengths.push_back({p.prompt, p.output, 0, {}});
  } else {
    ChatRow::Length l;
    const bool static_cache = contains(c.prompt_word, "cache");  // "(cache 8192)": attention runs over the whole reserved cache
    l.prompt = static_cache || c.prompt_word == "0" ? 1 : c.prompt_tokens ? *c.prompt_tokens : prompt_of_words(c.prompt_word);
    l.past = static_cache ? first_number(c.prompt_word).value_or(0) : c.depth_tokens.value_or(0);
    l.output = c.output_tokens ? *c.output_tokens : contains(c.output_word, "sharegpt") ? kShareGptOutput : kSomeOutput;
    if (static_cache) l.past = std::max(0.0, l.past - l.output / 2);
    row.lengths.push_back(l);
  }
  for (ChatRow::Length& l : row.lengths) l.prefill = prefill_work(row.setup, l.prompt, l.past);
  return row;
}

std::vector<double> prefill_seconds_of(const ChatRow& row, CoefficientView c) {
  std::vector<double> out;
  for (const ChatRow::Length& l : row.lengths) out.push_back(prefill_seconds(row.setup, l.prefill, row.power_capped, c));
  return out;
}

double prefill_row_log(const ChatRow& row, CoefficientView c) {
  double rate = 0, seconds = 0;
  for (const ChatRow::Length& l : row.lengths) {
    const double t = prefill_seconds(row.setup, l.prefill, row.power_capped, c);
    rate += l.prompt / t;
    seconds += t;
  }
  const double n = static_cast<double>(row.lengths.size());
  return row.metric == ChatMetric::kFirstToken ? log(1000 * seconds / n) : log(rate / n / row.per);
}

double decode_row_log(const ChatRow& row, const std::vector<double>& prefill_s, CoefficientView c) {
  double rate = 0, seconds = 0, prompt = 0, output = 0;
  for (std::size_t i = 0; i < row.lengths.size(); ++i) {
    const ChatRow::Length& l = row.lengths[i];
    const double step = decode_seconds(row.setup, l.past + l.prompt + l.output / 2, row.speculative, row.power_capped, c);
    const double all = l.output * step + (row.holds_prefill ? prefill_s[i] : 0.0);
    rate += l.output / all;
    seconds += all;
    prompt += l.prompt;
    output += l.output;
  }
  const double n = static_cast<double>(row.lengths.size());
  switch (row.metric) {
    case ChatMetric::kTokenTime: return log(1000 * n / rate);
    case ChatMetric::kLatency: return log(seconds / n);
    case ChatMetric::kOutputRate: return log(output / seconds / row.per);
    case ChatMetric::kTotalRate: return log((output + prompt) / seconds / row.per);
    case ChatMetric::kRequestRate: return log(n / seconds / row.per);
    default: return log(rate / n);
  }
}

}  // namespace whichgpu::speed

namespace whichgpu {

RowEstimate estimate_chat_row(const Conditions& conditions) {
  using namespace speed;
  std::string why;
  const auto row = read_chat_row(conditions, why, false);
  if (!row) return RowEstimate::not_modelled(why);
  const DomainCalibration& prefill = conditions.catalog->calibration.domain("prefill");
  Predicted p;
  if (row->of_prefill_domain()) {
    p = predict_with_interval(prefill, prefill_spec(), row->keys.keys, [&](CoefficientView c) { return prefill_row_log(*row, c); });
  } else {
    const std::vector<double> prefill_s = prefill_seconds_of(*row, prefill.resolve(prefill_spec(), row->keys.keys).value);
    p = predict_with_interval(conditions.catalog->calibration.domain("decode"), decode_spec(), row->keys.keys, [&](CoefficientView c) { return decode_row_log(*row, prefill_s, c); });
  }
  RowEstimate out;
  out.modelled = true;
  out.value = p.value;
  out.p10 = p.p10;
  out.p90 = p.p90;
  return out;
}

}  // namespace whichgpu
