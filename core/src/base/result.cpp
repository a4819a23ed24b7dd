#include "whichgpu/result.hpp"

namespace whichgpu {

const char* to_word(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidInput: return "invalid-input";
    case ErrorCode::kUnknownId: return "unknown-id";
    case ErrorCode::kMissingData: return "missing-data";
    case ErrorCode::kBadData: return "bad-data";
  }
  return "bad-data";
}

}  // namespace whichgpu
