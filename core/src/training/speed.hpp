#pragma once
#include <array>
#include <optional>
#include <string>

#include "training/setup.hpp"

/// How long one step of language-model training takes.
///
///   micro step = soft maximum of (matrix products + attention + element-wise passes + dequantisation), of the time that
///                launching the kernels takes, and of the weight gathering of full sharding
///                + tensor-parallel and expert exchange
///   step       = micro steps · (1 + pipeline bubble) + gradient exchange + optimizer + offload traffic
///
/// Units: seconds, FLOP, bytes. Holds: dense and mixture-of-experts transformers, full, LoRA and QLoRA training, and the
/// forward pass alone; reinforcement learning is the training step times a fitted factor for generation.
/// FLOPs per token and weight: 2 forward, 2 for the inputs' gradients, 2 for the weights' gradients (none for frozen
/// weights), 2 more forward when activations are recomputed (Korthikanti et al. 2022, arXiv 2205.05198).
namespace whichgpu::training {

enum class RateMetric { kTokensPerS, kTokensPerSPerGpu, kTflopsPerGpu, kMfuPercent, kSamplesPerS, kStepSeconds, kStepsPerS, kHoursToTarget };

struct SpeedFeatures {
  RateMetric metric = RateMetric::kTokensPerS;
  double tokens = 0;              ///< of one micro step over all data-parallel copies
  double gpus = 1, sequence = 0;
  double passes = 3, attention_passes = 3.5;
  double work_tokens = 0;         ///< tokens of whole-model work per GPU in a micro step
  double dense_flops = 0, head_flops = 0, expert_flops = 0, attention_flops = 0;  ///< forward, per token
  double peak = 0, half_peak = 0, most_of_peak = 1, bytes_per_s = 0;
  double element_bytes = 0, score_bytes = 0;  ///< per token, already times the passes
  double weight_read_s = 0, dequantise_s = 0, gather_s = 0, gradient_s = 0, tensor_s = 0, expert_s = 0, optimizer_s = 0, offload_s = 0, renormalise_s = 0;
  double layer_passes = 0;        ///< layers on this GPU times passes
  double bubble = 0, accumulation = 1, walk = 1;  ///< walk: GPUs that one batch visits in turn
  double expert_years = 0;        ///< since 2026, within the time that measurements cover
  double doublings = 0;           ///< of the GPU count above one node of eight
  double reported_flops = 0;      ///< per token, as the source's TFLOP/s or MFU counts them
  double useful_flops = 0;        ///< per token, what the method needs without recomputation
  double step_tokens_factor = 1;  ///< sequences per reported step
  double report_share = 1;        ///< of the whole, that the reported samples cover
  double batch_ratio = 1;         ///< global batch over the benchmark's reference batch
  bool unpadded = false;          ///< sequences as long as the data, at most `sequence`
  bool reinforcement = false, moe = false;
  Keys keys;
  bool with_names = false;
  std::array<std::string, kMaxLevels> key_names;  ///< the keys as text, for the fit
};

struct SpeedParts {  ///< seconds of one micro step; they add up to `total`
  double products = 0, attention = 0, elements = 0, dequantise = 0, launches = 0, gather = 0, tensor = 0, expert = 0, bubble = 0,
         gradients = 0, optimizer = 0, offload = 0, renormalise = 0, scale = 0, generation = 0, total = 0, length = 0;
};

const DomainSpec& speed_spec();
/// `with_names` also fills the text of the keys, which only the fit needs.
SpeedFeatures speed_features(const Setup& setup, bool with_names = false);
SpeedParts speed_parts(const SpeedFeatures& features, CoefficientView coefficient);
/// Log of the quantity that `features.metric` names, in its unit.
double speed_log(const SpeedFeatures& features, CoefficientView coefficient);
/// How near the measurements behind an estimate are: of this GPU, of its generation, or of others.
enum class SpeedEvidence { kSame, kNear, kFar };
SpeedEvidence speed_evidence(const DomainCalibration& calibration, const SpeedFeatures& features);
/// Whether the work to a benchmark's quality was fitted on some run.
bool benchmark_known(const DomainCalibration& calibration, const SpeedFeatures& features);
std::optional<SpeedFeatures> speed_row_features(const Conditions& row, std::string& why_not, bool with_names = false);

}  // namespace whichgpu::training
