#include "training/plan.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "whichgpu/domain.hpp"
#include "whichgpu/units.hpp"

namespace whichgpu::training {
namespace {

constexpr double kComfort = 0.82;        // share of the card that a chosen plan may fill: the estimate itself is uncertain
constexpr double kLargestMicroBatch = 512;
constexpr double kLargestExpertGroup = 64;  // as the published large runs have it
constexpr double kSimplicity = 0.95;       // a plan with tensor or pipeline parallelism must be 5 % faster to be preferred

double year_of(std::string_view date) {
  if (date.size() < 7) return 2025;
  return to_number(date.substr(0, 4)).value_or(2025) + (to_number(date.substr(5, 2)).value_or(6.5) - 0.5) / 12;
}

/// Bytes of optimizer state per trained weight.
double moment_bytes(std::string_view optimizer) {
  if (optimizer == "adafactor") return 0.1;                                // row and column means instead of a full moment
  if (optimizer == "adamw-8bit" || optimizer == "paged-adamw-8bit") return 2;
  if (optimizer == "lion" || optimizer == "muon" || optimizer == "sgd-momentum") return 4;  // one moment in FP32
  if (optimizer == "lion-8bit") return 1;
  if (optimizer == "galore") return 2;                                     // moments in a quarter of the rank (Zhao et al. 2024, arXiv 2403.03507)
  if (optimizer == "sgd") return 0;
  return 8;
}

struct Rated { Setup setup; double need = 0, tokens_per_s = 0; };

class Rater {
 public:
  explicit Rater(const Calibration& calibration) : speed_(calibration.domain(speed_spec().name)), memory_(calibration.domain(memory_spec().name)) {}
  double need(const Setup& s) {
    const MemoryFeatures f = memory_features(s);
    return memory_parts(f, memory_.at(memory_spec(), f.keys)).total;
  }
  double tokens_per_s(const Setup& s) {
    const SpeedFeatures f = speed_features(s);
    return exp(speed_log(f, speed_.at(speed_spec(), f.keys)));
  }

 private:
  /// Candidates of one search mostly have the keys of the one before.
  struct Resolved {
    explicit Resolved(const DomainCalibration& c) : calibration(c) {}
    const DomainCalibration& calibration;
    bool known = false;
    Keys keys;
    Coefficients coefficients;
    Remembered remembered;
    CoefficientView at(const DomainSpec& spec, const Keys& wanted) {
      if (!known || !std::equal(std::begin(keys.at), std::end(keys.at), wanted.at)) {
        coefficients = calibration.resolve(spec, wanted);
        keys = wanted;
        known = true;
      }
      remembered.restart(Remembered::Kind::kRecord);
      return {coefficients.value, &remembered};
    }
  };
  Resolved speed_, memory_;
};

/// Completes a candidate; false when its degrees do not divide the GPUs or the batch is too small for them.
bool place(Setup& s, const Wishes& w) {
  const double global_batch = w.setup.global_batch;
  const double share = s.tensor * s.pipeline * s.context;
  const double data = s.gpus / share;
  if (data < 1 || std::floor(data) != data || (w.data > 0 && data != w.data)) return false;
  s.data = s.shard_group = data;
  s.expert = std::max(1.0, w.setup.expert);
  if (s.expert > data * s.tensor) return false;
  if (s.shape.moe && w.setup.expert == 0)
    while (s.expert * 2 <= std::min({data * s.tensor, s.shape.experts, kLargestExpertGroup})) s.expert *= 2;
  const double own = global_batch / data;  // sequences per copy and step
  if (own < 1) return false;
  s.micro_batch = std::min(s.micro_batch, std::floor(own));
  s.accumulation = std::max(1.0, own / s.micro_batch);
  s.global_batch = global_batch;
  return true;
}

}  // namespace

Setup setup_of(const Question& q) {
  const Scenario& sc = q.scenario;
  const Scenario::Training& t = sc.training;
  Setup s;
  s.gpu = q.gpu;
  if (const auto shape = shape_of(*q.model)) s.shape = *shape;
  const std::string& m = t.method;
  const bool pretrain = sc.workload == Workload::kPretrain;
  const bool quantised = starts_with(m, "qlora") || m == "qdora";
  s.trains_adapters = !pretrain && (contains(m, "lora") || contains(m, "dora"));
  if (pretrain) s.method = Method::kPretrain;
  else if (contains(m, "grpo")) s.method = Method::kReinforcement;
  else if (quantised) s.method = Method::kQlora;
  else s.method = s.trains_adapters ? Method::kLora : Method::kFull;
  if (quantised) s.store = Store::kFour;
  s.engine = engine_family(sc.engine.empty() ? (pretrain ? "" : "transformers") : sc.engine);
  s.engine_class = s.engine == "other" ? (pretrain ? "fsdp" : "hf") : engine_class(s.engine);
  if (t.precision == "fp32") s.arithmetic = Arithmetic::kFp32;
  else if (t.precision == "tf32") s.arithmetic = q.gpu->tf32_tensor_tflops ? Arithmetic::kTf32 : Arithmetic::kFp32;
  else if (t.precision == "fp8" && peak_flops(*q.gpu, Arithmetic::kFp8) > half_flops(*q.gpu)) s.arithmetic = Arithmetic::kFp8;
  s.wide_weights = t.precision == "fp32" || t.precision == "tf32";
  s.master_copy = contains(t.precision, "mixed") || t.precision == "fp8";
  s.moment_bytes = moment_bytes(t.optimizer);
  s.paged = starts_with(t.optimizer, "paged");
  if (t.precision == "bf16" || t.precision == "fp16") s.moment_bytes = std::min(s.moment_bytes, 4.0);  // states in 16 bits too
  s.renormalised = contains(m, "dora");
  if (contains(m, "dpo")) {
    s.extra_forward = 1;  // the reference model's forward pass
    s.reference_copy = s.pairs = true;
  }
  // The measured cost of generating holds the reference model's pass too.
  if (contains(m, "grpo")) s.reference_copy = true;
  s.adapter_rank = t.lora_rank;
  s.gpus = sc.gpu_count;
  s.nodes = sc.nodes;
  s.sequence = t.sequence_tokens;
  s.sequence_known = true;
  s.micro_batch = t.micro_batch;
  s.global_batch = t.global_batch;
  s.tensor = sc.parallelism.tensor;
  s.pipeline = sc.parallelism.pipeline;
  s.expert = sc.parallelism.expert;
  s.context = 1;
  s.year = year_of(sc.as_of);
  s.pcie_gb_per_s = sc.host.pcie_gb_per_s;
  s.checkpointing = t.checkpointing == "full" ? Checkpointing::kFull : t.checkpointing == "selective" ? Checkpointing::kSelective : Checkpointing::kNone;
  s.checkpointing_stated = true;
  if (t.sharding == "zero-1" || t.sharding == "zero-2") s.sharding = Sharding::kStates;
  else if (t.sharding == "zero-3" || t.sharding == "fsdp") s.sharding = Sharding::kEverything;
  else s.sharding = Sharding::kReplicate;
  if (t.sharding == "zero-1") s.zero_stage = 1;
  if (s.gpus <= 1) s.sharding = Sharding::kSingle;
  return s;
}

Wishes wishes_of(const Question& q) {
  Wishes w;
  w.setup = setup_of(q);
  w.sharding_open = q.scenario.training.sharding == "auto" && w.setup.gpus > 1;
  w.checkpointing_open = q.scenario.training.checkpointing.empty();
  w.degrees_open = q.scenario.parallelism.tensor == 0 && q.scenario.parallelism.pipeline == 0;
  w.data = q.scenario.parallelism.data;
  w.offload_allowed = q.scenario.offload == OffloadKind::kOptimizer || q.scenario.offload == OffloadKind::kCpu;
  w.capacity_gib = std::max(0.0, usable_gib(*q.gpu) - q.scenario.host.vram_reserved_gib);
  return w;
}

Plan choose_plan(const Wishes& w, const Calibration& calibration) {
  Rater rater(calibration);
  const Setup& given = w.setup;
  const double within = std::max(1.0, std::floor(given.gpus / given.nodes));
  const double largest = given.micro_batch > 0 ? given.micro_batch : std::min(kLargestMicroBatch, given.global_batch);

  const double least = given.pairs ? std::min(2.0, given.global_batch) : 1;

  std::vector<std::pair<double, double>> degrees;  // tensor, pipeline
  if (w.degrees_open && w.data > 0) {
    const double rest = given.gpus / w.data;
    for (double tensor = 1; tensor <= std::min(within, rest); tensor *= 2)
      if (std::floor(rest / tensor) == rest / tensor) degrees.emplace_back(tensor, rest / tensor);
  } else if (w.degrees_open) {
    // Tensor parallelism stays within a node; adapters and small models gain nothing from either.
    degrees.emplace_back(1, 1);
    if (!given.trains_adapters || given.shape.parameters > 3e10)
      for (double tensor = 2; tensor <= std::min(within, 8.0); tensor *= 2) degrees.emplace_back(tensor, 1);
    if (given.nodes > 1 && !given.trains_adapters)
      for (double pipeline = 2; pipeline <= 16; pipeline *= 2)
        for (const double tensor : {1.0, 4.0, 8.0})
          if (tensor <= within && given.shape.layers >= pipeline) degrees.emplace_back(tensor, pipeline);
  } else {
    degrees.emplace_back(std::max(1.0, given.tensor), std::max(1.0, given.pipeline));
  }
  std::vector<Sharding> shardings = {given.sharding};
  if (w.sharding_open) shardings = {Sharding::kReplicate, Sharding::kStates, Sharding::kEverything};
  std::vector<Checkpointing> recomputations = {given.checkpointing};
  if (w.checkpointing_open) recomputations = {Checkpointing::kNone, Checkpointing::kSelective, Checkpointing::kFull};

  Plan best;
  bool any = false;
  const auto consider = [&](Setup s) {
    Plan p;
    p.need_gib = rater.need(s);
    p.fits = p.need_gib <= w.capacity_gib * kComfort;
    // A plan that someone fixed in every part counts as fitting as far as runs were seen to go.
    if (!p.fits && given.micro_batch > 0 && !w.sharding_open && !w.checkpointing_open) p.fits = p.need_gib <= w.capacity_gib * kReachableShare;
    if (p.fits) p.tokens_per_s = rater.tokens_per_s(s) * (s.tensor * s.pipeline > 1 ? kSimplicity : 1);
    const bool better = !any || (p.fits != best.fits ? p.fits : p.fits ? p.tokens_per_s > best.tokens_per_s : p.need_gib < best.need_gib);
    if (better) {
      p.setup = std::move(s);
      best = std::move(p);
      any = true;
    }
    return p.fits;
  };
  // States stay on the card where they fit, then page to the host where the optimizer can, then are offloaded if allowed.
  struct Place { bool paged_out, offload; };
  for (const Place where : {Place{false, false}, Place{true, false}, Place{false, true}}) {
    if ((where.paged_out || where.offload) && any && best.fits) break;
    if ((where.paged_out && !given.paged) || (where.offload && !w.offload_allowed)) continue;
    for (const auto& [tensor, pipeline] : degrees)
      for (const Sharding sharding : shardings)
        for (const Checkpointing recompute : recomputations) {
          Setup s = given;
          s.offload = where.offload;
          s.paged_out = where.paged_out;
          s.tensor = tensor;
          s.pipeline = pipeline;
          s.sharding = sharding;
          s.checkpointing = recompute;
          s.micro_batch = least;
          // Twice the batch until it no longer fits; the larger one is nearly always the faster one.
          if (given.micro_batch > 0) {
            s.micro_batch = given.micro_batch;
            if (place(s, w)) consider(s);
            continue;
          }
          Setup fitting;
          bool found = false;
          for (double micro = least; micro <= largest; micro *= 2) {
            s.micro_batch = micro;
            if (!place(s, w) || s.micro_batch < micro) break;
            if (rater.need(s) > w.capacity_gib * kComfort) break;
            fitting = s;
            found = true;
          }
          if (found) {
            consider(fitting);
            if (fitting.micro_batch > least) {
              fitting.micro_batch /= 2;
              if (place(fitting, w)) consider(fitting);
            }
          } else {
            s.micro_batch = least;
            if (place(s, w)) consider(s);
          }
        }
  }
  if (!any) {
    // The batch is smaller than the number of copies, or the degrees do not divide the GPUs: run what is asked for.
    best.setup = given;
    best.setup.tensor = std::max(1.0, given.tensor);
    best.setup.pipeline = std::max(1.0, given.pipeline);
    best.setup.expert = std::max(1.0, given.expert);
    best.setup.micro_batch = std::max(1.0, given.micro_batch);
    complete(best.setup);
    best.need_gib = rater.need(best.setup);
    best.fits = best.need_gib <= w.capacity_gib * kReachableShare;
  }
  best.tokens_per_s = rater.tokens_per_s(best.setup);
  return best;
}

}  // namespace whichgpu::training
