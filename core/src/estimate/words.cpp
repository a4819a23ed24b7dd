#include "whichgpu/estimate.hpp"

namespace whichgpu {

const char* to_word(Verdict verdict) {
  switch (verdict) {
    case Verdict::kFits: return "fits";
    case Verdict::kTight: return "tight";
    case Verdict::kOffload: return "offload";
    case Verdict::kDoesNotFit: return "does_not_fit";
    case Verdict::kUnsupported: return "unsupported";
    case Verdict::kUnknown: return "unknown";
  }
  return "unknown";
}

const char* to_word(Bound bound) {
  switch (bound) {
    case Bound::kUnknown: return "unknown";
    case Bound::kBandwidth: return "bandwidth";
    case Bound::kCompute: return "compute";
    case Bound::kInterconnect: return "interconnect";
    case Bound::kOverhead: return "overhead";
    case Bound::kCapacity: return "capacity";
  }
  return "unknown";
}

}  // namespace whichgpu
