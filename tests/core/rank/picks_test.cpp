#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "support/test_catalog.hpp"
#include "whichgpu/rank.hpp"

using namespace whichgpu;
using nlohmann::json;

namespace {

Ranking ranking_of(const json& scenario) {
  const Result<Scenario> read = read_scenario(scenario);
  REQUIRE(read);
  const Result<Ranking> r = rank(test_catalog(), read.value(), RankBy::kValue);
  REQUIRE(r);
  return r.value();
}

}  // namespace

TEST_CASE("a pick's sentence is made from its row and the one it is set against", "[rank]") {
  const Ranking r = ranking_of({{"model", "llama-3-8b"}});
  REQUIRE(r.best_value >= 0);
  REQUIRE(r.fastest >= 0);
  REQUIRE(r.best_value != r.fastest);
  const json picks = json::parse(rank_text(r))["picks"];
  const std::string value = picks["best_value"]["why"], fastest = picks["fastest"]["why"];
  CHECK(value.find("fits with ") == 0);
  CHECK(value.find("slower than " + r.rows[r.fastest].gpu->name) != std::string::npos);
  CHECK(value.find("cheaper for the same work") != std::string::npos);
  CHECK(value.find(" but ") != std::string::npos);
  CHECK(fastest.find("faster than " + r.rows[r.best_value].gpu->name) != std::string::npos);
  CHECK(fastest.find("dearer for the same work") != std::string::npos);
}

TEST_CASE("memory that has to stay free is a limit", "[rank]") {
  const Ranking free_choice = ranking_of({{"model", "llama-3-8b"}});
  const Ranking limited = ranking_of({{"model", "llama-3-8b"}, {"limits", {{"headroom_gib", 20}}}});
  int kept = 0, lost = 0;
  for (const RankRow& row : limited.rows) {
    if (row.verdict != Verdict::kFits && row.verdict != Verdict::kTight) continue;
    CHECK(row.within_limits == (row.capacity_gib - row.per_gpu_gib >= 20));
    (row.within_limits ? kept : lost) += 1;
  }
  CHECK(kept > 0);
  CHECK(lost > 0);
  CHECK(limited.fits == free_choice.fits);  // a limit does not change what fits
}
