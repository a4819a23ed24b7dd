#include "whichgpu/estimate.hpp"

// Rooms that are not built yet answer "unknown", and say so. Each room's own file takes its function from here.
namespace whichgpu {
namespace {
void say_pending(std::vector<Warning>& warnings, const char* what) { warnings.push_back({"not-modelled", std::string(what) + " is not modelled."}); }
}  // namespace

HpcEstimate estimate_hpc(const Question&, std::vector<Warning>& warnings) { say_pending(warnings, "HPC"); return {}; }

}  // namespace whichgpu
