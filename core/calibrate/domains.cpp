#include "fit.hpp"

namespace whichgpu::calibrate {

Domain prefill_domain();
Domain decode_domain();
Domain serving_domain();
Domain training_speed_domain();
Domain training_memory_domain();
Domain inference_memory_domain();
Domain vision_speed_domain();
Domain vision_memory_domain();
Domain image_speed_domain();
Domain image_memory_domain();
Domain image_training_memory_domain();
Domain image_training_speed_domain();
Domain hpc_matmul_domain();

// One line per fitted domain; what a domain observes stands in a file of its own beside this one.
// In this order: a domain may use those before it (decode rows that hold the prompt's time use prefill).
const std::vector<Domain>& all_domains() {
  static const std::vector<Domain> domains = {
      inference_memory_domain(),
      prefill_domain(), decode_domain(),
      serving_domain(),
      training_speed_domain(), training_memory_domain(), image_training_memory_domain(), image_training_speed_domain(),
      vision_speed_domain(), vision_memory_domain(), image_speed_domain(), image_memory_domain(), hpc_matmul_domain(),
  };
  return domains;
}

}  // namespace whichgpu::calibrate
