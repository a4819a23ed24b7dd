#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "training/plan.hpp"
#include "whichgpu/domain.hpp"
#include "whichgpu/estimate.hpp"
#include "whichgpu/units.hpp"

namespace whichgpu {
namespace {

using namespace training;

constexpr double kTight = kReachableShare * 0.95;  // under 5 % of what a run can reach is free

std::string number(double v) { return format_number(v, 4); }

/// What saving and failing cost a run.
struct Upkeep {
  double checkpoint_gib = 0;    ///< all that a restart needs
  double every_h = 0, count = 1;
  double restarts = 0;          ///< expected
  double share = 0;             ///< of the working time, on top
};

// 419 unexpected interruptions in 54 days on 16,384 H100 (Llama 3 herd of models, arXiv 2407.21783, section 3.3.4).
constexpr double kGpuHoursPerFailure = 54.0 * 24 * 16384 / 419;
constexpr double kRestartHours = 0.25;            // finding the fault, a spare node, loading; the same run lost under 10 % to all of it
constexpr double kCheckpointBytesPerSecond = 2e9; // a node's share of a fast file system, or one NVMe disk

/// Checkpoints at the interval that loses least, sqrt(2 x time to save x time between failures) (Young 1974), and the
/// weights at the end; a failure loses half an interval and a restart.
Upkeep upkeep_of(const Setup& s, double working_h) {
  Upkeep u;
  const MemoryFeatures adapters = memory_features(s);
  const double bytes = s.trains_adapters ? adapters.states_gib * kBytesPerGib : s.shape.parameters * (2 + (s.master_copy ? 4 : 0) + s.moment_bytes);
  u.checkpoint_gib = bytes / kBytesPerGib;
  const double save_h = bytes / (kCheckpointBytesPerSecond * s.nodes) / 3600;
  const double between_h = kGpuHoursPerFailure / s.gpus;
  u.every_h = std::min(working_h, std::max(save_h, std::sqrt(2 * save_h * between_h)));
  if (!(u.every_h > 0)) return u;
  u.count = std::floor(working_h / u.every_h + 0.999999);
  // At the end only the weights in 16 bits are kept.
  const double last_h = (s.trains_adapters ? bytes : 2 * s.shape.parameters) / (kCheckpointBytesPerSecond * s.nodes) / 3600;
  u.share = ((u.count - 1) * save_h + last_h) / working_h + (kRestartHours + u.every_h / 2) / between_h;
  u.restarts = working_h / between_h;
  return u;
}

/// Micro-batch that still fits with everything else as planned.
double largest_micro_batch(Setup s, const Calibration& calibration, double capacity) {
  const DomainCalibration& memory = calibration.domain(memory_spec().name);
  const auto fits = [&](double micro) {
    s.micro_batch = micro;
    const MemoryFeatures f = memory_features(s);
    return memory_parts(f, memory.resolve(memory_spec(), f.keys).value).total <= capacity;
  };
  if (!fits(1)) return 0;
  double low = 1, high = 2;
  while (high < 1e6 && fits(high)) { low = high; high *= 2; }
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

/// Fewest GPUs of this kind, in whole nodes of eight beyond one node, for which some plan fits; nullopt beyond 4,096.
Figure smallest_count(Wishes w, const Calibration& calibration) {
  const double batch = w.setup.global_batch;
  for (double count = 1; count <= 4096; count *= 2) {
    w.setup.gpus = count;
    w.setup.nodes = std::max(1.0, count / 8);
    w.setup.global_batch = std::max(batch, count);
    w.setup.sharding = count > 1 ? Sharding::kEverything : Sharding::kSingle;
    w.sharding_open = false;
    w.degrees_open = true;
    w.checkpointing_open = false;
    w.setup.checkpointing = Checkpointing::kFull;
    w.setup.micro_batch = 1;
    if (choose_plan(w, calibration).fits) return count;
  }
  return std::nullopt;
}

/// The terms that the page explains; a ranking does without.
void explain_memory(const Setup& s, const MemoryParts& parts, MemoryEstimate& memory) {
  const auto add = [&](const char* name, double gib, std::string formula) {
    if (gib > 0) memory.terms.push_back({name, gib, "GiB", std::move(formula)});
  };
  const Shape& m = s.shape;
  const std::string tokens = number(s.micro_batch) + " x " + number(s.sequence) + " tokens";
  add("weights", parts.weights, number(m.parameters) + " parameters in " + (s.store == Store::kFour ? "4 bits" : s.wide_weights ? "32 bits" : "16 bits") + " over " + number(s.tensor * s.pipeline * (s.sharding == Sharding::kEverything ? s.data : 1)) + " GPUs");
  add(s.trains_adapters ? "adapters" : "gradients_and_optimizer", parts.states, s.trains_adapters ? "rank " + number(s.adapter_rank) + ", gradients and optimizer states included" : "gradients, " + std::string(s.master_copy ? "FP32 copy and " : "") + number(s.moment_bytes) + " bytes of moments a weight, sharding " + to_word(s.sharding));
  add("activations", parts.activations, tokens + ", " + number(m.layers / s.pipeline) + " layers, recomputation " + to_word(s.checkpointing));
  add("working_set", parts.working, tokens + ": one layer's activations or logits over " + number(m.vocabulary) + " words");
  add("attention_scores", parts.scores, number(m.heads / s.tensor) + " heads x " + number(s.sequence) + "^2");
  add("generation_cache", parts.generation, "keys and values of the answers being sampled, beyond what training needs");
  add("gathered_weights", parts.gathered, "one layer's weights gathered from all shards");
  add("runtime", parts.constant, "context, kernels and libraries");
  add("fragmentation", parts.fragmentation, "share of everything above");
}

void fill_memory(const Question& q, const Wishes& w, const Plan& plan, MemoryEstimate& memory) {
  const DomainCalibration& calibration = q.catalog->calibration.domain(memory_spec().name);
  const MemoryFeatures f = memory_features(plan.setup);
  const Coefficients c = calibration.resolve(memory_spec(), f.keys);
  const Predicted p = predict_with_interval(calibration, memory_spec(), f.keys, c, [&](CoefficientView v) { return memory_need_log(f, v); });
  memory.per_gpu_gib = Quantity::between(p.value, p.p10, p.p90, "GiB");
  memory.capacity_gib = w.capacity_gib;
  const Setup& s = plan.setup;
  const Shape& m = s.shape;
  if (q.explain) explain_memory(s, memory_parts(f, c.value), memory);
  if (w.capacity_gib <= 0) memory.verdict = Verdict::kUnknown;
  else if (p.value > kReachableShare * w.capacity_gib) memory.verdict = Verdict::kDoesNotFit;
  else if (s.offload || s.paged_out) memory.verdict = Verdict::kOffload;
  else memory.verdict = p.value > kTight * w.capacity_gib ? Verdict::kTight : Verdict::kFits;
  if (s.offload) memory.offloaded_gib = (m.parameters * (s.trains_adapters ? 0 : 16) + (s.sharding == Sharding::kEverything ? m.parameters * 2 : 0)) / kBytesPerGib / s.gpus;
  if (s.paged_out) memory.offloaded_gib = (s.trains_adapters ? 0 : m.parameters * s.moment_bytes) / kBytesPerGib / s.gpus;
  if (w.capacity_gib > 0) {
    if (q.explain) memory.max_batch = largest_micro_batch(s, q.catalog->calibration, kReachableShare * w.capacity_gib);
    if (q.explain || memory.verdict == Verdict::kDoesNotFit) memory.min_gpu_count = smallest_count(w, q.catalog->calibration);
  }
}

std::vector<std::pair<std::string, std::string>> plan_words(const Setup& s, const Scenario& sc) {
  const double step_tokens = sc.training.global_batch * s.sequence;
  const double total_tokens = sc.training.tokens * sc.training.epochs;
  const char* sharding = "none";
  if (s.sharding == Sharding::kEverything) sharding = sc.training.sharding == "zero-3" ? "zero-3" : "fsdp";
  else if (s.sharding == Sharding::kStates) sharding = s.zero_stage == 1 ? "zero-1" : "zero-2";
  std::vector<std::pair<std::string, std::string>> plan = {
      {"micro_batch", number(s.micro_batch)}, {"gradient_accumulation", number(s.accumulation)}, {"checkpointing", to_word(s.checkpointing)},
      {"sharding", sharding}, {"tensor", number(s.tensor)}, {"pipeline", number(s.pipeline)}, {"data", number(s.data)},
      {"expert", number(s.expert)}, {"offload", s.offload ? "optimizer" : s.paged_out ? "paged moments" : "none"},
      {"steps", format_number(std::floor(total_tokens / step_tokens + 0.999999), 12)}};
  if (s.method == Method::kPretrain) plan.emplace_back("compute_optimal_tokens", format_number(kComputeOptimalTokens * s.shape.parameters, 4));
  return plan;
}

/// Tokens/s of a plan.
Predicted rate_of(const Question& q, const SpeedFeatures& f, const Coefficients& c) {
  return predict_with_interval(q.catalog->calibration.domain(speed_spec().name), speed_spec(), f.keys, c, [&](CoefficientView v) { return speed_log(f, v); });
}

/// Working time, saving and restarts.
Quantity hours_of(const Scenario& sc, const Setup& s, const Predicted& rate) {
  const double tokens = sc.training.tokens * sc.training.epochs;
  const auto whole = [&](double tokens_per_s) {
    const double working_h = tokens / tokens_per_s / 3600;
    return working_h * (1 + upkeep_of(s, working_h).share);
  };
  return Quantity::between(whole(rate.value), whole(rate.p90), whole(rate.p10), "h");
}

}  // namespace

std::optional<Quantity> training_hours(const Question& q) {
  if (!q.model || !shape_of(*q.model) || half_flops(*q.gpu) <= 0 || !q.gpu->bandwidth_gb_per_s) return std::nullopt;
  const Wishes wishes = wishes_of(q);
  const Plan plan = choose_plan(wishes, q.catalog->calibration);
  if (!(wishes.capacity_gib > 0) || plan.need_gib > kReachableShare * wishes.capacity_gib) return std::nullopt;
  const SpeedFeatures f = speed_features(plan.setup);
  return hours_of(q.scenario, plan.setup, rate_of(q, f, q.catalog->calibration.domain(speed_spec().name).resolve(speed_spec(), f.keys)));
}

TrainingEstimate estimate_training(const Question& q, MemoryEstimate& memory, std::vector<Warning>& warnings) {
  TrainingEstimate out;
  const Scenario& sc = q.scenario;
  const Gpu& gpu = *q.gpu;
  if (!shape_of(*q.model)) {
    warnings.push_back({"missing-data", "The layers of " + q.model->id + " are not known, so its training cannot be estimated."});
    return out;
  }
  if (half_flops(gpu) <= 0 || !gpu.bandwidth_gb_per_s) {
    warnings.push_back({"missing-data", "The rate or the memory bandwidth of " + gpu.name + " is not known."});
    return out;
  }
  const Wishes wishes = wishes_of(q);
  const Plan plan = choose_plan(wishes, q.catalog->calibration);
  const Setup& s = plan.setup;
  fill_memory(q, wishes, plan, memory);

  const DomainCalibration& calibration = q.catalog->calibration.domain(speed_spec().name);
  const SpeedFeatures f = speed_features(s);
  const Coefficients coefficients = calibration.resolve(speed_spec(), f.keys);
  const Predicted rate = rate_of(q, f, coefficients);
  const SpeedParts parts = speed_parts(f, coefficients.value);
  const double micro_steps = s.accumulation;
  const double step_tokens = sc.training.global_batch * s.sequence;
  const double useful = f.useful_flops / f.gpus / f.peak;
  // No speed for a run that cannot be: when even the lower end of the need is above the card.
  if (memory.verdict == Verdict::kDoesNotFit && memory.per_gpu_gib.p10 > wishes.capacity_gib) {
    out.bound_by = Bound::kCapacity;
    out.plan = plan_words(s, sc);
    return out;
  }
  out.tokens_per_s = Quantity::between(rate.value, rate.p10, rate.p90, "tokens/s");
  out.mfu = Quantity::between(rate.value * useful, rate.p10 * useful, rate.p90 * useful, "");
  out.step_s = Quantity::between(step_tokens / rate.value, step_tokens / rate.p90, step_tokens / rate.p10, "s");
  out.hours = hours_of(sc, s, rate);
  out.gpu_hours = Quantity::between(out.hours->value * s.gpus, out.hours->p10 * s.gpus, out.hours->p90 * s.gpus, "GPU h");

  if (q.explain) {
    const auto add = [&](const char* name, double seconds, std::string formula) {
      if (seconds > 0) out.terms.push_back({name, seconds * micro_steps, "s", std::move(formula)});
    };
    const std::string each = number(micro_steps) + " micro steps of " + number(f.tokens) + " tokens";
    add("matrix_products", parts.products, each + ", " + number(f.passes) + " passes of " + number(f.dense_flops + f.expert_flops + f.head_flops) + " FLOP a token, peak " + number(f.peak / 1e12) + " TFLOP/s");
    add("attention", parts.attention, number(f.attention_flops) + " FLOP a token and pass");
    add("elementwise", parts.elements, number(f.element_bytes) + " bytes a token at " + number(f.bytes_per_s / 1e9) + " GB/s");
    add("dequantization", parts.dequantise, "4-bit weights unpacked in every pass");
    add("kernel_launches", parts.launches, "not hidden behind the kernels");
    add("weight_gathering", parts.gather, "not hidden behind the kernels");
    add("tensor_parallel_exchange", parts.tensor, number(s.tensor) + " GPUs");
    add("expert_exchange", parts.expert, number(s.expert) + " GPUs");
    add("pipeline_bubble", parts.bubble, number(s.pipeline) + " stages, " + number(s.accumulation) + " micro-batches");
    add("gradient_exchange", parts.gradients, number(s.data) + " copies");
    add("optimizer", parts.optimizer, "states read and written once a step");
    add("offload", parts.offload, "over PCIe and in host memory");
    add("renormalisation", parts.renormalise, "DoRA's norms of the merged weights");
    add("generation", parts.generation, "sampling answers");
    add("stragglers", parts.scale, number(s.gpus) + " GPUs");
  }
  const double compute = parts.products + parts.attention;
  const double bandwidth = parts.elements + parts.dequantise + parts.optimizer + parts.renormalise;
  const double exchange = parts.gather + parts.tensor + parts.expert + parts.gradients + parts.offload + parts.scale;
  const double overhead = parts.launches + parts.bubble + parts.generation;
  const double most = std::max({compute, bandwidth, exchange, overhead});
  out.bound_by = most == compute ? Bound::kCompute : most == bandwidth ? Bound::kBandwidth : most == exchange ? Bound::kInterconnect : Bound::kOverhead;
  if (memory.verdict == Verdict::kDoesNotFit) out.bound_by = Bound::kCapacity;
  const SpeedEvidence seen = speed_evidence(calibration, f);
  out.distance = seen == SpeedEvidence::kSame ? "same" : seen == SpeedEvidence::kNear ? "near" : "far";

  out.plan = plan_words(s, sc);
  const Upkeep upkeep = upkeep_of(s, sc.training.tokens * sc.training.epochs / rate.value / 3600);
  out.plan.emplace_back("checkpoint_gib", number(upkeep.checkpoint_gib));
  out.plan.emplace_back("checkpoint_every_h", number(upkeep.every_h));
  out.plan.emplace_back("checkpoints", format_number(upkeep.count, 12));
  out.plan.emplace_back("expected_restarts", number(upkeep.restarts));
  out.plan.emplace_back("saving_and_restarts_share", number(upkeep.share));
  if (s.data * s.micro_batch > sc.training.global_batch * 1.000001)
    warnings.push_back({"batch-below-gpus", "The global batch of " + number(sc.training.global_batch) + " sequences is smaller than one micro-batch on each of " + number(s.data) + " copies of the model."});
  if (contains(sc.training.method, "dora")) warnings.push_back({"approximated", "DoRA is LoRA with the merged weights' norms taken in every forward pass; no measurement of it is known."});
  if (sc.training.precision == "fp8" && s.arithmetic != Arithmetic::kFp8) warnings.push_back({"no-fp8", gpu.name + " has no faster FP8 path; the estimate uses 16-bit arithmetic."});
  if (s.method == Method::kReinforcement) warnings.push_back({"approximated", "Reinforcement learning: the time for generating answers varies with their length and engine."});
  if (out.distance[0] == 'f') warnings.push_back({"extrapolated", "No training measurement of this GPU's generation is known; the estimate is extrapolated from others."});
  return out;
}

}  // namespace whichgpu
