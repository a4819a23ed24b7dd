#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <nlohmann/json.hpp>

#include "whichgpu/cost.hpp"

using namespace whichgpu;
using Catch::Matchers::WithinRel;
using nlohmann::json;

namespace {

/// Two cards, three providers; every figure made up so that sums can be done by hand.
Catalog money_catalog() {
  const json document = json::parse(R"({
    "catalog": {"as_of": "2026-12-01"},
    "gpus": [{"id": "card", "name": "Card", "vendor": "NVIDIA", "memory_gib_usable": 24, "memory_gb": 24, "bandwidth_gb_per_s": 1000, "tdp_w": 400},
             {"id": "lonely", "name": "Lonely", "vendor": "NVIDIA", "memory_gib_usable": 24, "memory_gb": 24, "bandwidth_gb_per_s": 1000}],
    "models": [], "quants": [], "engines": [{"id": "llama.cpp", "name": "llama.cpp"}],
    "providers": [{"id": "cloud", "name": "Cloud", "billing_granularity": "per hour", "max_gpus_per_node": 8},
                  {"id": "bare", "name": "Bare", "billing_granularity": "per second", "max_gpus_per_node": 4},
                  {"id": "odd", "name": "Odd"}],
    "offers": [
      {"provider": "cloud", "instance": "x1", "gpu": "card", "gpu_count": 1, "region": "here", "price_usd_per_hour": 2.0, "spot_usd_per_hour": 0.5, "price_date": "2026-11-01"},
      {"provider": "cloud", "instance": "x1", "gpu": "card", "gpu_count": 1, "region": "here", "price_usd_per_hour": 1.0, "price_date": "2025-01-01"},
      {"provider": "cloud", "instance": "x1", "gpu": "card", "gpu_count": 1, "region": "here", "price_usd_per_hour": 0.1, "price_date": "2026-12-15"},
      {"provider": "bare", "instance": "x4", "gpu": "card", "gpu_count": 4, "region": "there", "price_usd_per_hour": 6.0, "price_date": "2026-08-01"},
      {"provider": "odd", "instance": "floor", "gpu": "card", "gpu_count": 1, "region": "any", "price_usd_per_hour": 0.2, "price_date": "2026-11-01", "labels": ["marketplace-floor"]}],
    "ownership": [{"gpu": "card", "street_price_low_usd": 1800, "street_price_high_usd": 2000, "host_server_cost_usd_per_gpu": 290, "typical_llm_power_w": 300}],
    "electricity": [{"country": "Testland", "code": "TL", "household_usd_per_kwh": 0.2, "gco2_per_kwh": 500, "year": 2025}],
    "currencies": [{"code": "EUR", "name": "Euro", "usd_per_unit": 1.25, "date": "2026-11-01"}]})");
  Result<Catalog> c = load_catalog(document);
  REQUIRE(c);
  return c.value();
}

Question question(const Catalog& c, const json& scenario) {
  json s = scenario;
  s["workload"] = "hpc";
  if (!s.contains("gpu")) s["gpu"] = "card";
  const Result<Scenario> read = read_scenario(s);
  REQUIRE(read);
  const Result<Question> q = resolve(c, read.value());
  REQUIRE(q);
  return q.value();
}

}  // namespace

TEST_CASE("the newest price not after the date is used", "[cost]") {
  const Catalog c = money_catalog();
  std::vector<Warning> warnings;
  const auto [as_of, price] = GENERATE(table<const char*, double>({{"2026-12-01", 2.0}, {"2026-10-31", 1.0}, {"2026-12-31", 0.1}}));
  const CostEstimate cost = estimate_cost(question(c, {{"as_of", as_of}, {"offer", {{"provider", "cloud"}}}}), {}, warnings);
  REQUIRE(cost.usd_per_hour);
  CHECK_THAT(cost.usd_per_hour->value, WithinRel(price, 1e-12));
}

TEST_CASE("whole instances are paid", "[cost]") {
  const Catalog c = money_catalog();
  std::vector<Warning> warnings;
  // By hand: one card 1 x 2.0; two cards 2 x 2.0 (single cards of one node) against a whole x4 at 6.0; four cards the x4 at
  // 6.0 against 4 x 2.0; five cards 5 x 2.0, since an x4 does not hold them.
  const auto [gpus, price, instance] = GENERATE(table<int, double, const char*>({{1, 2.0, "x1"}, {2, 4.0, "x1"}, {4, 6.0, "x4"}, {5, 10.0, "x1"}}));
  const CostEstimate cost = estimate_cost(question(c, {{"gpu_count", gpus}}), {}, warnings);
  REQUIRE(cost.offer);
  CHECK_THAT(cost.usd_per_hour->value, WithinRel(price, 1e-12));
  CHECK(cost.offer->instance == instance);
}

TEST_CASE("floors of a marketplace are no offer unless asked for", "[cost]") {
  const Catalog c = money_catalog();
  std::vector<Warning> warnings;
  CHECK(estimate_cost(question(c, {{"offer", {{"provider", "any"}}}}), {}, warnings).offer->provider == "cloud");
  CHECK(estimate_cost(question(c, {{"offer", {{"provider", "odd"}}}}), {}, warnings).offer->labels == std::vector<std::string>{"marketplace-floor"});
}

TEST_CASE("old prices, spot prices and cards that nobody rents are told", "[cost]") {
  const Catalog c = money_catalog();
  std::vector<Warning> warnings;
  // On 2026-10-31 the newest price of x1 is of 2025-01-01, 668 days old; the x4 of 2026-08-01 is not stale and comes first.
  CHECK(estimate_cost(question(c, {{"as_of", "2026-10-31"}, {"offer", {{"provider", "cloud"}}}}), {}, warnings).offer->stale);
  CHECK(warnings.at(0).code == "stale-price");
  CHECK_THAT(estimate_cost(question(c, {{"offer", {{"kind", "spot"}}}, {"as_of", "2026-12-01"}}), {}, warnings).usd_per_hour->value, WithinRel(0.5, 1e-12));
  CHECK(estimate_cost(question(c, {{"as_of", "2026-10-31"}, {"gpu_count", 1}}), {}, warnings).offer->instance == "x4");
  warnings.clear();
  CHECK_FALSE(estimate_cost(question(c, {{"gpu", "lonely"}}), {}, warnings).usd_per_hour);
  CHECK(warnings.at(0).code == "own-only");
}

TEST_CASE("runs are billed in the provider's unit", "[cost]") {
  const auto [hours, unit, paid] = GENERATE(table<double, const char*, double>({{1.2, "per hour", 2.0}, {1.0, "per hour", 1.0}, {0.5, "per minute", 0.5}, {0.505, "per minute", 31.0 / 60}, {0.5001, "per second, 60 s minimum", 1801.0 / 3600}, {0.123, "", 0.123}}));
  CHECK_THAT(billed_hours(hours, unit), WithinRel(paid, 1e-12));
}

TEST_CASE("owning: hardware over its life, power by the meter", "[cost]") {
  const Catalog c = money_catalog();
  std::vector<Warning> warnings;
  const Question q = question(c, {{"ownership", {{"own", true}, {"country", "Testland"}, {"lifetime_months", 30}, {"pue", 1.5}}}, {"utilisation", 0.5}});
  const OwnedHour own = owned_hour(q, 300, warnings);
  REQUIRE(own.known);
  CHECK_THAT(own.hardware_usd, WithinRel(2190.0, 1e-12));                   // (1800 + 2000) / 2 + 290
  CHECK_THAT(own.hardware_usd_per_hour, WithinRel(0.2, 1e-12));             // 2190 / (30 * 730 * 0.5)
  CHECK_THAT(own.power_usd_per_hour, WithinRel(0.09, 1e-12));               // 0.3 kW * 1.5 * 0.2
  CHECK(warnings.empty());
  // Renting at 1.09 saves 1.00 an hour: 2190 / 30 months = 73 a month, so 73 hours; at half use (365 h a month) 6 months.
  const BreakEven even = break_even(own, 1.09, 30, 0.5);
  CHECK_THAT(even.hours_per_month.value(), WithinRel(73.0, 1e-12));
  CHECK_THAT(even.months.value(), WithinRel(6.0, 1e-12));
  CHECK_FALSE(break_even(own, 0.08, 30, 0.5).hours_per_month);              // renting below the price of the power never loses
}

TEST_CASE("days between dates are counted by the calendar", "[cost]") {
  CHECK(*days_of("1970-01-01") == 0);
  CHECK(*days_of("2000-03-01") - *days_of("2000-02-28") == 2);  // a leap year
  CHECK(*days_of("2026-12-01") - *days_of("2026-06-04") == 180);
  CHECK_FALSE(days_of("soon"));
  CHECK_FALSE(days_of("2026-13-01"));
}

TEST_CASE("a price of one's own is converted at the dated rate", "[cost]") {
  const Catalog c = money_catalog();
  std::vector<Warning> warnings;
  const CostEstimate cost = estimate_cost(question(c, {{"price", {{"per_hour", 1.2}, {"currency", "eur"}, {"seller", "My colo"}}}}), {}, warnings);
  REQUIRE(cost.usd_per_hour);
  CHECK_THAT(cost.usd_per_hour->value, WithinRel(1.5, 1e-12));  // by hand: 1.2 * 1.25
  REQUIRE(cost.terms.size() == 1);
  CHECK(cost.terms[0].formula.find("My colo") != std::string::npos);
  CHECK(cost.terms[0].formula.find("rate of 2026-11-01") != std::string::npos);
  CHECK_FALSE(cost.offer);
  // A currency without a rate is an error, and so are two prices.
  const Result<Scenario> yen = read_scenario({{"workload", "hpc"}, {"gpu", "card"}, {"price", {{"per_hour", 1}, {"currency", "JPY"}}}});
  REQUIRE(yen);
  const Result<Question> asked = resolve(c, yen.value());
  REQUIRE_FALSE(asked);
  CHECK(asked.error().path == "price/currency");
  CHECK_FALSE(read_scenario({{"price_usd_per_hour", 1}, {"price", {{"per_hour", 1}}}}));
}

TEST_CASE("a marketplace's price is a span", "[cost]") {
  Catalog c = money_catalog();
  std::vector<Warning> warnings;
  const CostEstimate one = estimate_cost(question(c, {{"offer", {{"provider", "odd"}}}}), {}, warnings);
  CHECK_FALSE(one.market_low_usd_per_hour);  // one price is no span
  Offer median = c.offers.back();            // sorted by GPU, provider, instance: this is odd's floor of 0.2
  REQUIRE(median.instance == "floor");
  median.instance = "median";
  median.price_usd_per_hour = 0.5;
  median.labels = {"marketplace-median"};
  c.offers.push_back(median);
  const CostEstimate two = estimate_cost(question(c, {{"offer", {{"provider", "odd"}}}}), {}, warnings);
  CHECK(two.usd_per_hour->value == 0.5);  // the median is the point, the floor an end
  CHECK(two.market_low_usd_per_hour == 0.2);
  CHECK(two.market_high_usd_per_hour == 0.5);
  CHECK_FALSE(estimate_cost(question(c, {{"offer", {{"provider", "cloud"}}}}), {}, warnings).market_low_usd_per_hour);
}

TEST_CASE("an API's price is set against the machine's", "[cost]") {
  const Catalog c = money_catalog();
  std::vector<Warning> warnings;
  Question q = question(c, {{"price_usd_per_hour", 3.6}, {"prompt_tokens", 1000}, {"output_tokens", 500}, {"api", {{"usd_per_million_input_tokens", 1}, {"usd_per_million_output_tokens", 4}}}});
  Estimate e;
  e.scenario = q.scenario;
  e.speed = SpeedEstimate{};
  e.speed->requests_per_s = Quantity::exactly(2, "requests/s");
  const CostEstimate cost = estimate_cost(q, e, warnings);
  CHECK_THAT(cost.api_usd_per_1000_requests.value(), WithinRel(3.0, 1e-12));      // (1000 * 1 + 500 * 4) / 1e6 = 0.003 each
  CHECK_THAT(cost.usd_per_1000_requests.value(), WithinRel(0.5, 1e-12));          // 3.6 / 3600 / 2 = 0.0005 each
  CHECK_THAT(cost.break_even_requests_per_month.value(), WithinRel(876000, 1e-12));  // 3.6 * 730 / 0.003
  e.speed->requests_per_s = Quantity::exactly(0.1, "requests/s");                 // 262,800 a month: it cannot serve as many
  CHECK_FALSE(estimate_cost(q, e, warnings).break_even_requests_per_month);
}
