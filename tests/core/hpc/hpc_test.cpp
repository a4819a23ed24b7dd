#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "hpc/matmul.hpp"
#include "support/test_catalog.hpp"
#include "whichgpu/estimate.hpp"

using namespace whichgpu;
using Catch::Matchers::WithinRel;

namespace {
Estimate answer(const char* kernel, double size, const char* gpu) {
  Scenario s;
  s.workload = Workload::kHpc;
  s.gpu = gpu;
  s.hpc.kernel = kernel;
  s.hpc.size = size;
  const auto q = resolve(test_catalog(), s);
  REQUIRE(q);
  return estimate(q.value());
}
bool warns(const Estimate& e, std::string_view code) {
  for (const Warning& w : e.warnings)
    if (w.code == code) return true;
  return false;
}
}  // namespace

TEST_CASE("the roofline of a kernel that memory bounds, by hand", "[hpc]") {
  // 24 bytes for each of 20,000² numbers at 2,039 GB/s (A100 80 GB datasheet) x 0.88, and one launch of 5 µs.
  const Estimate e = answer("stream", 20000, "nvidia-a100-sxm-80gb");
  CHECK_THAT(e.hpc->seconds->value, WithinRel(24 * 4e8 / (2039e9 * 0.88) + 5e-6, 1e-9));
  CHECK(e.hpc->bound_by == Bound::kBandwidth);
}

TEST_CASE("double precision runs on the units that the card has", "[hpc]") {
  CHECK_THAT(hpc::peak(gpu_of("nvidia-a100-sxm-80gb"), hpc::Arithmetic::kDouble), WithinRel(19.5e12, 1e-12));  // FP64 tensor cores
  CHECK_THAT(hpc::peak(gpu_of("nvidia-v100-sxm2-32gb"), hpc::Arithmetic::kDouble), WithinRel(7.8e12, 0.01));   // no FP64 tensor cores
  const Estimate e = answer("dgemm", 16384, "nvidia-a100-sxm-80gb");
  CHECK(e.hpc->bound_by == Bound::kCompute);
  CHECK(e.hpc->tflops->value < 19.5);
  CHECK(e.hpc->tflops->p10 < e.hpc->tflops->value);
}

TEST_CASE("rates, work and time of a kernel agree", "[hpc]") {
  const char* kernel = GENERATE("dgemm", "sgemm", "hgemm", "hpl", "stream", "stencil", "fft", "spmv");
  const Estimate e = answer(kernel, 8192, "nvidia-h100-sxm-80gb");
  REQUIRE(e.hpc->seconds);
  CHECK(e.hpc->seconds->p10 <= e.hpc->seconds->value);
  CHECK(e.hpc->seconds->value <= e.hpc->seconds->p90);
  const Estimate larger = answer(kernel, 16384, "nvidia-h100-sxm-80gb");
  CHECK(larger.hpc->seconds->value > e.hpc->seconds->value);
  CHECK(e.hpc->tflops->value * e.hpc->seconds->value > 0);
}

TEST_CASE("what is not known is said", "[hpc]") {
  const Estimate unknown = answer("lattice-qcd", 1000, "nvidia-h100-sxm-80gb");
  CHECK_FALSE(unknown.hpc->tflops);
  CHECK(warns(unknown, "unknown-kernel"));
  CHECK(warns(answer("dgemm", 200000, "nvidia-rtx-4090"), "does-not-fit"));
}

TEST_CASE("data-center cards are another kind of machine in double precision, not in single", "[hpc]") {
  const auto rate = [](const char* kernel, double size, const char* gpu) { return answer(kernel, size, gpu).hpc->tflops->value; };
  // FP64 peaks: A100 19.5 TFLOP/s on its tensor cores, RTX A6000 0.605, RTX 4090 1.29 (data sheets).
  CHECK(rate("dgemm", 16384, "nvidia-a100-sxm-80gb") > 20 * rate("dgemm", 16384, "nvidia-rtx-a6000"));
  CHECK(rate("dgemm", 16384, "nvidia-h100-sxm-80gb") > 20 * rate("dgemm", 16384, "nvidia-rtx-4090"));
  // Molecular dynamics runs in single precision, 82.6 against 19.5 TFLOP/s, until the neighbour lists' traffic bounds it.
  CHECK(rate("md", 1e6, "nvidia-rtx-4090") > 1.2 * rate("md", 1e6, "nvidia-a100-sxm-80gb"));
  // What memory bounds goes by bandwidth, 2,039 against 768 GB/s.
  const char* kernel = GENERATE("stream", "stencil", "fft", "spmv");
  CAPTURE(kernel);
  const double ratio = rate(kernel, 8192, "nvidia-a100-sxm-80gb") / rate(kernel, 8192, "nvidia-rtx-a6000");
  CHECK(ratio > 1);
  CHECK_THAT(answer("stream", 8192, "nvidia-a100-sxm-80gb").hpc->tflops->value / answer("stream", 8192, "nvidia-rtx-a6000").hpc->tflops->value, WithinRel(2039.0 / 768, 0.02));
}
