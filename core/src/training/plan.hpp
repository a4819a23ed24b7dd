#pragma once
#include "training/memory.hpp"
#include "training/speed.hpp"

/// Choosing what a person left open: sharding, tensor and pipeline degree, recomputation and micro-batch, so that the
/// run fits and is as fast as our estimates can tell.
namespace whichgpu::training {

struct Plan {
  Setup setup;
  double need_gib = 0;           ///< per GPU, middle estimate
  double tokens_per_s = 0;
  bool fits = false;
};

/// The part of a scenario that is fixed; what is open is chosen by choose_plan().
struct Wishes {
  Setup setup;                   ///< micro_batch, tensor, pipeline and expert 0 where open
  double data = 0;               ///< copies of the model; 0 where open
  bool sharding_open = true, checkpointing_open = true, degrees_open = true, offload_allowed = false;
  double capacity_gib = 0;
};

Setup setup_of(const Question& question);
Wishes wishes_of(const Question& question);

/// The fastest plan that fits; when none does, the one that needs least.
Plan choose_plan(const Wishes& wishes, const Calibration& calibration);

}  // namespace whichgpu::training
