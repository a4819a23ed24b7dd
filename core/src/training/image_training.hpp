#pragma once
#include <array>
#include <optional>
#include <string>

#include "whichgpu/calibration.hpp"
#include "whichgpu/measurement.hpp"

/// Training of image and video generators (full and LoRA): peak memory and time of a step, for measurement rows.
///
///   memory = denoiser weights + frozen encoders and VAE that stay on the card + gradients and states
///            + activations, in proportion to tokens x weights^(2/3) + a constant
///   step   = denoiser FLOPs x passes x batch / (peak x efficiency) + a constant
///
/// Activations per token go with depth times width; at a fixed ratio of the two that is weights^(2/3).
/// Units: GiB, seconds. Not for runs that spill over PCIe: their speed follows the driver, not the card.
namespace whichgpu::training {

struct ImageMemoryFeatures {
  double weights_gib = 0, frozen_gib = 0, states_gib = 0, activation_gib = 0, capacity_gib = 0, copies = 1;
  Keys keys;
  bool with_names = false;
  std::array<std::string, kMaxLevels> key_names;
};
const DomainSpec& image_memory_spec();
double image_memory_log(const ImageMemoryFeatures& features, CoefficientView coefficient);
std::optional<ImageMemoryFeatures> image_memory_row_features(const Conditions& row, std::string& why_not, bool with_names = false);

enum class ImageRate { kStepSeconds, kStepsPerS, kImagesPerS, kTflopsPerGpu };
struct ImageSpeedFeatures {
  ImageRate rate = ImageRate::kStepSeconds;
  double flops = 0, peak = 0;     ///< of one step on one GPU
  double useful_flops = 0;        ///< without recomputation
  double batch = 1, gpus = 1;
  Keys keys;
  bool with_names = false;
  std::array<std::string, kMaxLevels> key_names;
};
const DomainSpec& image_speed_spec();
double image_speed_log(const ImageSpeedFeatures& features, CoefficientView coefficient);
std::optional<ImageSpeedFeatures> image_speed_row_features(const Conditions& row, std::string& why_not, bool with_names = false);

}  // namespace whichgpu::training

namespace whichgpu {
/// Rows of workload diffusion-train.
RowEstimate image_training_row(const Conditions& row);
}  // namespace whichgpu
