#include "training/setup.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"


namespace whichgpu::training {
namespace {

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A comma between digits that groups thousands: exactly three digits follow.
bool groups_thousands(std::string_view text, std::size_t at) {
  if (text[at] != ',') return false;
  std::size_t digits = 0;
  while (at + 1 + digits < text.size() && is_digit(text[at + 1 + digits])) ++digits;
  return digits == 3;
}

/// All whole numbers of a text.
std::vector<double> numbers_in(std::string_view text) {
  std::vector<double> found;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_digit(text[i])) { ++i; continue; }
    double value = 0;
    for (; i < text.size() && (is_digit(text[i]) || groups_thousands(text, i)); ++i)
      if (text[i] != ',') value = value * 10 + (text[i] - '0');
    found.push_back(value);
  }
  return found;
}

struct FamilyWord { const char* word; const char* family; };
// First match wins, so the longer names come first.
constexpr FamilyWord kFamilies[] = {
    {"megatron-bridge", "megatron-bridge"}, {"nemo rl", "nemo-rl"}, {"automodel", "automodel"},
    {"megatron-deepspeed", "megatron-ds"}, {"megatron + deepspeed", "megatron-ds"}, {"llm-foundry", "llm-foundry"},
    {"litgpt", "litgpt"}, {"lit-", "litgpt"}, {"fsdp_qlora", "fsdp-qlora"}, {"fsdp-qlora", "fsdp-qlora"}, {"qwen finetune", "qwen-ds"},
    {"unsloth", "unsloth"}, {"ms-swift", "ms-swift"}, {"torchtitan", "torchtitan"}, {"torchao", "torchtitan"},
    {"xtuner", "xtuner"}, {"fms-fsdp", "fms-fsdp"}, {"nanotron", "nanotron"}, {"maxtext", "maxtext"}, {"pax", "pax"},
    {"t5x", "t5x"}, {"jax", "maxtext"}, {"mlx", "mlx"}, {"rwkv", "rwkv"}, {"trl grpo", "trl-grpo"},
    {"deepspeed-chat", "ds-chat"}, {"gpt-fast", "gpt-fast"}, {"deeplearningexamples", "ngc-dle"}, {"tensorflow (ngc", "ngc-tf"},
    {"tensorflow2 (ngc", "ngc-tf"}, {"pytorch (ngc", "ngc-dle"}, {"deepspeed", "hf-ds"}, {"megatron", "megatron"},
    {"axolotl", "axolotl"}, {"nemo", "nemo"}, {"torchtune", "hf"}, {"h2o", "hf"}, {"hf", "hf"}, {"trl", "hf"}, {"transformers", "hf"}, {"peft", "hf"},
    {"llama-factory", "hf"}, {"optimum", "hf"}, {"xturing", "hf"}, {"neuron", "neuron"}, {"bitsandbytes", "hf"},
    {"nanogpt", "nanogpt"}, {"nanochat", "nanogpt"}, {"lora", "hf"}, {"finetuner", "hf"}};

struct ClassWord { const char* family; const char* group; };
constexpr ClassWord kClasses[] = {
    {"megatron-bridge", "megatron"}, {"nemo", "megatron"}, {"megatron", "megatron"}, {"mlperf-nvidia", "megatron"},
    {"mlperf-other", "megatron"}, {"megatron-ds", "megatron"}, {"nemo-rl", "megatron"}, {"llm-foundry", "fsdp"},
    {"torchtitan", "fsdp"}, {"fms-fsdp", "fsdp"}, {"nanotron", "fsdp"}, {"automodel", "fsdp"}, {"nanogpt", "fsdp"},
    {"hf", "hf"}, {"qwen-ds", "hf"}, {"ms-swift", "hf"}, {"axolotl", "hf"}, {"unsloth", "hf"}, {"litgpt", "hf"},
    {"fsdp-qlora", "hf"}, {"xtuner", "hf"}, {"hf-ds", "hf"}, {"ds-chat", "hf"}, {"trl-grpo", "hf"}, {"maxtext", "jax"},
    {"pax", "jax"}, {"t5x", "jax"}, {"neuron", "jax"}, {"ngc-dle", "ngc"}, {"ngc-tf", "ngc"}, {"tinygrad", "ngc"}};

/// Stacks whose scripts recompute activations unless told otherwise.
bool recomputes_by_default(const Setup& s) {
  const std::string_view family = s.engine;
  if (family == "litgpt") return s.sharding == Sharding::kEverything && s.method != Method::kPretrain;  // its fine-tuning scripts' FSDP strategy
  return family == "unsloth" || family == "fsdp-qlora" || family == "qwen-ds" || family == "ms-swift" || family == "xtuner" ||
         family == "hf-ds";
}

/// "fsdp" or "fsdp2" as a word, not switched off ("fsdp 0", "fsdp 1").
bool names_fsdp(std::string_view text) {
  for (std::size_t at = text.find("fsdp"); at != std::string_view::npos; at = text.find("fsdp", at + 4)) {
    if (at > 0 && is_word(text[at - 1])) continue;
    std::size_t end = at + 4;
    if (end < text.size() && text[end] == '2') ++end;
    if (end < text.size() && is_word(text[end])) continue;
    const std::string_view rest = text.substr(end);
    if (starts_with(rest, " 0") || rest == " 1" || (starts_with(rest, " 1") && rest.size() > 2 && !is_word(rest[2]))) continue;
    return true;
  }
  return false;
}

struct Layout {
  double tensor = 1, pipeline = 1, context = 1, expert = 0, interleave = 1, accumulation = 0, fsdp = -1;
  int zero = -1;
  bool offload = false, named = false, model_parallel = false;
  Sharding sharding = Sharding::kSingle;
};

Layout read_layout(const Conditions& row) {
  Layout out;
  const std::string& text = row.parallelism;
  // "gen TP,PP [32,1]; train TP,CP,EP,PP,VPP [1,1,16,16,n/a]": reinforcement learning lists the trainer's degrees.
  if (const auto train = text.find("train tp,cp,ep,pp"); train != std::string::npos) {
    const auto open = text.find('[', train);
    if (open != std::string::npos) {
      const std::vector<double> degrees = numbers_in(std::string_view(text).substr(open));
      if (degrees.size() >= 4) { out.tensor = degrees[0]; out.context = degrees[1]; out.expert = degrees[2]; out.pipeline = degrees[3]; }
    }
    out.named = true;
    out.sharding = Sharding::kStates;
    return out;
  }
  const auto take = [&](std::string_view word, double& into) { if (const auto n = number_after(text, word)) into = std::max(1.0, *n); };
  take("tp", out.tensor);
  take("pp", out.pipeline);
  take("cp", out.context);
  take("ep", out.expert);
  take("vp", out.interleave);
  take("ga", out.accumulation);
  take("gas", out.accumulation);
  take("grad_accum", out.accumulation);
  take("pp chunks", out.accumulation);
  if (const auto n = number_after(text, "fsdp ")) out.fsdp = *n;
  if (const auto n = number_after(text, "sequence parallel")) out.context = std::max(1.0, *n);
  if (const auto n = number_after(text, "zero")) out.zero = static_cast<int>(*n);
  const bool stays = contains(row.optimizer, "on gpu") || contains(text, "no offload");
  out.offload = contains(text, "offload") || contains(row.optimizer, "cpu-offloaded") || (row.has(kOffloadFlag) && !stays);
  out.named = true;
  if (contains(text, "full_shard")) out.sharding = Sharding::kEverything;
  else if (contains(text, "shard_grad_op")) out.sharding = Sharding::kStates;
  else if (contains(text, "ddp mode")) out.sharding = Sharding::kReplicate;
  else if (out.fsdp > 1 || names_fsdp(text) || contains(text, "hsdp") || out.zero == 3) out.sharding = Sharding::kEverything;
  else if (contains(text, "zero") || contains(text, "deepspeed")) out.sharding = Sharding::kStates;
  else if (contains(text, "ddp")) out.sharding = Sharding::kReplicate;
  else if (contains(text, "device_map") || contains(text, "model parallel")) out.sharding = Sharding::kLayers;
  else if (out.tensor > 1 || out.pipeline > 1 || number_after(text, "tp")) { out.sharding = Sharding::kStates; out.model_parallel = true; }
  else if (starts_with(text, "single")) out.sharding = Sharding::kSingle;
  else out.named = false;
  return out;
}

Method read_method(const Conditions& row) {
  const std::string& m = row.method;
  if (row.workload == "llm-infer" || m == "n/a") return Method::kInference;
  if (contains(m, "grpo") || contains(m, "(rl)") || contains(m, "ppo")) return Method::kReinforcement;
  if (contains(m, "qlora") && m != "lora/qlora") return Method::kQlora;
  if (contains(m, "lora") || contains(m, "adapter") || contains(m, "tuning")) return Method::kLora;
  return m == "pretrain" ? Method::kPretrain : Method::kFull;
}

void read_precision(std::string_view p, Setup& s) {
  const bool adapters = s.method == Method::kLora || s.method == Method::kQlora;
  if (contains(p, "nf4") || contains(p, "int4") || contains(p, "4-bit") || contains(p, "4/2")) s.store = Store::kFour;
  else if (contains(p, "int8 weight") || contains(p, "8-bit") || (contains(p, "int8") && adapters)) s.store = Store::kEight;
  s.double_quantised = contains(p, "dq") || s.engine != "litgpt";  // LitGPT's tables tell the two apart
  const Gpu& gpu = *s.gpu;
  const bool has_fp8 = gpu.fp8_tensor_tflops && *gpu.fp8_tensor_tflops * 1e12 > half_flops(gpu);
  if (contains(p, "nvfp4")) s.arithmetic = Arithmetic::kFp4;
  else if (contains(p, "mxfp8")) s.arithmetic = Arithmetic::kMxFp8;
  else if (contains(p, "usually fp8")) s.arithmetic = gpu.release_year >= 2022 ? Arithmetic::kFp8 : Arithmetic::kHalf;
  else if (contains(p, "fp8")) s.arithmetic = Arithmetic::kFp8;
  else if (contains(p, "tf32")) s.arithmetic = Arithmetic::kTf32;
  else if (starts_with(p, "fp32") && !contains(p, "bf16")) s.arithmetic = Arithmetic::kFp32;
  else if (contains(p, "fp32") && contains(p, "nf4")) s.arithmetic = Arithmetic::kTf32;
  else if (p == "int8" && s.store == Store::kHalf) s.arithmetic = Arithmetic::kInt8;
  if ((s.arithmetic == Arithmetic::kFp8 || s.arithmetic == Arithmetic::kMxFp8) && !has_fp8) s.arithmetic = Arithmetic::kHalf;
  if (s.arithmetic == Arithmetic::kTf32 && !gpu.tf32_tensor_tflops) s.arithmetic = Arithmetic::kFp32;
  s.wide_weights = s.arithmetic == Arithmetic::kFp32 || s.arithmetic == Arithmetic::kTf32 || contains(p, "fp32 weights") ||
                   (contains(p, "mixed") && (s.engine == "litgpt" || (s.engine == "hf" && !adapters)));
}

}  // namespace

const char* to_word(Method method) {
  switch (method) {
    case Method::kPretrain: return "pretrain";
    case Method::kFull: return "full";
    case Method::kLora: return "lora";
    case Method::kQlora: return "qlora";
    case Method::kReinforcement: return "reinforcement";
    case Method::kInference: return "inference";
  }
  return "";
}

const char* to_word(Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::kHalf: return "half";
    case Arithmetic::kFp8: return "fp8";
    case Arithmetic::kMxFp8: return "mxfp8";
    case Arithmetic::kFp4: return "fp4";
    case Arithmetic::kTf32: return "tf32";
    case Arithmetic::kFp32: return "fp32";
    case Arithmetic::kInt8: return "int8";
  }
  return "";
}

const char* to_word(Checkpointing checkpointing) {
  switch (checkpointing) {
    case Checkpointing::kNone: return "none";
    case Checkpointing::kSelective: return "selective";
    case Checkpointing::kFull: return "full";
  }
  return "";
}

const char* to_word(Sharding sharding) {
  switch (sharding) {
    case Sharding::kSingle: return "none";
    case Sharding::kReplicate: return "ddp";
    case Sharding::kStates: return "zero-2";
    case Sharding::kEverything: return "fsdp";
    case Sharding::kLayers: return "layers";
  }
  return "";
}

std::string engine_family(std::string_view software) {
  for (const FamilyWord& entry : kFamilies)
    if (contains(software, entry.word)) return entry.family;
  return "other";
}

std::string engine_class(std::string_view family) {
  for (const ClassWord& entry : kClasses)
    if (family == entry.family) return entry.group;
  return "other";
}

double half_flops(const Gpu& gpu) {
  double best = std::max({gpu.bf16_tensor_tflops.value_or(0), gpu.fp16_tensor_tflops.value_or(0), gpu.fp32_tflops.value_or(0)});
  if (!gpu.fp16_tensor_tflops) best = std::max(best, gpu.fp16_vector_tflops.value_or(0));
  return best * 1e12;
}

double peak_flops(const Gpu& gpu, Arithmetic arithmetic) {
  const double half = half_flops(gpu);
  const double fp32 = gpu.fp32_tflops ? *gpu.fp32_tflops * 1e12 : half / 8;
  const double fp8 = gpu.fp8_tensor_tflops ? *gpu.fp8_tensor_tflops * 1e12 : half;
  switch (arithmetic) {
    case Arithmetic::kHalf: return half;
    case Arithmetic::kFp8: case Arithmetic::kMxFp8: return fp8;
    case Arithmetic::kFp4: return gpu.fp4_tensor_tflops ? *gpu.fp4_tensor_tflops * 1e12 : fp8;
    case Arithmetic::kTf32: return gpu.tf32_tensor_tflops ? *gpu.tf32_tensor_tflops * 1e12 : fp32;
    case Arithmetic::kFp32: return fp32;
    case Arithmetic::kInt8: return gpu.int8_tensor_tops ? *gpu.int8_tensor_tops * 1e12 : half;
  }
  return half;
}

void complete(Setup& s) {
  if (s.sequence <= 0) s.sequence = s.shape.causal && s.shape.parameters > 6e8 ? 2048 : 512;
  s.gpus = std::max(1.0, s.gpus);
  s.nodes = std::max(1.0, std::min(s.nodes, s.gpus));
  if (s.tensor * s.pipeline * s.context > s.gpus) s.pipeline = std::max(1.0, std::floor(s.gpus / (s.tensor * s.context)));
  if (s.tensor * s.pipeline * s.context > s.gpus) s.tensor = s.pipeline = s.context = 1;
  if (s.sharding == Sharding::kLayers) { s.pipeline = s.gpus; s.tensor = s.context = 1; }
  s.data = std::max(1.0, std::floor(s.gpus / (s.tensor * s.pipeline * s.context)));
  // Fewer sequences in a batch than data-parallel copies: the rest of the GPUs must share sequences.
  const bool whole = s.method == Method::kFull || s.method == Method::kPretrain;
  if (s.global_batch > 0 && whole && s.shape.parameters >= 1e9 && s.data * std::max(1.0, s.micro_batch) > s.global_batch * 1.01) {
    double share = 1;
    while (share < s.data * std::max(1.0, s.micro_batch) / s.global_batch * (1 - 1e-9)) share *= 2;
    const double within = std::min(share, std::max(1.0, std::floor(std::floor(s.gpus / s.nodes) / s.tensor)));
    s.tensor *= within;
    s.pipeline *= std::max(1.0, std::floor(share / within));
    s.data = std::max(1.0, std::floor(s.gpus / (s.tensor * s.pipeline * s.context)));
  }
  if (s.micro_batch <= 0 && s.accumulation > 1 && s.global_batch > 0)
    s.micro_batch = std::max(1.0, s.global_batch / s.data / s.accumulation);
  if (s.micro_batch <= 0) {
    s.micro_batch = std::max(1.0, (s.shape.parameters < 1e9 ? 16384 : 4096) / s.sequence);
    if (s.global_batch > 0) s.micro_batch = std::max(1.0, std::min(s.micro_batch, s.global_batch / s.data));
  }
  double accumulation = s.global_batch > 0 ? s.global_batch / (s.micro_batch * s.data) : s.accumulation;
  accumulation = std::max(1.0, accumulation);
  if (s.pipeline > 1 && s.global_batch <= 0) accumulation = std::max(accumulation, 4 * s.pipeline);
  s.accumulation = accumulation;
  // Experts are shared out over the sharding group where nothing is said of them.
  if (s.shape.moe && s.expert <= 0) {
    s.expert = 1;
    if (s.sharding == Sharding::kEverything || s.sharding == Sharding::kStates)
      while (s.expert * 2 <= std::min({s.data * s.tensor, s.shape.experts, 64.0})) s.expert *= 2;
  }
  s.expert = std::max(1.0, s.expert);
  if (s.gpus <= 1) s.sharding = Sharding::kSingle;
  if (!s.checkpointing_stated && recomputes_by_default(s)) s.checkpointing = Checkpointing::kFull;
  if (s.method == Method::kInference) s.checkpointing = Checkpointing::kNone;
  if (s.shard_group <= 1) s.shard_group = s.data;
}

std::optional<Setup> setup_of(const Conditions& row, std::string& why_not) {
  if (row.gpu == nullptr) { why_not = "GPU not in the catalog"; return std::nullopt; }
  Setup s;
  s.gpu = row.gpu;
  s.engine = engine_family(row.software);
  // MLPerf submissions: tuned by hand for the one benchmark, whatever they are built on.
  if (contains(row.precision, "usually fp8")) {
    s.engine = contains(row.software, "tinygrad") ? "tinygrad" : row.gpu->vendor == "NVIDIA" ? "mlperf-nvidia" : "mlperf-other";
  }
  s.engine_class = engine_class(s.engine);
  if (row.model != nullptr) {
    const auto shape = shape_of(*row.model);
    if (!shape) { why_not = "the model's layers are not known"; return std::nullopt; }
    s.shape = *shape;
  } else {
    const std::string& c = s.engine_class;
    const bool decoder_stack = c == "megatron" || c == "fsdp" || s.engine == "maxtext" || s.engine == "pax" || s.engine == "litgpt" || s.engine == "qwen-ds" || s.engine == "hf-ds";
    if (!row.params_b || *row.params_b <= 0 || !decoder_stack) { why_not = "model not in the catalog"; return std::nullopt; }
    s.shape = gpt_shape(*row.params_b * 1e9);
  }
  s.method = read_method(row);
  s.trains_adapters = s.method == Method::kLora || s.method == Method::kQlora || (s.method == Method::kReinforcement && contains(row.method, "lora"));
  read_precision(row.precision, s);
  const Layout layout = read_layout(row);
  s.gpus = row.gpu_count;
  s.nodes = row.nodes;
  // A table whose heading says that its multi-device rows ran on one device.
  if (contains(row.parallelism, "table says runs behave as single")) s.gpus = 1;
  s.tensor = layout.tensor; s.pipeline = layout.pipeline; s.context = layout.context; s.expert = layout.expert;
  s.interleave = layout.interleave;
  s.accumulation = std::max(1.0, layout.accumulation);
  s.shard_group = layout.fsdp > 1 ? layout.fsdp : 1;
  s.zero_stage = layout.zero;
  s.offload = layout.offload;
  s.sharding = layout.sharding;
  if (!layout.named)
    s.sharding = s.shape.parameters < 1.5e9 || s.trains_adapters || s.method == Method::kInference ? Sharding::kReplicate : Sharding::kStates;
  const std::vector<double> lengths = numbers_in(row.sequence);
  if (!lengths.empty()) {
    s.sequence = lengths[0];
    if (contains(row.sequence, "prompt") || contains(row.sequence, "input")) { s.sequence = 0; for (double length : lengths) s.sequence += length; }
    s.sequence_known = true;
  }
  s.micro_batch = row.micro_batch.value_or(0);
  s.global_batch = row.global_batch.value_or(0);
  if (s.micro_batch > 1024) {
    if (s.shape.causal && s.micro_batch >= 2000) s.sequence = 1;  // counted in tokens
    else s.micro_batch = 64 * std::max(1.0, 128 / std::max(1.0, s.sequence));  // accumulated within one call
  }
  if (starts_with(row.checkpointing, "full")) s.checkpointing = Checkpointing::kFull;
  else if (starts_with(row.checkpointing, "selective") || starts_with(row.checkpointing, "minimal")) s.checkpointing = Checkpointing::kSelective;
  s.checkpointing_stated = s.checkpointing != Checkpointing::kNone || row.checkpointing == "none";
  s.checkpoints_offloaded = contains(row.checkpointing, "offload");
  const bool eight_bit = contains(row.optimizer, "8bit") || contains(row.optimizer, "8-bit") || contains(row.optimizer, "4bit");
  s.moment_bytes = contains(row.optimizer, "adafactor") ? 0.1 : eight_bit ? 2 : 8;
  s.paged = contains(row.optimizer, "paged");
  // FSDP stacks keep the shards in FP32; scripts around transformers train the weights as they are, and LitGPT's
  // "true" precision holds gradients and moments in 16 bits as well.
  s.wide_shards = !s.trains_adapters && (s.engine == "torchtitan" || s.engine == "llm-foundry" || s.engine == "fms-fsdp");
  s.master_copy = !(s.engine == "hf" || s.engine == "unsloth" || s.engine == "axolotl" || s.engine == "ms-swift");
  if (contains(row.precision, "true")) {
    s.master_copy = false;
    s.moment_bytes = std::min(s.moment_bytes, 4.0);
  }
  s.year = row.year > 0 ? row.year : 2024.5;
  // MLPerf says neither layout nor micro-batch: as many GPUs share a copy as its weights need, or as the batch leaves over.
  if (row.metric == "wall_hours") {
    const double room = s.gpu->memory_gib_usable.value_or(s.gpu->memory_gb.value_or(0)) * 1073741824.0;
    const double need = s.method == Method::kLora ? s.shape.parameters * 2.2 / (room * 0.75) : s.shape.parameters * 4 / (room * 0.7);
    double share = 1;
    while (share < need && share < s.gpus) share *= 2;
    while (s.gpus / share > s.global_batch && share < s.gpus) share *= 2;
    s.tensor = std::min(share, 8.0);
    s.pipeline = share <= 64 ? std::max(1.0, std::floor(share / 8)) : 8;
    s.context = std::max(1.0, std::floor(share / (s.tensor * s.pipeline)));
    const double copies = std::max(1.0, std::floor(s.gpus / (s.tensor * s.pipeline * s.context)));
    double most = 1;
    if (s.sequence <= 0) s.sequence = 512;
    while (most * 2 * s.sequence <= 8192) most *= 2;
    s.micro_batch = std::max(1.0, std::min(s.global_batch / copies, most));
  }
  complete(s);
  return s;
}

}  // namespace whichgpu::training
