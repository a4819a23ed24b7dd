#include "hpc/matmul.hpp"

#include "base/text.hpp"
#include "gpu/rates.hpp"
#include "whichgpu/math.hpp"

namespace whichgpu::hpc {
namespace {

enum Level { kArithmetic, kVendor, kGeneration, kGpuLevel };

void set_key(Features& f, int level, const std::string& name) {
  f.keys.at[level] = key_of(name);
  if (f.with_names) f.key_names[level] = name;
}

}  // namespace

const char* to_word(Arithmetic a) {
  switch (a) {
    case Arithmetic::kDouble: return "fp64";
    case Arithmetic::kSingle: return "fp32";
    case Arithmetic::kTf32: return "tf32";
    case Arithmetic::kHalf: return "half";
    case Arithmetic::kFp8: return "fp8";
    case Arithmetic::kInt8: return "int8";
  }
  return "half";
}

double peak(const Gpu& gpu, Arithmetic a) {
  switch (a) {
    case Arithmetic::kDouble: return double_rate(gpu);
    case Arithmetic::kSingle: return single_rate(gpu);
    case Arithmetic::kTf32: return tf32_rate(gpu);
    case Arithmetic::kHalf: return half_rate(gpu);
    case Arithmetic::kFp8: return fp8_rate(gpu);
    case Arithmetic::kInt8: return int8_rate(gpu);
  }
  return 0;
}

const DomainSpec& matmul_spec() {
  // Prior: 0.78 of the peak, the middle of published ceilings (0.51 to 0.97).
  static const DomainSpec spec{"hpc-matmul",
      {"arithmetic", "vendor", "generation", "gpu"},
      {{"share", -0.25, 0.2, {{kArithmetic, 0.08}, {kVendor, 0.15}, {kGeneration, 0.12}, {kGpuLevel, 0.04}}}},
      {}};
  return spec;
}

Features matmul_features(const Gpu& gpu, Arithmetic a, bool with_names) {
  Features f;
  f.with_names = with_names;
  f.peak = peak(gpu, a);
  set_key(f, kArithmetic, to_word(a));
  set_key(f, kVendor, gpu.vendor);
  set_key(f, kGeneration, gpu.generation);
  set_key(f, kGpuLevel, gpu.id);
  return f;
}

double matmul_log(const Features& f, CoefficientView c) { return log(f.peak) + c[0]; }

std::optional<Features> matmul_row_features(const Conditions& row, std::string& why_not, bool with_names) {
  if (!row.gpu) { why_not = "the GPU is not in the catalog"; return std::nullopt; }
  if (row.metric != "tflops_per_gpu" || !starts_with(row.model_word, "matmul")) { why_not = "only matrix products are modelled of the HPC rows"; return std::nullopt; }
  const std::string& p = row.precision;
  const Arithmetic a = contains(p, "fp8") ? Arithmetic::kFp8 : contains(p, "64") ? Arithmetic::kDouble : contains(p, "tf32") ? Arithmetic::kTf32 : contains(p, "fp32") ? Arithmetic::kSingle
      : contains(p, "int8") ? Arithmetic::kInt8 : Arithmetic::kHalf;
  Features f = matmul_features(*row.gpu, a, with_names);
  if (f.peak <= 0) { why_not = "the GPU's rate is not known"; return std::nullopt; }
  return f;
}

}  // namespace whichgpu::hpc
