#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <nlohmann/json.hpp>

#include "support/test_catalog.hpp"
#include "whichgpu/scaling.hpp"

using namespace whichgpu;
using Catch::Matchers::WithinRel;

namespace {

Scaling curves(const char* scenario, const std::vector<std::string>& gpus, int most) {
  const auto s = read_scenario(nlohmann::json::parse(scenario, nullptr, false));
  REQUIRE(s);
  const auto c = scaling(test_catalog(), s.value(), gpus, most);
  REQUIRE(c);
  return c.value();
}

constexpr const char* kPretrain = R"({"model":"llama-3.2-1b","workload":"pretrain","training":{"tokens":1e10,"global_batch":512}})";

}  // namespace

TEST_CASE("efficiency is the rate per GPU over that of the fewest that run", "[scaling]") {
  const char* scenario = GENERATE(kPretrain, R"({"model":"resnet-50","workload":"vision-training"})");
  const char* gpu = GENERATE("nvidia-h100-sxm-80gb", "nvidia-rtx-4090");
  CAPTURE(scenario, gpu);
  const Scaling s = curves(scenario, {gpu}, 64);
  REQUIRE(s.curves.size() == 1);
  const std::vector<ScalingPoint>& points = s.curves[0].points;
  REQUIRE(points.size() == 7);  // 1, 2, 4, 8, 16, 32, 64
  const ScalingPoint* first = nullptr;
  double before = 0;
  for (const ScalingPoint& p : points) {
    if (!p.rate) continue;
    if (!first) first = &p;
    CHECK_THAT(*p.efficiency, WithinRel(p.rate->value / p.gpu_count / (first->rate->value / first->gpu_count), 1e-12));
    CHECK(*p.efficiency < 1.1);       // a larger share of the memory is free, so a little more than one is possible
    CHECK(*p.efficiency > 0.2);
    CHECK(p.rate->value > before);    // more cards are never slower here
    before = p.rate->value;
  }
  REQUIRE(first);
}

TEST_CASE("cards without a fast link lose more to company", "[scaling]") {
  const Scaling s = curves(kPretrain, {"nvidia-h100-sxm-80gb", "nvidia-rtx-4090"}, 8);
  CHECK(*s.curves[0].points.back().efficiency > *s.curves[1].points.back().efficiency);
}

TEST_CASE("more than a board of GPUs is several machines", "[scaling]") {
  const Scaling s = curves(kPretrain, {"nvidia-h100-sxm-80gb", "nvidia-gb200-186gb"}, 32);
  CHECK(s.curves[0].points[3].nodes == 1);   // 8
  CHECK(s.curves[0].points[5].nodes == 4);   // 32 in boards of eight
  CHECK(s.curves[1].points[5].nodes == 1);   // 72 share one NVLink domain
}

TEST_CASE("a second, cheaper card beats a dearer one where it is faster for less", "[scaling]") {
  const Scaling s = curves(R"({"model":"resnet-50","workload":"vision-training"})", {"nvidia-h100-sxm-80gb", "nvidia-rtx-4090"}, 8);
  REQUIRE(s.overtakings.size() == 1);
  const Overtaking& o = s.overtakings[0];
  CHECK(o.dearer == "nvidia-h100-sxm-80gb");
  CHECK(o.cheaper == "nvidia-rtx-4090");
  if (o.needed > 0) {
    CHECK(o.speed_ratio >= 1);
    CHECK(o.price_ratio < 1);
  }
  // 70 B in full needs hundreds of gigabytes: no number of 24 GB cards up to eight does it.
  const Scaling large = curves(R"({"model":"llama-3-70b","workload":"finetune","training":{"method":"full"}})", {"nvidia-b300-sxm-288gb", "nvidia-rtx-4090"}, 8);
  for (const ScalingPoint& p : large.curves[1].points) CHECK_FALSE(p.rate);
  for (const Overtaking& none : large.overtakings) CHECK(none.needed == 0);
}

TEST_CASE("a question about scaling says what is wrong with it", "[scaling]") {
  const auto error_path = [](const char* text) { return nlohmann::json::parse(scaling_json(test_catalog(), text), nullptr, false)["error"]["path"].get<std::string>(); };
  CHECK(error_path(R"({"scenario":{"model":"llama-3-8b","gpu":"rtx 4090"},"most":0})") == "most");
  CHECK(error_path(R"({"scenario":{"model":"llama-3-8b","gpu":"rtx 4090"},"other":1})") == "other");
  CHECK(error_path(R"({"scenario":{"model":"llama-3-8b"},"gpus":["no such card"]})") == "gpu");
  CHECK(error_path(R"([])") == "question");
}
