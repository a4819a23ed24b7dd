#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "speed/step.hpp"
#include "support/test_catalog.hpp"
#include "whichgpu/domain.hpp"
#include "whichgpu/estimate.hpp"
#include "whichgpu/scenario.hpp"

using namespace whichgpu;
using Catch::Matchers::WithinRel;

namespace {

SpeedEstimate speed_with_host(const std::string& workload, const char* engine, double ram_gb_per_s, double pcie_gb_per_s, const char* offload = "cpu") {
  Scenario s;
  s.model = "llama-3.3-70b";
  s.gpu = "nvidia-rtx-4090";
  s.gpu_count = 2;
  s.engine = engine;
  s.precision.weights = std::string(engine) == "llama.cpp" ? "q8_0" : "fp8";
  s.offload = std::string(offload) == "cpu" ? OffloadKind::kCpu : OffloadKind::kNone;
  s.workload = workload == "chat" ? Workload::kChat : Workload::kServing;
  s.concurrency = workload == "chat" ? 1 : 4;
  s.host = {.ram_gib = 256, .ram_gb_per_s = ram_gb_per_s, .pcie_gb_per_s = pcie_gb_per_s};
  const auto q = resolve(test_catalog(), s);
  REQUIRE(q);
  Estimate e = estimate(q.value());
  REQUIRE(e.memory);
  REQUIRE(e.speed);
  if (s.offload == OffloadKind::kCpu) REQUIRE(e.memory->verdict == Verdict::kOffload);
  REQUIRE(e.speed->decode_tokens_per_s);
  return *e.speed;
}

}  // namespace

TEST_CASE("offloaded weights are read at three quarters of the memory's rate, or over the slots", "[speed][offload]") {
  CHECK_THAT(speed::host_bytes_per_s(true, 80, 32, 2), WithinRel(60e9, 1e-12));    // computed where they lie
  CHECK_THAT(speed::host_bytes_per_s(true, 80, 4, 1), WithinRel(60e9, 1e-12));     // so the slot does not matter
  CHECK_THAT(speed::host_bytes_per_s(false, 80, 32, 1), WithinRel(25.6e9, 1e-12)); // copied: the slot is the limit
  CHECK_THAT(speed::host_bytes_per_s(false, 80, 32, 4), WithinRel(60e9, 1e-12));   // four slots: the memory is
}

TEST_CASE("what the host offers sets the pace of offloaded weights", "[speed][offload]") {
  const std::string workload = GENERATE("chat", "serving");
  CAPTURE(workload);
  const auto tokens = [&](const char* engine, double ram, double pcie) { return speed_with_host(workload, engine, ram, pcie).decode_tokens_per_s->value; };
  const double base = tokens("llama.cpp", 80, 32);
  CHECK(tokens("llama.cpp", 40, 32) < 0.75 * base);
  CHECK(tokens("llama.cpp", 300, 32) > 1.5 * base);
  CHECK(tokens("llama.cpp", 80, 8) == base);
  CHECK(tokens("vllm", 80, 8) < 0.6 * tokens("vllm", 80, 32));
}

TEST_CASE("offloading never makes a model faster than holding it", "[speed][offload]") {
  // The same question with room: four cards hold what two must offload.
  const auto serving = speed_with_host("serving", "llama.cpp", 80, 32);
  Scenario s;
  s.model = "llama-3.3-70b";
  s.gpu = "nvidia-rtx-4090";
  s.gpu_count = 4;
  s.engine = "llama.cpp";
  s.precision.weights = "q8_0";
  s.workload = Workload::kServing;
  s.concurrency = 4;
  const auto q = resolve(test_catalog(), s);
  REQUIRE(q);
  const Estimate e = estimate(q.value());
  REQUIRE(e.speed->decode_tokens_per_s);
  CHECK(serving.decode_tokens_per_s->value < 0.5 * e.speed->decode_tokens_per_s->value);
}
