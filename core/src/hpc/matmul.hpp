#pragma once
#include <array>
#include <optional>
#include <string>

#include "whichgpu/calibration.hpp"
#include "whichgpu/measurement.hpp"

/// The share of a GPU's peak that large matrix products reach.
///
///   FLOP/s = peak · share,  share fitted by arithmetic, vendor and generation
///
/// Holds: matrices large enough to fill the GPU (thousands a side). The clock under load is in the fitted share.
namespace whichgpu::hpc {

enum class Arithmetic { kDouble, kSingle, kTf32, kHalf, kFp8, kInt8 };
const char* to_word(Arithmetic arithmetic);
/// FLOP/s; 0 where the catalog knows none.
double peak(const Gpu& gpu, Arithmetic arithmetic);

struct Features {
  double peak = 0;
  Keys keys;
  bool with_names = false;
  std::array<std::string, kMaxLevels> key_names;
};
const DomainSpec& matmul_spec();
Features matmul_features(const Gpu& gpu, Arithmetic arithmetic, bool with_names = false);
/// Log of FLOP/s.
double matmul_log(const Features& features, CoefficientView coefficient);
/// Rows of measured matrix products ("matmul 4096x4096x4096").
std::optional<Features> matmul_row_features(const Conditions& row, std::string& why_not, bool with_names = false);

}  // namespace whichgpu::hpc
