#include "hpc/matmul.hpp"
#include "image_generation/generation.hpp"
#include "speed/decode.hpp"
#include "speed/prefill.hpp"
#include "speed/serving.hpp"
#include "training/image_training.hpp"
#include "memory/inference.hpp"
#include "training/memory.hpp"
#include "training/speed.hpp"
#include "vision/vision.hpp"
#include "whichgpu/calibration.hpp"

namespace whichgpu {

// One line per fitted domain; the spec itself stands beside the domain's physics.
const std::vector<const DomainSpec*>& all_domain_specs() {
  static const std::vector<const DomainSpec*> specs = {
      &memory::spec(),
      &speed::prefill_spec(), &speed::decode_spec(),
      &serving_spec(),
      &training::speed_spec(), &training::memory_spec(), &training::image_memory_spec(), &training::image_speed_spec(),
      &vision::speed_spec(), &vision::memory_spec(), &generation::speed_spec(), &generation::memory_spec(), &hpc::matmul_spec(),
  };
  return specs;
}

}  // namespace whichgpu
