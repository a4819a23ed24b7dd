#include "gpu/rates.hpp"

#include <algorithm>

#include "whichgpu/units.hpp"

namespace whichgpu {
namespace {
constexpr double kTera = 1e12;
double tera(const Figure& f) { return f ? *f * kTera : 0; }
}  // namespace

double half_rate(const Gpu& g) {
  if (g.fp16_tensor_tflops) return tera(g.fp16_tensor_tflops);
  if (g.bf16_tensor_tflops) return tera(g.bf16_tensor_tflops);
  return std::max(tera(g.fp16_vector_tflops), tera(g.fp32_tflops));
}
double tf32_rate(const Gpu& g) { return g.tf32_tensor_tflops ? tera(g.tf32_tensor_tflops) : tera(g.fp32_tflops); }
double single_rate(const Gpu& g) { return tera(g.fp32_tflops); }
double int8_rate(const Gpu& g) { return std::max(tera(g.int8_tensor_tops), half_rate(g)); }
double fp8_rate(const Gpu& g) { return std::max(tera(g.fp8_tensor_tflops), half_rate(g)); }
double double_rate(const Gpu& g) { return std::max(tera(g.fp64_tensor_tflops), tera(g.fp64_tflops)); }
double memory_rate(const Gpu& g) { return g.bandwidth_gb_per_s ? *g.bandwidth_gb_per_s * 1e9 : 0; }
double pcie_rate(const Gpu& g) {
  const int generation = g.pcie_gen.value_or(4);
  const double x16 = generation <= 3 ? 16e9 : generation >= 5 ? 64e9 : 32e9;
  return x16 * g.pcie_lanes.value_or(16) / 16;
}
double memory_gib(const Gpu& g) {
  if (g.memory_gib_usable) return *g.memory_gib_usable;
  return g.memory_gb ? *g.memory_gb * kBytesPerGb / kBytesPerGib : 0;
}

}  // namespace whichgpu
