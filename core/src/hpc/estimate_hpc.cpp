#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "gpu/rates.hpp"
#include "hpc/matmul.hpp"
#include "whichgpu/domain.hpp"
#include "whichgpu/estimate.hpp"
#include "whichgpu/units.hpp"

namespace whichgpu {
namespace {

using hpc::Arithmetic;

/// A published share of the peak or the bandwidth: low, usual, high.
struct Share { double low, usual, high; };

/// One kernel by its arithmetic intensity. `n` is the size: the side of a square matrix or of a square grid, or the atoms.
struct Kernel {
  const char* name;
  Arithmetic arithmetic;
  double (*flops)(double n);
  double (*bytes)(double n);    ///< moved at least once between memory and GPU
  double (*stored)(double n);   ///< bytes that must be in memory at once
  bool product;                 ///< a matrix product: its share of the peak is fitted
  Share compute, bandwidth;
  const char* source;
};

constexpr Share kProductTraffic = {0.7, 0.85, 0.95};  // large matrices are not bound by it
double cube2(double n) { return 2 * n * n * n; }
template <int kBytes>
double three_matrices(double n) { return 3 * n * n * kBytes; }
constexpr double kNeighbours = 75, kPositionMisses = 0.1;  // most positions come from the caches, since atoms are sorted in space
double log2_of(double n) { return log(n) / log(2.0); }

const std::array<Kernel, 12> kKernels = {{
    {"dgemm", Arithmetic::kDouble, cube2, three_matrices<8>, three_matrices<8>, true, {}, kProductTraffic, "fit"},
    {"sgemm", Arithmetic::kSingle, cube2, three_matrices<4>, three_matrices<4>, true, {}, kProductTraffic, "fit"},
    {"tf32gemm", Arithmetic::kTf32, cube2, three_matrices<4>, three_matrices<4>, true, {}, kProductTraffic, "fit"},
    {"hgemm", Arithmetic::kHalf, cube2, three_matrices<2>, three_matrices<2>, true, {}, kProductTraffic, "fit"},
    {"fp8gemm", Arithmetic::kFp8, cube2, three_matrices<1>, three_matrices<1>, true, {}, kProductTraffic, "fit"},
    {"igemm", Arithmetic::kInt8, cube2, three_matrices<1>, three_matrices<1>, true, {}, kProductTraffic, "fit"},
    // Solving a dense system: 2/3 n³. Rmax over Rpeak of GPU machines in the TOP500 lists: 0.55 to 0.82.
    {"hpl", Arithmetic::kDouble, [](double n) { return 2.0 / 3 * n * n * n + 2 * n * n; }, [](double n) { return 8 * n * n; }, [](double n) { return 8 * n * n; }, false, {0.55, 0.70, 0.82}, kProductTraffic, "TOP500 lists (from memory)"},
    // a = b + s·c over n² numbers. BabelStream results on data-center and desktop cards: 0.80 to 0.94 of the bandwidth.
    {"stream", Arithmetic::kDouble, [](double n) { return 2 * n * n; }, [](double n) { return 24 * n * n; }, [](double n) { return 24 * n * n; }, false, {0.5, 0.8, 1}, {0.80, 0.88, 0.94}, "BabelStream results (from memory)"},
    // Five-point stencil on n x n. A naive kernel reaches 0.50, a tuned one 0.72 to 0.78 of the bandwidth (ROCm blog on MI250X, in the measurements).
    {"stencil", Arithmetic::kDouble, [](double n) { return 6 * n * n; }, [](double n) { return 16 * n * n; }, [](double n) { return 16 * n * n; }, false, {0.4, 0.6, 0.8}, {0.50, 0.68, 0.78}, "ROCm blog, finite-difference stencils (in the measurements)"},
    // Complex transform of n x n: 5·n²·log2(n²); rows and columns are each read and written once.
    {"fft", Arithmetic::kDouble, [](double n) { return 5 * n * n * log2_of(n * n); }, [](double n) { return 64 * n * n; }, [](double n) { return 32 * n * n; }, false, {0.3, 0.5, 0.7}, {0.50, 0.70, 0.85}, "cuFFT performance reports (from memory)"},
    // Sparse matrix of a five-point grid in CSR: 5 products a row; 12 bytes a non-zero, 20 a row.
    {"spmv", Arithmetic::kDouble, [](double n) { return 10 * n * n; }, [](double n) { return 80 * n * n; }, [](double n) { return 80 * n * n; }, false, {0.3, 0.5, 0.7}, {0.45, 0.65, 0.85}, "Bell and Garland 2009 and later CSR results (from memory)"},
    // One time step of a Lennard-Jones liquid (density 0.84, cut at 2.5 plus a skin of 0.3): 75 neighbours an atom, 50 FLOP
    // a pair, in FP32 as the mixed precision of the codes has it; a neighbour's index and a share of its position are read.
    {"md", Arithmetic::kSingle, [](double n) { return n * kNeighbours * 50; }, [](double n) { return n * (kNeighbours * (4 + 16 * kPositionMisses) + 64); }, [](double n) { return n * (kNeighbours * 4 + 96); }, false, {0.08, 0.16, 0.30}, {0.40, 0.60, 0.80}, "LAMMPS and HOOMD-blue results (from memory)"},
}};

const Kernel* find_kernel(std::string_view name) {
  if (name == "triad") name = "stream";
  if (name == "gemm" || name == "linpack-dgemm") name = "dgemm";
  if (name == "linpack") name = "hpl";
  if (name == "molecular-dynamics" || name == "lj") name = "md";
  if (name == "bgemm" || name == "fp16gemm" || name == "bf16gemm") name = "hgemm";
  for (const Kernel& k : kKernels)
    if (name == k.name) return &k;
  return nullptr;
}

constexpr double kLaunchSeconds = 5e-6;  // one kernel launch (CUDA documentation's order of magnitude, from memory)

std::string number(double v) { return format_number(v, 4); }

}  // namespace

HpcEstimate estimate_hpc(const Question& q, std::vector<Warning>& warnings) {
  HpcEstimate out;
  const Gpu& gpu = *q.gpu;
  const Kernel* kernel = find_kernel(lower(q.scenario.hpc.kernel));
  if (!kernel) {
    std::string known;
    for (const Kernel& k : kKernels) known += std::string(known.empty() ? "" : ", ") + k.name;
    warnings.push_back({"unknown-kernel", "No efficiency of the kernel \"" + q.scenario.hpc.kernel + "\" is known; known are " + known + "."});
    return out;
  }
  const double peak = hpc::peak(gpu, kernel->arithmetic), bandwidth = memory_rate(gpu);
  if (peak <= 0 || bandwidth <= 0) {
    warnings.push_back({"missing-data", std::string("The ") + hpc::to_word(kernel->arithmetic) + " rate or the memory bandwidth of " + gpu.name + " is not known."});
    return out;
  }
  const double n = q.scenario.hpc.size, gpus = q.scenario.gpu_count;
  const double flops = kernel->flops(n), bytes = kernel->bytes(n);
  Share compute = kernel->compute;
  if (kernel->product) {
    const hpc::Features f = hpc::matmul_features(gpu, kernel->arithmetic);
    const DomainCalibration& calibration = q.catalog->calibration.domain(hpc::matmul_spec().name);
    const Predicted p = predict_with_interval(calibration, hpc::matmul_spec(), f.keys, [&](CoefficientView c) { return hpc::matmul_log(f, c); });
    compute = {std::min(p.p10 / peak, 1.0), std::min(p.value / peak, 1.0), std::min(p.p90 / peak, 1.0)};
    constexpr int kGenerationLevel = 2, kGpuLevel = 3;
    out.distance = calibration.rows_seen(kGpuLevel, f.keys.at[kGpuLevel]) > 0 ? "same" : calibration.rows_seen(kGenerationLevel, f.keys.at[kGenerationLevel]) > 0 ? "near" : "far";
  }
  // The work is shared evenly; exchange between GPUs is not in it.
  const auto seconds = [&](double compute_share, double bandwidth_share) {
    return std::max(flops / (peak * compute_share), bytes / (bandwidth * bandwidth_share)) / gpus + kLaunchSeconds;
  };
  const double usual = seconds(compute.usual, kernel->bandwidth.usual);
  const double slow = seconds(compute.low, kernel->bandwidth.low), fast = seconds(compute.high, kernel->bandwidth.high);
  out.seconds = Quantity::between(usual, fast, slow, "s");
  out.tflops = Quantity::between(flops / usual / 1e12, flops / slow / 1e12, flops / fast / 1e12, "TFLOP/s");
  out.gb_per_s = Quantity::between(bytes / usual / 1e9, bytes / slow / 1e9, bytes / fast / 1e9, "GB/s");
  const double arithmetic = flops / (peak * compute.usual) / gpus, traffic = bytes / (bandwidth * kernel->bandwidth.usual) / gpus;
  const auto add = [&](const char* name, double s, std::string formula) { out.terms.push_back({name, s, "s", q.explain ? std::move(formula) : std::string()}); };
  add("arithmetic", arithmetic, number(flops) + " FLOP / (" + number(peak / 1e12) + " TFLOP/s of " + hpc::to_word(kernel->arithmetic) + " x " + number(compute.usual) + ") / " + number(gpus) + " GPUs");
  add("memory_traffic", traffic, number(bytes) + " bytes / (" + number(bandwidth / 1e9) + " GB/s x " + number(kernel->bandwidth.usual) + ") / " + number(gpus) + " GPUs; share from " + kernel->source);
  add("launch", kLaunchSeconds, "one kernel");
  out.bound_by = kLaunchSeconds > std::max(arithmetic, traffic) ? Bound::kOverhead : arithmetic >= traffic ? Bound::kCompute : Bound::kBandwidth;
  if (kernel->stored(n) / gpus > memory_gib(gpu) * kBytesPerGib && memory_gib(gpu) > 0) {
    warnings.push_back({"does-not-fit", "The data of size " + number(n) + " need " + number(kernel->stored(n) / gpus / kBytesPerGib) + " GiB on each GPU; " + gpu.name + " has " + number(memory_gib(gpu)) + "."});
    out.bound_by = Bound::kCapacity;
  }
  if (gpus > 1) warnings.push_back({"no-exchange", "The work is taken as split evenly over the GPUs, without exchange between them."});
  return out;
}

}  // namespace whichgpu
