#pragma once
#include <array>
#include <optional>
#include <string>

#include "whichgpu/calibration.hpp"
#include "whichgpu/measurement.hpp"

/// How long a vision model takes for one batch, training or inference.
///
///   batch = images · (passes · FLOPs / (peak · efficiency) + activation bytes / (bandwidth · efficiency)) + launches
///   step  = batch · (1 + share · log2(GPUs))
///
/// The layers run one after the other, each bound by one of the two, so their times add. Convolutions with few channels,
/// depthwise and normalisation layers are bound by memory; transformers by compute. The efficiencies are fitted by
/// software, family, precision and generation.
/// Speech synthesis trains by the same formula, with a mel frame or an audio sample in the image's place.
/// Units: seconds, FLOP, bytes. Holds: whole batches on every GPU, images that arrive in time.
namespace whichgpu::vision {

enum class Metric { kImagesPerS, kStepSeconds, kHoursToTarget };

/// What is run, from a row or a scenario.
struct Setup {
  const Model* model = nullptr;
  const Gpu* gpu = nullptr;
  bool training = false;
  std::string software, precision;  ///< classes: see software_class() and precision_class()
  double area = 1;                  ///< pixels relative to the model's own resolution
  double batch = 1, gpus = 1;       ///< images per GPU and step
};

struct Features {
  Metric metric = Metric::kImagesPerS;
  double flops = 0, bytes = 0;      ///< of one image, all passes
  double peak = 0, bytes_per_s = 0, batch = 1, gpus = 1, doublings = 0;
  double batch_ratio = 1;           ///< global batch over the reference of the time-to-quality rows
  Keys keys;
  bool with_names = false;
  std::array<std::string, kMaxLevels> key_names;
};

struct Parts { double compute = 0, bandwidth = 0, launches = 0, exchange = 0, total = 0; };  ///< seconds of one step

struct MemoryFeatures {
  double states_gib = 0;       ///< weights, and gradients and optimizer states in training
  double activations_gib = 0;  ///< layer outputs of the batch
  bool training = false;
  Keys keys;
  bool with_names = false;
  std::array<std::string, kMaxLevels> key_names;
};
struct MemoryParts { double states = 0, activations = 0, runtime = 0, total = 0; };  ///< GiB

/// "timm-2.9", "ngc", "tensorrt" …: the stack that a software name stands for; "pytorch" when it names none.
std::string software_class(std::string_view lower_software);
/// "half", "tf32", "fp32", "int8", "fp8" or "not stated".
std::string precision_class(std::string_view lower_precision, const Gpu& gpu);

const DomainSpec& speed_spec();
const DomainSpec& memory_spec();
/// nullopt, with the reason, when the model's or the GPU's figures are missing.
std::optional<Features> speed_features(const Setup& setup, std::string& why_not, bool with_names = false);
Parts speed_parts(const Features& features, CoefficientView coefficient);
/// Whether the work to a benchmark's quality was fitted on some run.
bool benchmark_known(const DomainCalibration& calibration, const Features& features);
double speed_log(const Features& features, CoefficientView coefficient);
std::optional<MemoryFeatures> memory_features(const Setup& setup, std::string& why_not, bool with_names = false);
MemoryParts memory_parts(const MemoryFeatures& features, CoefficientView coefficient);

std::optional<Setup> setup_of(const Conditions& row, std::string& why_not);
std::optional<Features> speed_row_features(const Conditions& row, std::string& why_not, bool with_names = false);

}  // namespace whichgpu::vision
