#include "fit.hpp"

namespace whichgpu::calibrate {

// One line per fitted domain; what a domain observes stands in a file of its own beside this one.
const std::vector<Domain>& all_domains() {
  static const std::vector<Domain> domains = {};
  return domains;
}

}  // namespace whichgpu::calibrate
