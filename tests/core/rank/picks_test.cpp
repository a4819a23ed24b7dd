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

TEST_CASE("rows can be ordered by what the cards cost to buy", "[rank]") {
  const Result<Scenario> read = read_scenario({{"model", "llama-3-8b"}, {"gpu_count", 2}});
  REQUIRE(read);
  const Ranking r = rank(test_catalog(), read.value(), RankBy::kUpfront).value();
  double last = 0;
  int known = 0;
  for (const RankRow& row : r.rows) {
    if ((row.verdict != Verdict::kFits && row.verdict != Verdict::kTight) || !row.upfront_usd) continue;
    CHECK(*row.upfront_usd >= last);
    last = *row.upfront_usd;
    ++known;
  }
  CHECK(known > 50);
  // Two of the card at the middle of its street price.
  const Catalog& c = test_catalog();
  for (const Ownership& o : c.ownership) {
    if (o.gpu != "nvidia-rtx-4090") continue;
    for (const RankRow& row : r.rows)
      if (row.gpu->id == o.gpu) CHECK(*row.upfront_usd == *o.street_price_low_usd + *o.street_price_high_usd);
  }
  CHECK_FALSE(ranking_of({{"model", "llama-3-8b"}}).rows.front().upfront_usd);
}

TEST_CASE("one machine, kinds of provider and GPUs that one has are limits", "[rank]") {
  const Ranking one = ranking_of({{"model", "llama-3-8b"}, {"workload", "finetune"}, {"gpu_count", 16}, {"limits", {{"single_node", true}}}});
  int inside = 0, outside = 0;
  for (const RankRow& row : one.rows) {
    if (row.verdict != Verdict::kFits) continue;
    // Sixteen GPUs stand in two machines, but for those whose link joins more than eight.
    CHECK(row.within_limits == (row.gpu->link_max_gpus.value_or(0) >= 16));
    (row.within_limits ? inside : outside) += 1;
  }
  CHECK(inside > 0);
  CHECK(outside > 0);
  const Ranking own = ranking_of({{"model", "llama-3-8b"}, {"limits", {{"gpus", {"rtx 3090", "rtx 4090"}}}}});
  REQUIRE(own.best_value >= 0);
  for (const RankRow& row : own.rows) CHECK(row.within_limits == (row.gpu->id == "nvidia-rtx-3090" || row.gpu->id == "nvidia-rtx-4090"));
  const Ranking markets = ranking_of({{"model", "llama-3-8b"}, {"limits", {{"provider_kinds", {"marketplace"}}}}});
  int rented = 0;
  for (const RankRow& row : markets.rows) {
    CHECK(row.within_limits == row.offer.has_value());
    if (!row.offer) continue;
    CHECK(test_catalog().find_provider(row.offer->provider)->kind == "marketplace");
    ++rented;
  }
  CHECK(rented > 10);
}
