#pragma once
#include <array>
#include <optional>
#include <string>

#include "training/setup.hpp"

/// Peak memory per GPU of a training run, in GiB.
///
///   weights + gradients and optimizer states + activations (saved, or checkpoints and one layer's working set or the
///   logits, whichever is larger) + attention scores where the stack stores them + gathered layers + a constant, times a
///   share for fragmentation
///
/// Activations per token and layer without checkpointing: 16 hidden, 4 (query + key-value width) and 8 (gated) or 6
/// feed-forward widths in bytes at 16 bits, the sum of the tensors that the backward pass reads (Korthikanti et al. 2022,
/// arXiv 2205.05198, table 2, with FlashAttention). Checkpoints: 2 hidden per token and layer.
/// Adam: 2 bytes gradient, 4 FP32 copy, 8 moments a weight (Rajbhandari et al. 2019, arXiv 1910.02054).
namespace whichgpu::training {

struct MemoryFeatures {
  double weights_gib = 0, states_gib = 0, gathered_gib = 0;
  double saved_gib = 0;        ///< activations where nothing is recomputed
  double checkpoints_gib = 0, working_gib = 0;
  double scores_gib = 0, logits_gib = 0;
  double generation_gib = 0;   ///< cache of the answers being sampled, never alive with the activations
  double capacity_gib = 0;     ///< 0: not known
  double copies = 1;           ///< what a GiB per GPU becomes in the report: GPUs that a total covers, GB for GiB
  Keys keys;
  bool with_names = false;
  std::array<std::string, kMaxLevels> key_names;  ///< the keys as text, for the fit
};

struct MemoryParts {  ///< GiB per GPU; they add up to `total`
  double weights = 0, states = 0, activations = 0, working = 0, scores = 0, gathered = 0, generation = 0, constant = 0, fragmentation = 0, total = 0;
};

const DomainSpec& memory_spec();
/// `with_names` also fills the text of the keys, which only the fit needs.
MemoryFeatures memory_features(const Setup& setup, bool with_names = false);
MemoryParts memory_parts(const MemoryFeatures& features, CoefficientView coefficient);
/// Log of the need per GPU, whatever the card holds.
double memory_need_log(const MemoryFeatures& features, CoefficientView coefficient);
/// Log of the peak that a tool would show: the need, but never above the card, since allocators give back what they
/// can when it is nearly full.
double memory_shown_log(const MemoryFeatures& features, CoefficientView coefficient);
std::optional<MemoryFeatures> memory_row_features(const Conditions& row, std::string& why_not, bool with_names = false);

/// What a card offers to a training process.
double usable_gib(const Gpu& gpu);
/// Share of it up to which runs were seen to go through: what tools count as the peak leaves out the driver's context, and
/// an allocator stops before the last byte for want of a large enough block. From the `fits` rows: 92 % right at 0.94,
/// 91 % at 1.
inline constexpr double kReachableShare = 0.94;

}  // namespace whichgpu::training
