#include "whichgpu/api.hpp"
#include "whichgpu/compare.hpp"

#include <algorithm>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <nlohmann/json.hpp>

#include "compare/workloads.hpp"
#include "support/test_catalog.hpp"

namespace whichgpu {
namespace {

using Catch::Matchers::WithinRel;
using nlohmann::json;

json asked(const std::string& question) { return json::parse(compare_json(test_catalog(), question)); }

const json& row(const json& list, const std::string& name) {
  return *std::find_if(list.begin(), list.end(), [&](const json& o) { return o["name"] == name; });
}

TEST_CASE("specifications carry the data sheets' ratios", "[compare]") {
  const json c = asked(R"({"gpus":["nvidia-rtx-a6000","nvidia-a100-pcie-40gb","nvidia-a100-sxm-80gb"]})");
  REQUIRE(c["sides"].size() == 3);
  const json& bandwidth = row(c["specs"], "bandwidth_gb_per_s");
  CHECK(bandwidth["values"] == json({768.0, 1555.0, 2039.0}));
  CHECK_THAT(bandwidth["ratios"][1].get<double>(), WithinRel(1555.0 / 768, 1e-12));  // the claim "about twice" holds for the 40 GB card
  CHECK_THAT(bandwidth["ratios"][2].get<double>(), WithinRel(2039.0 / 768, 1e-12));
  // The 80 GB variant has the same tensor cores: it doubles neither TF32 nor BF16.
  for (const char* rate : {"tf32_tensor_tflops", "bf16_tensor_tflops"}) CHECK(row(c["specs"], rate)["values"][1] == row(c["specs"], rate)["values"][2]);
  CHECK(row(c["specs"], "fp64_tensor_tflops")["values"][0].is_null());
}

TEST_CASE("a margin is the quotient of two separate answers", "[compare]") {
  const json c = asked(R"({"gpus":["nvidia-rtx-4090","nvidia-a100-pcie-80gb"]})");
  const json& chat = row(c["workloads"], "chat-small");
  double speeds[2];
  const char* gpus[] = {"nvidia-rtx-4090", "nvidia-a100-pcie-80gb"};
  for (int i = 0; i < 2; ++i) {
    const json one = json::parse(estimate_json(test_catalog(), std::string(R"({"model":"llama-3.1-8b","gpu":")") + gpus[i] + "\"}"));
    speeds[i] = one["speed"]["decode_tokens_per_s"]["value"].get<double>();
    CHECK(chat["outcomes"][i]["value"]["value"].get<double>() == speeds[i]);
  }
  const int faster = speeds[0] > speeds[1] ? 0 : 1;
  CHECK(chat["best"]["side"] == faster);
  CHECK_THAT(chat["best"]["margin"].get<double>(), WithinRel(speeds[faster] / speeds[1 - faster], 1e-12));
  // 141 GB of weights at 16 bits, 43 GB at 4 bits: the large model runs on the 80 GB card alone.
  const json& large = row(c["workloads"], "chat-large");
  CHECK(large["outcomes"][0]["verdict"] == "does_not_fit");
  CHECK(large["best"]["side"] == 1);
  CHECK_FALSE(large["best"].contains("margin"));
}

TEST_CASE("swapping the sides swaps the answer", "[compare]") {
  const json a = asked(R"({"gpus":["nvidia-rtx-a6000","nvidia-rtx-4090"]})"), b = asked(R"({"gpus":["nvidia-rtx-4090","nvidia-rtx-a6000"]})");
  REQUIRE(a["workloads"].size() == b["workloads"].size());
  for (std::size_t i = 0; i < a["workloads"].size(); ++i) {
    CAPTURE(a["workloads"][i]["name"].get<std::string>());
    CHECK(a["workloads"][i]["outcomes"][0] == b["workloads"][i]["outcomes"][1]);
    for (const char* contest : {"best", "cheapest"}) {
      if (a["workloads"][i][contest].is_null()) continue;
      CHECK(a["workloads"][i][contest]["side"].get<int>() == 1 - b["workloads"][i][contest]["side"].get<int>());
      CHECK(a["workloads"][i][contest].value("margin", 0.0) == b["workloads"][i][contest].value("margin", 0.0));
    }
  }
  CHECK(a["choose"][0].size() == b["choose"][1].size());
}

TEST_CASE("where the answer flips, both sides of the flip say so", "[compare]") {
  Scenario base;
  CompareQuestion q{{{"nvidia-rtx-4090", 1, {}}, {"nvidia-a100-pcie-80gb", 1, {}}, {"nvidia-l40s", 1, {}}}, base};
  const Result<Comparison> c = compare(test_catalog(), q);
  REQUIRE(c);
  for (const Flip& f : c.value().flips) {
    if (std::string_view(f.axis) != "concurrency") continue;
    const auto winner_at = [&](double users) {
      std::vector<Outcome> outcomes;
      for (const CompareSide& side : q.sides) {
        Scenario s = comparing::scenario_of(comparing::workload(f.workload), q, side);
        s.concurrency = users;
        outcomes.push_back(comparing::outcome_of(comparing::workload(f.workload), test_catalog(), s));
      }
      return comparing::contest(outcomes, false, std::string_view(f.by) == "cost").winner;
    };
    CAPTURE(f.workload, f.by, f.at);
    CHECK(winner_at(f.at) == f.after);
    CHECK(winner_at(f.at - 1) == f.before);
  }
  const auto by_size = std::find_if(c.value().flips.begin(), c.value().flips.end(), [](const Flip& f) { return std::string_view(f.axis) == "model_parameters"; });
  CHECK(by_size != c.value().flips.end());  // from some size on the 24 GB card no longer holds the model
}

TEST_CASE("a comparison names what is wrong with its question", "[compare]") {
  const auto path = [](const std::string& question) { return asked(question)["error"]["path"].get<std::string>(); };
  CHECK(path(R"({"gpus":["nvidia-h100-sxm"]})") == "gpus");
  CHECK(path(R"({"gpus":["nvidia-rtx-4090","no such card"]})") == "gpus/1");
  CHECK(path(R"({"gpus":["nvidia-rtx-4090",{"gpu":"nvidia-rtx-3090","gpu_count":0}]})") == "gpus/1/gpu_count");
  CHECK(path(R"({"gpus":["nvidia-rtx-4090","nvidia-rtx-3090"],"extra":1})") == "extra");
  CHECK(path(R"({"gpus":["nvidia-rtx-4090","nvidia-rtx-3090"],"base":{"utilisation":2}})") == "base/utilisation");
  CHECK(path("[]") == "gpus");
  CHECK(path("{") == "question");
}

}  // namespace
}  // namespace whichgpu
