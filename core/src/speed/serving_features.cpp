#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "speed/serving.hpp"
#include "whichgpu/domain.hpp"
#include "whichgpu/math.hpp"
#include "whichgpu/model_math.hpp"

namespace whichgpu {
namespace {

/// The physical inputs that a row and a question share.
struct Inputs {
  const Gpu* gpu = nullptr;
  const Model* model = nullptr;
  const Quant* quant = nullptr;
  std::string engine, era;
  double cache_bits = 16;
  int gpu_count = 1, tensor = 0, pipeline = 0, data_attention = 1, expert = 1;
  double prompt = 512, output = 256, streams = 1, offered = 0;
  Load load = Load::kClosed;
  bool static_batch = false, speculative = false, capped = false;
};

bool has_fp8(const Gpu& g) { return g.fp8_tensor_tflops.value_or(0) > 0; }

double peak_16bit(const Gpu& g) {
  const double tensor = std::max(g.bf16_tensor_tflops.value_or(0), g.fp16_tensor_tflops.value_or(0));
  if (tensor > 0) return tensor;
  return g.fp16_vector_tflops.value_or(g.fp32_tflops.value_or(0));
}

struct DataPath { std::string format; double peak_tflops; };
/// The kernels' data path: the arithmetic they run on, and the family of formats that share a fitted efficiency.
DataPath data_path(const Gpu& g, const Model& m, const Quant& q) {
  const double half = peak_16bit(g), bits = q.bits_nominal.value_or(q.bits_effective.value_or(16));
  const double fp8 = g.fp8_tensor_tflops.value_or(0), fp4 = g.fp4_tensor_tflops.value_or(0), int8 = g.int8_tensor_tops.value_or(0);
  const bool native_fp4 = contains(m.native_dtype, "mxfp4");
  if (q.family == "plain") return {"16bit", half};
  if (q.family == "gguf") return {bits > 6 ? "gguf-8bit" : bits > 4 ? "gguf-4bit" : "gguf-2bit", half};
  // Models trained with 4-bit experts run them with 8-bit activations where FP4 exists, else with 16-bit ones.
  if (native_fp4 && q.family != "int8") return {"native-mxfp4", fp8 > 0 && fp4 > 0 ? fp8 : half};
  if (q.family == "fp8") return fp8 > 0 ? DataPath{"fp8", fp8} : DataPath{"w8a16", half};
  if (q.family == "nvfp4" || q.family == "mxfp4") return {"fp4", fp4 > 0 ? fp4 : half};
  if (q.id == "int8-w8a8") return {"int8", int8 > 0 ? int8 : half};
  return {bits > 6 ? "w8a16" : "w4a16", half};
}

/// GPUs that split the weights when the source does not say: the fewest that leave room for the cache.
int fewest_gpus(const Gpu& g, double weights, int gpu_count) {
  int n = 1;
  while (n < gpu_count && weights / n > 0.6 * g.memory_gib_usable.value_or(g.memory_gb.value_or(0)) * kBytesPerGib) n *= 2;
  return std::min(n, gpu_count);
}

ServingFeatures build(const Inputs& in, std::vector<std::string>* key_names) {
  const Gpu& g = *in.gpu;
  const Model& m = *in.model;
  ServingFeatures f;
  const WeightBytes weights = weight_bytes(m, *in.quant);
  const ModelCache cache = cache_of(m);
  const TokenFlops flops = token_flops(m);
  const DataPath path = data_path(g, m, *in.quant);

  int tensor = in.tensor, pipeline = std::max(in.pipeline, 1), gpus = in.gpu_count, attention = std::max(in.data_attention, 1);
  const bool mlperf = in.load == Load::kOffline || in.load == Load::kServer || in.load == Load::kInteractive;
  const bool layer_split = in.engine == "llama.cpp" || in.engine == "ollama" || in.engine == "lm-studio";
  if (tensor == 0) {
    if (pipeline > 1) tensor = std::max(gpus / pipeline, 1);
    else if (mlperf) tensor = fewest_gpus(g, weights.total, gpus);
    else tensor = layer_split ? 1 : gpus;
  }
  if (tensor == 1 && in.expert > 1 && attention == 1 && in.expert == gpus) tensor = gpus;
  const double group = static_cast<double>(tensor) * attention;  // GPUs of one pipeline stage
  const double held = layer_split && tensor == 1 ? gpus : group * pipeline;
  f.replicas = std::max(layer_split ? 1.0 : gpus / held, 1.0);
  f.pipeline = layer_split ? 1 : pipeline;

  f.bandwidth = g.bandwidth_gb_per_s.value_or(0) * kBytesPerGb;
  f.peak = path.peak_tflops * 1e12;
  f.peak_16bit = peak_16bit(g) * 1e12;
  f.dense_bytes = (weights.layers + weights.output) / tensor;
  f.expert_bytes = weights.experts / group;
  if (weights.num_experts > 0) f.log_miss = log(std::max(1 - weights.experts_per_token / weights.num_experts, 1e-9));
  const double element = in.cache_bits / 8, mean_context = in.prompt + in.output / 2;
  const double cache_ranks = m.mla ? 1.0 : tensor;  // a latent cache has no heads to split
  const double state = cache.state_bytes_per_sequence();
  f.cache_bytes = (cache.elements_read(mean_context) * element + 2 * state) / (cache_ranks * attention);
  f.flops_per_token = flops.total() / group;
  f.prompt_flops = (in.prompt * flops.layers + flops.output) / group;
  f.attention_flops = cache.prefill_flops(in.prompt) / group;
  f.layers = weights.num_layers;
  f.moe_layers = weights.moe_layers;
  f.prompt = in.prompt;
  f.output = in.output;

  const double link_max = g.link_max_gpus.value_or(1), link = g.link_gb_per_s_bidirectional.value_or(0) / 2;
  const bool bridge = contains(lower(g.link_type), "bridge"), to_host = contains(lower(g.link_type), "c2c");
  const bool fast = link > 0 && tensor <= link_max && !(bridge && tensor > 2) && !to_host;
  double pcie = 0.985;  // GB/s of a PCIe 3 lane after encoding (PCI-SIG); doubles with each generation
  for (int i = 3; i < static_cast<int>(g.pcie_gen.value_or(4)); ++i) pcie *= 2;
  const double rate = (fast ? link : pcie * g.pcie_lanes.value_or(16)) * kBytesPerGb;
  if (group > 1) {
    f.hops = log(group) / 0.6931471805599453;  // log 2
    f.message_seconds = m.hidden_size * 2 * 2 * (group - 1) / group / rate;
  }

  // Linux CUDA sees 1 to 1.5 % less than the tools print (data/gpus.json holds it where it was seen).
  const double memory = g.memory_gib_cuda_linux.value_or(0.985 * g.memory_gib_usable.value_or(g.memory_gb.value_or(0) * 0.95)) * kBytesPerGib;
  const double used = weights.total - weights.experts;
  // Engines leave a tenth of the memory alone by default and take about 2 GiB for activations and graphs (vLLM's defaults).
  const double room = std::max(0.9 * memory * held - used * attention - weights.experts - 2 * kBytesPerGib * held, 0.03 * memory * held);
  const double sequence = (cache.elements(in.prompt + 0.6 * in.output) * element + state) * (m.mla ? tensor : 1);
  f.cache_sequences = room / std::max(sequence, 1.0);
  f.streams = in.streams;
  f.offered = in.offered;
  f.load = in.load;
  f.static_batch = in.static_batch;
  f.speculative = in.speculative;

  static constexpr const char* kLoads[] = {"closed", "max", "offline", "server", "interactive", "open", "set", "burst"};
  const std::string names[kSvLevels] = {in.engine, in.era.empty() ? "" : in.engine + "|" + in.era, g.generation, g.id, path.format,
      g.generation + "|" + path.format, lower(g.vendor), fast ? "fast" : "pcie", kLoads[static_cast<int>(in.load)],
      m.is_moe() ? "moe" : m.is_hybrid() ? "hybrid" : "dense", in.capped ? "capped" : "", ""};
  for (int i = 0; i < kSvLevels; ++i) f.keys.at[i] = key_of(names[i]);
  if (key_names) key_names->assign(names, names + kSvLevels);
  return f;
}

/// "0.7.3" in "vllm 0.7.3 (rocm)" -> {0, 7}; nothing when there is no x.y.
struct Version { int major, minor; };
std::optional<Version> version_in(std::string_view text) {
  for (std::size_t i = 0; i + 2 < text.size(); ++i) {
    if (text[i] < '0' || text[i] > '9' || (i > 0 && (text[i - 1] == '.' || (text[i - 1] >= '0' && text[i - 1] <= '9')))) continue;
    std::size_t dot = i;
    while (dot < text.size() && text[dot] >= '0' && text[dot] <= '9') ++dot;
    if (dot >= text.size() || text[dot] != '.' || dot - i > 3) continue;
    std::size_t end = dot + 1;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    if (end == dot + 1 || end - dot > 4) continue;
    return Version{static_cast<int>(*to_number(text.substr(i, dot - i))), static_cast<int>(*to_number(text.substr(dot + 1, end - dot - 1)))};
  }
  return std::nullopt;
}

/// Engines change in leaps; releases between two leaps share an era. vLLM: before 0.6 (slow scheduler), 0.6 to 0.7, 0.8
/// (rewritten engine) to 0.11, later. TensorRT-LLM: static batches until 0.9, C++ engine until 0.17, PyTorch engine until
/// 1.0, later. Where no version is given, the date stands for it (release dates of the projects). Others: the year.
std::string era_of(const std::string& engine, const std::string& version_text, double year) {
  const double y = year > 0 ? year : 2025;
  if (engine == "vllm") {
    const std::size_t at = version_text.find("vllm");
    const auto v = version_in(at == std::string::npos ? std::string_view(version_text) : std::string_view(version_text).substr(at));
    if (v && v->major == 0) return v->minor < 6 ? "0.5" : v->minor < 8 ? "0.7" : v->minor < 12 ? "0.11" : "0.19";
    return y < 2024.7 ? "0.5" : y < 2025.15 ? "0.7" : y < 2025.95 ? "0.11" : "0.19";
  }
  if (engine == "tensorrt-llm") {
    if (const auto v = version_in(version_text); v && v->major < 3) {
      const int n = 100 * v->major + v->minor;
      return n < 10 ? "0.9" : n < 18 ? "0.17" : n <= 100 ? "1.0" : "1.2";
    }
    return y < 2024.4 ? "0.9" : y < 2025.2 ? "0.17" : y < 2025.8 ? "1.0" : "1.2";
  }
  return std::to_string(static_cast<int>(std::clamp(y, 2023.0, 2026.0)));
}

/// Mean lengths of the data sets that sources name instead of numbers.
struct DataSet { const char* word; double prompt, output; };
constexpr DataSet kDataSets[] = {
    {"28k", 28000, 210},              // ShareGPT conversations joined to about 28,000 tokens (AccelMark)
    {"edge", 70, 215},                // its short prompts
    {"sharegpt", 220, 215},           // ShareGPT V3 as vLLM's benchmark filters it: means near 220 and 200 (vLLM paper 2023: 161, 338 unfiltered)
    {"lm-arena", 100, 500},           // LMSYS chat prompts
    {"gpqa", 250, 2000},              // multiple-choice questions with reasoning
    {"fim", 600, 250},                // code completion
    {"short", 64, 256},
};
/// MLPerf Inference: mean prompt and output tokens of the benchmark's data set for a model (inference rules and result tables).
struct Benchmark { const char* family; double prompt, output; };
constexpr Benchmark kMlperf[] = {{"llama-2-70b", 245, 290}, {"gpt-j-6b", 930, 69}, {"mixtral-8x7b", 280, 145}, {"llama-3.1-405b", 9400, 655}, {"llama-3.1-8b", 870, 128}, {"deepseek-r1", 1000, 3650}};

struct Lengths { double prompt, output; bool by_word; };
Lengths lengths_of(const Conditions& c, bool mlperf) {
  Lengths l{c.prompt_tokens.value_or(0), c.output_tokens.value_or(0), !c.prompt_tokens || !c.output_tokens};
  const auto mean = [](const std::string& word) -> std::optional<double> {
    const std::size_t at = word.find("mean");
    return at == std::string::npos ? std::nullopt : first_number(std::string_view(word).substr(at));
  };
  const DataSet* set = nullptr;
  for (const DataSet& d : kDataSets)
    if (!set && (contains(c.prompt_word, d.word) || contains(c.output_word, d.word))) set = &d;
  const Benchmark* bench = nullptr;
  if (mlperf)
    for (const Benchmark& b : kMlperf)
      if (c.model && c.model->id == b.family) bench = &b;
  if (l.prompt <= 0) l.prompt = mean(c.prompt_word).value_or(set ? set->prompt : bench ? bench->prompt : first_number(c.prompt_word).value_or(c.prompt_word.empty() ? 100 : 512));
  if (l.output <= 0) l.output = mean(c.output_word).value_or(set ? set->output : bench ? bench->output : first_number(c.output_word).value_or(256));
  l.prompt = std::max(l.prompt, 1.0);
  l.output = std::max(l.output, 1.0);
  return l;
}

/// Lengths that a person types: multiples of 64 or 50, or short. Means of data sets are not.
bool is_round(double tokens) { return tokens <= 64 || std::floor(tokens / 64) * 64 == tokens || std::floor(tokens / 50) * 50 == tokens || tokens == 5120; }

/// The format, also where the words are nobody's name for it.
const Quant* format_of(const Conditions& c, bool mlperf) {
  const Catalog& catalog = *c.catalog;
  const std::string& p = c.precision;
  const auto by_id = [&](const char* id) { return catalog.find_quant(id); };
  if (p.empty()) {
    // MLPerf logs without a precision: the 8-bit path (the closed division's usual choice where it exists).
    if (mlperf) return by_id(has_fp8(*c.gpu) ? "fp8-tensor" : "int8-w8a8");
    const Quant* native = find_precision(catalog, c.model->native_dtype, c.engine, c.model);
    return native ? native : by_id(contains(c.model->native_dtype, "mxfp4") ? "mxfp4" : "bf16");
  }
  if (contains(p, "w8a8") || contains(p, "smoothquant")) return by_id("int8-w8a8");
  if (contains(p, "w8a16") || contains(p, "int8")) return mlperf ? by_id("int8-w8a8") : by_id("int8-weight-only");
  if (contains(p, "nvfp4") || p == "fp4") return by_id("nvfp4");
  if (c.quant) return c.quant;
  if (contains(p, "mxfp4") || contains(p, "dflash")) return by_id(contains(p, "gguf") ? "gguf-mxfp4-moe" : "mxfp4");
  if (contains(p, "fp8")) return by_id("fp8-tensor");
  if (contains(p, "int4") || contains(p, "w4a") || contains(p, "gptq") || contains(p, "awq") || contains(p, "uint4")) return by_id("awq-4bit-128g");
  for (const std::string_view prefix : {"gguf ", "ud-"}) {
    std::string_view rest = p;
    if (const std::size_t at = rest.find(prefix); at != std::string_view::npos) rest = rest.substr(at + prefix.size());
    else continue;
    std::string name(trim(rest));
    if (const Quant* q = by_id(("gguf-" + name).c_str())) return q;
    if (const Quant* q = by_id(("gguf-" + name + "_m").c_str())) return q;
    if (name.size() > 3 && name.substr(name.size() - 3) == "_xl")
      if (const Quant* q = by_id(("gguf-" + name.substr(0, name.size() - 3) + "_m").c_str())) return q;
  }
  if (contains(p, "gguf")) return by_id("gguf-q4_k_m");
  return nullptr;
}

}  // namespace

std::optional<ServingFeatures> serving_features(const Conditions& c, std::string& why_not, std::vector<std::string>* key_names) {
  const auto refuse = [&](const char* why) {
    why_not = why;
    return std::nullopt;
  };
  if (!c.gpu) return refuse("GPU not resolved");
  if (!c.model) return refuse("model not resolved");
  if (!c.model->has_layers()) return refuse("model without layers");
  if (c.gpu->bandwidth_gb_per_s.value_or(0) <= 0 || peak_16bit(*c.gpu) <= 0) return refuse("GPU without bandwidth or arithmetic rate");
  const std::string& word = c.concurrency_word;
  const bool mlperf = word == "offline" || word == "server" || word == "interactive";
  Inputs in;
  in.gpu = c.gpu;
  in.model = c.model;
  in.quant = format_of(c, mlperf);
  if (!in.quant) return refuse("precision not understood");
  in.engine = c.engine ? c.engine->id : "not-stated";
  in.era = era_of(in.engine, c.software_version, c.year);
  const Lengths l = lengths_of(c, mlperf);
  in.prompt = l.prompt;
  in.output = l.output;

  const DataPath path = data_path(*c.gpu, *c.model, *in.quant);
  const auto bits = kv_bits(c.kv_precision);
  // Engines keep the cache in 8 bits by default where the whole path is narrow (TensorRT-LLM's FP8 and FP4 recipes, and every
  // engine's on Blackwell).
  const bool recipe = (in.engine == "tensorrt-llm" || c.gpu->generation == "blackwell-dc") && (path.format == "fp8" || path.format == "fp4");
  const bool narrow = c.kv_precision.empty() && has_fp8(*c.gpu) && (mlperf || recipe);
  in.cache_bits = narrow ? 8 : bits.value_or(16);

  in.gpu_count = c.gpu_count;
  const auto words = [&](const char* name) { return static_cast<int>(number_after(c.parallelism, name).value_or(0)); };
  in.tensor = words("tp");
  in.pipeline = words("pp");
  in.expert = std::max(words("ep"), 1);
  in.data_attention = std::max(words("adp"), 1);
  const int expert_tensor = words("moetp");
  // Sources that write "TP8 … EP8 MOETP8" or "TP4 ADP4" for one box count the same GPUs twice.
  if (in.expert > 1 && expert_tensor > 1 && in.expert * expert_tensor == in.gpu_count) {
    in.gpu_count = std::max(in.expert, expert_tensor);
    in.tensor = std::min(in.tensor, in.gpu_count);
    in.data_attention = std::min(in.data_attention, in.gpu_count);
  }
  if (in.tensor > 1 && in.tensor == in.data_attention && in.gpu_count == in.tensor * in.data_attention) {
    in.gpu_count = in.tensor;
    in.data_attention = 1;
  }
  // Beyond eight GPUs attention is not split by heads but by sequences (wide expert parallelism).
  if (in.tensor > 8) {
    in.data_attention *= in.tensor;
    in.tensor = 1;
  }

  in.streams = c.concurrency.value_or(0);
  if (contains(word, "req/s")) {
    in.load = Load::kOpen;
    in.offered = first_number(word).value_or(0);
    if (in.offered <= 0) return refuse("offered rate not understood");
  } else if (word == "offline") in.load = Load::kOffline;
  else if (word == "server") in.load = Load::kServer;
  else if (word == "interactive") in.load = Load::kInteractive;
  else if (contains(word, "prompts at once")) {
    in.load = Load::kBurst;
    in.streams = first_number(word).value_or(1);
  } else if (in.streams <= 0) {
    const auto number = first_number(word);
    if (number && *number > 0) in.streams = *number;
    else in.load = word.empty() ? Load::kClosed : Load::kMax;
  }
  // A data set's prompts with no offered rate are handed over whole; the client's concurrency does not bound the batch.
  // (A fractional concurrency is the measured mean of the running batch, so it does.)
  const bool throughput = c.metric == "throughput_out_tok_s" || c.metric == "throughput_total_tok_s";
  if (in.load == Load::kClosed && throughput && in.engine == "vllm" && !contains(word, ".") && in.streams > 0 && (l.by_word || !(is_round(l.prompt) && is_round(l.output)))) in.load = Load::kSet;
  in.streams = std::max(in.streams, 1.0);
  in.static_batch = c.has(kStaticBatch);
  in.speculative = c.has(kSpeculative);
  in.capped = c.has(kPowerCapped);
  return build(in, key_names);
}

ServingFeatures serving_features(const Question& q, double streams, double offered) {
  const Scenario& s = q.scenario;
  Inputs in;
  in.gpu = q.gpu;
  in.model = q.model;
  in.quant = q.quant;
  in.engine = q.engine->id;
  in.era = era_of(in.engine, "", 2026.5);  // the present releases
  in.cache_bits = kv_bits(s.precision.kv_cache).value_or(16);
  in.gpu_count = s.gpu_count;
  in.tensor = s.parallelism.tensor;
  in.pipeline = s.parallelism.pipeline;
  in.data_attention = std::max(1, s.parallelism.expert / std::max(1, s.parallelism.tensor));  // copies of attention that share the experts
  in.prompt = std::max(s.prompt_tokens, 1.0);
  in.output = std::max(s.output_tokens, 1.0);
  in.streams = std::max(streams, 1.0);
  in.offered = offered;
  in.load = offered > 0 ? Load::kOpen : Load::kClosed;
  in.speculative = q.draft_model != nullptr;
  return build(in, nullptr);
}

}  // namespace whichgpu
