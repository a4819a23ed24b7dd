#include "training/speed.hpp"

#include <algorithm>
#include <cmath>

#include "gpu/rates.hpp"
#include "whichgpu/domain.hpp"

namespace whichgpu::training {
namespace {

enum Level { kClass, kEngine, kArithmeticLevel, kGeneration, kGenerationArithmetic, kGpuLevel, kEngineArithmetic, kMethodLevel, kKind, kMethodStore, kStoreLevel, kNetwork, kBenchmark, kMetricGroup };
enum Coefficient { kProducts, kExperts, kAttention, kElements, kScores, kDequantise, kLayer, kGather, kGradients, kTensor, kExchange, kBubble, kOptimizer, kOffload, kLength, kConvention, kScale, kTarget, kTargetSlope, kGeneration_, kExpertYear, kPeakSlope };

/// Effective bytes/s between nodes per GPU where the row does not say: one 100 to 400 Gb/s port per GPU as the cloud
/// shapes of that generation have it, 100 Gb/s elsewhere.
double network_bytes_per_s(std::string_view generation) {
  if (generation == "hopper" || generation == "blackwell-dc" || generation == "cdna3" || generation == "cdna4") return 50e9;
  if (generation == "ampere-dc") return 25e9;
  if (generation == "turing") return 6e9;
  return 12.5e9;
}

/// A share of the peak: no fitted sum of effects may reach `most`.
double below_peak(double share, double most = 1) {
  const double part = share / most, square = part * part, fourth = square * square;
  return share / std::sqrt(std::sqrt(std::sqrt(1 + fourth * fourth)));
}

/// Outside the tensor cores few rows were measured, and large matrix products alone reach 0.9 at most (the matmul rows).
constexpr double kMostOfWidePeak = 0.9;

double ring_share(double members) { return members > 1 ? (members - 1) / members : 0; }

const char* store_word(Store store) { return store == Store::kFour ? "4-bit" : store == Store::kEight ? "8-bit" : ""; }

template <class Features>
void set_key(Features& f, int level, std::string_view name) {
  f.keys.at[level] = key_of(name);
  if (f.with_names) f.key_names[level] = name;
}
/// A combination of two categories; none when either does not apply.
template <class Features>
void set_key(Features& f, int level, std::string_view a, std::string_view b) {
  f.keys.at[level] = key_of(a, b);
  if (f.with_names) f.key_names[level] = f.keys.at[level] == 0 ? std::string() : std::string(a) + "|" + std::string(b);
}

}  // namespace

const DomainSpec& speed_spec() {
  // Bases and prior spreads: logarithms; what physics or the data sheets say, before any row is seen.
  static const DomainSpec spec{
      "training-speed",
      {"class", "engine", "arithmetic", "generation", "generation-arithmetic", "gpu", "engine-arithmetic", "method", "kind", "method-store", "store", "network", "benchmark", "metric-group"},
      {{"products", -0.35, 0.3,
        {{kClass, 0.2}, {kEngine, 0.14}, {kArithmeticLevel, 0.25}, {kGeneration, 0.2}, {kGenerationArithmetic, 0.12}, {kGpuLevel, 0.06}, {kEngineArithmetic, 0.12}, {kMethodLevel, 0.15}, {kKind, 0.2}, {kMethodStore, 0.15}}},
       {"experts", -0.7, 0.5, {{kClass, 0.2}, {kEngine, 0.14}, {kGeneration, 0.2}, {kArithmeticLevel, 0.15}}},
       {"attention", -0.9, 0.5, {{kClass, 0.25}, {kEngine, 0.175}, {kGeneration, 0.2}}},
       {"elements", 0.6, 0.6, {{kClass, 0.35}, {kEngine, 0.245}, {kArithmeticLevel, 0.2}, {kKind, 0.2}}},
       {"scores", -1.5, 0.7, {{kClass, 0.5}, {kEngine, 0.35}}},
       {"dequantise", 0.7, 0.7, {{kClass, 0.4}, {kEngine, 0.28}, {kStoreLevel, 0.4}}},
       {"layer", -9.43, 0.8, {{kClass, 0.5}, {kEngine, 0.35}, {kKind, 0.4}, {kStoreLevel, 0.4}}},
       {"gather", -0.5, 0.7, {{kClass, 0.4}, {kEngine, 0.28}, {kNetwork, 0.5}}},
       {"gradients", -0.5, 0.7, {{kClass, 0.4}, {kEngine, 0.28}, {kNetwork, 0.5}}},
       {"tensor", -0.5, 0.5, {{kClass, 0.4}, {kEngine, 0.28}}},
       {"exchange", 0.0, 0.7, {{kClass, 0.4}, {kEngine, 0.28}, {kGeneration, 0.3}}},
       {"bubble", -0.3, 0.5, {{kClass, 0.4}, {kEngine, 0.28}}},
       {"optimizer", 0.2, 0.5, {{kClass, 0.4}, {kEngine, 0.28}}},
       {"offload", 0.3, 0.7, {{kClass, 0.6}, {kEngine, 0.42}}},
       {"length", 6.21, 1.0, {{kEngine, 1.0}}},
       {"convention", 0.0, 0.03, {{kClass, 0.1}, {kEngine, 0.07}}},
       {"scale", -2.2, 0.7, {{kClass, 0.05}, {kEngine, 0.035}}},
       {"target", 21.8, 2.0, {{kBenchmark, 3.0}}},
       {"target-slope", 0.25, 0.3, {{kBenchmark, 0.3}}},
       {"generation", 1.5, 0.8, {{kEngine, 0.8}}},
       {"expert-year", 0.1, 0.3, {}},
       {"peak-slope", 0.15, 0.15, {}}},
      {kMetricGroup, kClass, kEngine}};
  return spec;
}

SpeedFeatures speed_features(const Setup& s, bool with_names) {
  const Shape& m = s.shape;
  const Gpu& gpu = *s.gpu;
  SpeedFeatures f;
  f.with_names = with_names;
  const bool adapters = s.method == Method::kLora || s.method == Method::kQlora;
  const bool recompute = s.checkpointing == Checkpointing::kFull;
  // Forward, and the gradients of inputs and weights; frozen weights need no gradient.
  const double base = s.method == Method::kInference ? 1 : adapters ? 2 : 3;
  // Selective recomputation repeats only the cheap part of a layer (Korthikanti et al.: 2.7 % of the FLOPs; more in
  // the per-operation form of FSDP stacks).
  const double repeated = s.method == Method::kInference ? 0 : recompute ? 1 : s.checkpointing == Checkpointing::kSelective ? 0.15 : 0;
  f.passes = base + repeated + s.extra_forward;
  // FlashAttention's backward pass does 2.5 times the forward's products (Dao 2023, arXiv 2307.08691).
  f.attention_passes = (s.method == Method::kInference ? 1 : 3.5) + (recompute ? 1 : 0) + s.extra_forward;
  const double share = s.tensor * s.pipeline * s.context;
  f.gpus = s.gpus;
  f.sequence = s.sequence;
  f.tokens = s.micro_batch * s.sequence * s.data;
  f.work_tokens = s.micro_batch * s.sequence / share;
  f.dense_flops = 2 * m.dense_matmul;
  f.head_flops = 2 * m.head_matmul;
  f.expert_flops = 2 * m.expert_matmul;
  const double reach = s.sequence * (m.causal ? 0.5 : 1);
  const double window = m.window > 0 ? std::min(s.sequence, m.window) : s.sequence;
  f.attention_flops = 4 * m.attention_width * (m.full_attention_layers * reach + m.sliding_layers * std::min(reach, window));
  f.peak = peak_flops(gpu, s.arithmetic);
  const bool wide = s.arithmetic == Arithmetic::kTf32 || s.arithmetic == Arithmetic::kFp32;
  f.most_of_peak = wide ? kMostOfWidePeak : 1;
  f.half_peak = wide ? f.peak : half_flops(gpu);
  f.bytes_per_s = gpu.bandwidth_gb_per_s.value_or(0) * 1e9;
  const double element = wide ? 4 : 2;
  f.element_bytes = m.layers * (16 * m.hidden + (m.gated ? 6 : 4) * m.ffn_active) * element * (f.passes / 3) + m.vocabulary * 8 * (m.causal ? 1 : 0.15);
  f.score_bytes = m.layers * m.heads * s.sequence * element * 6 * (f.passes / 3);
  const double bits_bytes = s.store == Store::kFour ? 0.5625 : s.store == Store::kEight ? 1.0 : element;
  const bool whole = !s.trains_adapters;
  const double trained = whole && s.method != Method::kInference ? m.parameters : 0.005 * m.parameters;
  double local = m.parameters / (s.tensor * s.pipeline);
  double trained_local = trained / (s.tensor * s.pipeline);
  if (m.moe && s.expert > 1) local = (m.parameters - m.expert_parameters) / (s.tensor * s.pipeline) + m.expert_parameters / (s.pipeline * std::max(s.expert, s.tensor));
  if (m.moe && whole && s.method != Method::kInference)
    trained_local = (trained - m.expert_parameters) / (s.tensor * s.pipeline) + m.expert_parameters / (s.pipeline * std::max(1.0, s.expert));
  f.weight_read_s = f.passes * local * std::max(bits_bytes, 1.0) / f.bytes_per_s * 1.25;
  f.dequantise_s = s.store == Store::kFour || s.store == Store::kEight ? m.parameters / s.pipeline * f.passes * (2 + bits_bytes) / f.bytes_per_s : 0;

  // Links: NVLink or its like within a node (72 GPUs form one domain in the rack-scale systems), PCIe otherwise, the
  // network between nodes.
  const double link = gpu.link_gb_per_s_bidirectional.value_or(0) / 2;
  const double link_max = gpu.link_max_gpus.value_or(0);
  const bool linked = link > 0 && (link_max > 2 || s.gpus <= 2);
  const double within = linked ? link * 1e9 : pcie_rate(gpu) * 0.5;
  double network = network_bytes_per_s(gpu.generation);
  double domain = link > 0 ? std::floor(s.gpus / s.nodes) : 1;
  if (link_max > 1000) { network = within; domain = s.gpus; }
  else if (link_max >= 72) domain = 72;
  const auto rate = [&](double members) { return members > domain ? network : within; };
  const bool training = s.method != Method::kInference;
  const double gradient_bytes = trained_local * (wide ? 4 : 2);
  if (s.sharding == Sharding::kEverything)
    f.gather_s = (2 * local * bits_bytes + (s.method == Method::kFull || s.method == Method::kPretrain ? gradient_bytes : 0)) * ring_share(s.data) / rate(s.data);
  else if ((s.sharding == Sharding::kReplicate || s.sharding == Sharding::kStates) && training)
    f.gradient_s = 2 * gradient_bytes * ring_share(s.data) / rate(s.data);
  f.tensor_s = (4 + 2 * repeated) * m.layers / s.pipeline * (s.micro_batch * s.sequence / s.context) * m.hidden * 2 * 2 * ring_share(s.tensor) / rate(s.tensor);
  if (m.moe)
    f.expert_s = 4 * m.expert_layers / s.pipeline * (s.micro_batch * s.sequence / s.context / s.tensor) * m.hidden * 2 * std::max(1.0, m.experts_per_token) * ring_share(s.expert) / rate(s.expert);
  f.accumulation = s.accumulation;
  if (s.sharding == Sharding::kLayers) f.walk = s.gpus;
  else if (s.pipeline > 1) f.bubble = (s.pipeline - 1) / (s.accumulation * s.interleave);
  const bool shared = s.sharding == Sharding::kEverything || s.sharding == Sharding::kStates;
  // AdamW reads and writes FP32 weights and two moments and reads the gradient: 30 bytes a weight.
  f.optimizer_s = trained / (s.tensor * s.pipeline) / (shared ? s.shard_group : 1) * 30 / s.accumulation / f.bytes_per_s;
  if (s.offload) {
    const double pcie = (s.pcie_gb_per_s > 0 ? s.pcie_gb_per_s * 1e9 : pcie_rate(gpu)) * 0.5;
    // Gradients down and weights up once a step, and the optimizer in host memory at 15 GB/s per GPU; or frozen
    // weights up in both passes.
    if (s.method == Method::kFull || s.method == Method::kPretrain) f.offload_s = (m.parameters * 4 / s.gpus / pcie + m.parameters * 20 / std::min(s.gpus, 8.0) / 15e9) / s.accumulation;
    else f.offload_s = 2 * m.parameters * bits_bytes / s.gpus / pcie;
  }
  if (s.paged_out) {
    // The moments go down and come up once a step.
    const double pcie = (s.pcie_gb_per_s > 0 ? s.pcie_gb_per_s * 1e9 : pcie_rate(gpu)) * 0.5;
    f.offload_s += 2 * trained / (s.tensor * s.pipeline) / (shared ? s.shard_group : 1) * s.moment_bytes / pcie / s.accumulation;
  }
  // DoRA, each forward pass: the merged matrix is written and read in FP32 beside the weights (Liu et al. 2024,
  // arXiv 2402.09353, section 4.3: the norm is a constant in the backward pass).
  if (s.renormalised) f.renormalise_s = (1 + repeated) * local * (bits_bytes + 8) / f.bytes_per_s;
  f.layer_passes = m.layers / s.pipeline * f.passes;
  // Grouped products grew fast from 2025 on; measured only over that time, so not carried far beyond it.
  f.expert_years = std::clamp(s.year - 2026, -0.5, 1.0);
  f.doublings = log(std::max(1.0, s.gpus / 8)) / 0.6931471805599453;
  f.useful_flops = base * (f.dense_flops + f.expert_flops + f.head_flops + f.attention_flops);
  f.reported_flops = 6 * (m.causal ? m.dense_matmul + m.expert_matmul + m.head_matmul : m.parameters) + 3 * f.attention_flops;
  f.step_tokens_factor = std::max(s.global_batch, s.micro_batch * s.data);
  f.reinforcement = s.method == Method::kReinforcement;
  f.moe = m.moe;

  const std::string& engine = s.engine;
  const char* arithmetic = to_word(s.arithmetic);
  const char* method = s.method == Method::kPretrain ? "full" : to_word(s.method);
  set_key(f, kClass, s.engine_class);
  if (engine != "other") set_key(f, kEngine, engine);
  set_key(f, kArithmeticLevel, arithmetic);
  set_key(f, kGeneration, gpu.generation);
  set_key(f, kGenerationArithmetic, gpu.generation, arithmetic);
  set_key(f, kGpuLevel, gpu.id);
  if (engine != "other") set_key(f, kEngineArithmetic, engine, arithmetic);
  set_key(f, kMethodLevel, method);
  set_key(f, kKind, m.moe ? "moe" : m.causal ? "dense" : "encoder");
  set_key(f, kMethodStore, method, store_word(s.store));
  set_key(f, kStoreLevel, store_word(s.store));
  set_key(f, kNetwork, s.data > domain ? "network" : "node", linked ? "linked" : "pcie");
  return f;
}

SpeedParts speed_parts(const SpeedFeatures& f, CoefficientView c) {
  SpeedParts p;
  double fill = 1;
  p.length = f.sequence;
  if (f.unpadded) {
    const double ratio = f.sequence / c.exp(c[kLength]);
    fill = 1 / std::sqrt(1 + ratio * ratio);
    p.length = f.sequence * fill;
  }
  const double tokens = f.work_tokens * fill;
  const double products = below_peak(c.exp(c[kProducts] - c[kPeakSlope] * c.log(f.peak / 3e14)), f.most_of_peak);
  const double dense = tokens * f.passes * (f.dense_flops / f.peak + f.head_flops / f.half_peak) / products;
  const double experts = f.expert_flops > 0 ? tokens * f.passes * f.expert_flops / (f.peak * products * below_peak(c.exp(c[kExperts] + c[kExpertYear] * f.expert_years))) : 0;
  const double multiply = dense + experts;
  p.products = std::sqrt(multiply * multiply + f.weight_read_s * f.weight_read_s);
  p.attention = tokens * f.attention_passes * f.attention_flops * fill / (f.half_peak * below_peak(c.exp(c[kAttention]), f.most_of_peak));
  p.elements = tokens * (f.element_bytes * c.exp(c[kElements]) + fill * f.score_bytes * c.exp(c[kScores])) / f.bytes_per_s;
  p.dequantise = f.dequantise_s > 0 ? f.dequantise_s * c.exp(c[kDequantise]) : 0;
  const double compute = p.products + p.attention + p.elements + p.dequantise;
  const double launches = f.layer_passes * c.exp(c[kLayer]) * (f.moe ? 1.5 : 1);
  double micro = c.soft_max(compute, launches, 3);
  p.launches = micro - compute;
  if (f.walk > 1) { p.bubble += micro * (f.walk - 1); micro *= f.walk; }
  if (f.gather_s > 0) {
    const double with_gather = c.soft_max(micro, f.gather_s * c.exp(c[kGather]), 3);
    p.gather = with_gather - micro;
    micro = with_gather;
  }
  if (f.tensor_s > 0) p.tensor = f.tensor_s * fill * c.exp(c[kTensor]);
  if (f.expert_s > 0) p.expert = f.expert_s * fill * c.exp(c[kExchange]);
  micro += p.tensor + p.expert;
  if (f.bubble > 0) { const double idle = micro * f.bubble * c.exp(c[kBubble]); p.bubble += idle; micro += idle; }
  if (f.gradient_s > 0) p.gradients = f.gradient_s * c.exp(c[kGradients]) / f.accumulation;
  p.optimizer = f.optimizer_s * c.exp(c[kOptimizer]);
  if (f.offload_s > 0) p.offload = f.offload_s * c.exp(c[kOffload]);
  p.renormalise = f.renormalise_s;
  micro += p.gradients + p.optimizer + p.offload + p.renormalise;
  if (f.reinforcement) { const double more = micro * (c.exp(c[kGeneration_]) - 1); p.generation = more; micro += more; }
  // Stragglers and slower collectives: a share per doubling beyond one node.
  p.scale = micro * 0.1 * c.exp(c[kScale]) * f.doublings;
  p.total = micro + p.scale;
  return p;
}

double speed_log(const SpeedFeatures& f, CoefficientView c) {
  const SpeedParts p = speed_parts(f, c);
  const double tokens_per_s = f.tokens * (p.length / f.sequence) / p.total;
  switch (f.metric) {
    case RateMetric::kTokensPerS: return c.log(tokens_per_s);
    case RateMetric::kTokensPerSPerGpu: return c.log(tokens_per_s / f.gpus);
    case RateMetric::kTflopsPerGpu: return c.log(tokens_per_s / f.gpus * f.reported_flops / 1e12) + c[kConvention];
    case RateMetric::kMfuPercent: return c.log(tokens_per_s / f.gpus * f.reported_flops / f.peak * 100) + c[kConvention];
    case RateMetric::kSamplesPerS: return c.log(tokens_per_s / p.length * f.report_share);
    case RateMetric::kStepSeconds: return c.log(f.step_tokens_factor * p.length / tokens_per_s);
    case RateMetric::kStepsPerS: return c.log(tokens_per_s / (f.step_tokens_factor * p.length));
    case RateMetric::kHoursToTarget: return c[kTarget] + c[kTargetSlope] * c.log(f.batch_ratio) - c.log(tokens_per_s * 3600);
  }
  return 0;
}

SpeedEvidence speed_evidence(const DomainCalibration& calibration, const SpeedFeatures& f) {
  if (calibration.rows_seen(kGpuLevel, f.keys.at[kGpuLevel]) > 0) return SpeedEvidence::kSame;
  return calibration.rows_seen(kGeneration, f.keys.at[kGeneration]) > 0 ? SpeedEvidence::kNear : SpeedEvidence::kFar;
}

bool benchmark_known(const DomainCalibration& calibration, const SpeedFeatures& f) { return calibration.rows_seen(kBenchmark, f.keys.at[kBenchmark]) > 0; }

std::optional<SpeedFeatures> speed_row_features(const Conditions& row, std::string& why_not, bool with_names) {
  struct MetricWord { const char* word; RateMetric metric; const char* group; };
  static constexpr MetricWord kMetrics[] = {
      {"tokens_s_per_gpu", RateMetric::kTokensPerSPerGpu, "rate"}, {"tokens_s_total", RateMetric::kTokensPerS, "rate"},
      {"tflops_per_gpu", RateMetric::kTflopsPerGpu, "rate"}, {"mfu_pct", RateMetric::kMfuPercent, "rate"}, {"hfu_pct", RateMetric::kMfuPercent, "rate"},
      {"samples_s", RateMetric::kSamplesPerS, "samples"}, {"step_time_s", RateMetric::kStepSeconds, "step"}, {"it_s", RateMetric::kStepsPerS, "step"},
      {"wall_hours", RateMetric::kHoursToTarget, "hours"}};
  const auto known = std::find_if(std::begin(kMetrics), std::end(kMetrics), [&](const MetricWord& m) { return row.metric == m.word; });
  if (known == std::end(kMetrics)) { why_not = "metric not modelled for language-model training"; return std::nullopt; }
  if (row.workload == "llm-infer" && known->metric != RateMetric::kSamplesPerS) { why_not = "decoding inside a training suite"; return std::nullopt; }
  // The length of a run is not a condition of the row, except for MLPerf's time to a set quality.
  const bool benchmark = known->metric == RateMetric::kHoursToTarget;
  if (benchmark && (row.precision.find("usually fp8") == std::string::npos || row.model == nullptr || !row.global_batch)) {
    why_not = "the row does not say how many tokens the run trained on";
    return std::nullopt;
  }
  const auto setup = setup_of(row, why_not);
  if (!setup) return std::nullopt;
  SpeedFeatures f = speed_features(*setup, with_names);
  if (f.peak <= 0 || f.bytes_per_s <= 0) { why_not = "the GPU's rate or bandwidth is not known"; return std::nullopt; }
  f.metric = known->metric;
  if (row.has(kPerGpu) && f.metric == RateMetric::kTokensPerS) f.metric = RateMetric::kTokensPerSPerGpu;
  if (row.has(kPerGpu) && f.metric == RateMetric::kSamplesPerS) f.report_share = 1 / f.gpus;
  const std::string& engine = setup->engine;
  const bool step = f.metric == RateMetric::kSamplesPerS || f.metric == RateMetric::kStepSeconds || f.metric == RateMetric::kStepsPerS;
  f.unpadded = row.workload == "llm-finetune" && step && setup->shape.causal;
  // LitGPT calls one micro-batch an iteration.
  if (engine == "litgpt") f.step_tokens_factor = setup->micro_batch;
  // Stacks that count the whole attention matrix although half of it is masked.
  for (const char* counts_all : {"llm-foundry", "megatron-ds", "megatron", "maxtext", "fms-fsdp", "nanotron", "litgpt", "nanogpt", "torchtitan"})
    if (engine == counts_all && setup->shape.causal) f.reported_flops += 3 * f.attention_flops;
  // Hardware FLOPs: the repeated forward pass counts too.
  const bool hardware = (engine == "megatron-ds" && setup->checkpointing == Checkpointing::kFull) || row.metric == "hfu_pct";
  if (hardware) f.reported_flops *= 4.0 / 3.0;
  if (benchmark) {
    set_key(f, kBenchmark, row.model->id, to_word(setup->method));
    // Reference batches of the MLPerf Training convergence points; only the ratio matters.
    static constexpr struct { const char* model; double batch; } kReference[] = {{"bert-large", 448}, {"llama-2-70b", 8}, {"gpt-3-175b", 2048}, {"llama-3.1-405b", 1152}, {"llama-3.1-8b", 32}};
    double reference = 256;
    for (const auto& entry : kReference) if (row.model->id == entry.model) reference = entry.batch;
    f.batch_ratio = std::max(1.0, *row.global_batch) / reference;
  }
  set_key(f, kMetricGroup, setup->method == Method::kInference ? "inference" : known->group);
  return f;
}

}  // namespace whichgpu::training
