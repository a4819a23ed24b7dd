#pragma once
#include <array>
#include <optional>
#include <string>

#include "whichgpu/calibration.hpp"
#include "whichgpu/measurement.hpp"

/// How long an image or a video takes, and how much memory.
///
///   step    = passes · images · FLOPs(tokens) / (peak · efficiency) / GPUs^share + weights / (bandwidth · 0.8) + launches
///             + streamed weights / PCIe
///   picture = steps · step + decoder FLOPs / (peak · efficiency) + text encoders and the rest + moved weights / PCIe
///   FLOPs(tokens) = native · ((1 - a) · r + a · r²),  r = tokens / native tokens, a = attention's share
///
/// Attention's share in a transformer is tokens / (tokens + 6 · width): 4·n²·w against 24·n·w² FLOPs a layer.
/// Units: seconds, FLOP, bytes. Holds: UNets and diffusion transformers at one or a few images a batch.
namespace whichgpu::generation {

enum class Metric { kStepsPerS, kImageStepsPerS, kSecondsPerImage, kImagesPerS, kStepSeconds };
enum class Offload { kNone, kModel, kSequential };

struct Setup {
  const Model* model = nullptr;
  const Gpu* gpu = nullptr;
  std::string software, precision;  ///< classes
  double width = 0, height = 0, frames = 0;  ///< 0: the model's own
  double steps = 0;                 ///< 0: not stated
  double batch = 1, gpus = 1;
  Offload offload = Offload::kNone;
  bool best_of_batches = false;     ///< the best of several batch sizes
  bool tiled = false;               ///< the decoder works in tiles
};

struct Features {
  Metric metric = Metric::kSecondsPerImage;
  double step_flops = 0, decode_flops = 0;  ///< of one image: one step with all its passes; the decoder
  double weight_bytes = 0;                  ///< read once a step and pass
  double peak = 0, bytes_per_s = 0, batch = 1, gpus = 1, steps = 1, doublings = 0;
  bool steps_stated = false;
  bool typical = false;                     ///< a user's own set-up instead of a tuned one
  double stream_s = 0, move_s = 0;          ///< offloading: weights that come over PCIe in each step, and once a picture
  Keys keys;
  bool with_names = false;
  std::array<std::string, kMaxLevels> key_names;
};

struct Parts { double compute = 0, weights = 0, launches = 0, exchange = 0, decode = 0, rest = 0, stream = 0, move = 0, step = 0, image = 0, steps = 0; };  ///< seconds; `image` is one picture of a batch, the others are of the whole batch

struct MemoryFeatures {
  double denoiser_gib = 0, encoders_gib = 0, decoder_gib = 0;  ///< weights
  double activations_gib = 0, decode_gib = 0;                  ///< of the batch: denoiser's and decoder's working set
  double capacity_gib = 0;
  Offload offload = Offload::kNone;
  Keys keys;
  bool with_names = false;
  std::array<std::string, kMaxLevels> key_names;
};
struct MemoryParts { double denoiser = 0, encoders = 0, decoder = 0, activations = 0, runtime = 0, total = 0; };  ///< GiB

std::string software_class(std::string_view lower_software);
std::string precision_class(std::string_view lower_precision);
const DomainSpec& speed_spec();
const DomainSpec& memory_spec();
std::optional<Features> speed_features(const Setup& setup, std::string& why_not, bool with_names = false);
Parts speed_parts(const Features& features, CoefficientView coefficient);
double speed_log(const Features& features, CoefficientView coefficient);
MemoryFeatures memory_features(const Setup& setup, bool with_names = false);
MemoryParts memory_parts(const MemoryFeatures& features, CoefficientView coefficient);

std::optional<Setup> setup_of(const Conditions& row, std::string& why_not);
std::optional<Features> speed_row_features(const Conditions& row, std::string& why_not, bool with_names = false);

}  // namespace whichgpu::generation
