#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <nlohmann/json.hpp>

#include "whichgpu/ownership.hpp"

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
  CHECK_THAT(break_even(own, 2.09, 30, 0.5).hours_per_month.value(), WithinRel(36.5, 1e-12));  // 2.00 saved an hour: half as many
  CHECK_FALSE(break_even(own, 0.08, 30, 0.5).hours_per_month);              // renting below the price of the power never loses
}

TEST_CASE("a run is paid by whole instances and whole units of billing", "[cost]") {
  const Catalog c = money_catalog();
  std::vector<Warning> warnings;
  // By hand: 1.2 h on one card are 2 whole hours at 2.00 = 4.00; three cards are 3 x 2.00 or the whole x4 at 6.00, and equal
  // prices go by the name: bare bills by the second, so 1.2 h x 6.00 = 7.20; five cards 5 x 2.00 for 2 h = 20.00.
  const auto [gpus, hours, paid] = GENERATE(table<int, double, double>({{1, 1.2, 4.0}, {1, 1.0, 2.0}, {3, 1.2, 7.2}, {3, 1.00001, 6.0 * 3601 / 3600}, {5, 1.2, 20.0}}));
  const Question q = question(c, {{"gpu_count", gpus}});
  Estimate e;
  e.scenario = q.scenario;
  e.training = TrainingEstimate{};
  e.training->hours = Quantity::exactly(hours, "h");
  const CostEstimate cost = estimate_cost(q, e, warnings);
  REQUIRE(cost.usd_total);
  CHECK_THAT(cost.usd_total->value, WithinRel(paid, 1e-12));
  CHECK_FALSE(cost.redone_hours);
}

TEST_CASE("work lost to interruptions is done again", "[cost]") {
  constexpr double kLn2 = 0.69314718055994531;
  // By hand: at ln 2 interruptions an hour an hour passes without one with probability 1/2, and is expected to take
  // (2 - 1) / ln 2 = 1.4427 hours; ten such hours, saved hourly, ten times that.
  CHECK_THAT(hours_with_interruptions(10, kLn2, 1).value(), WithinRel(14.426950408889634, 1e-12));
  CHECK_THAT(hours_with_interruptions(2, kLn2 / 2, 0).value(), WithinRel(2.8853900817779268, 1e-12));    // never saved: 2 / ln 2
  CHECK_THAT(hours_with_interruptions(2, kLn2 / 2, 100).value(), WithinRel(2.8853900817779268, 1e-12));  // saved after the end: the same
  CHECK_THAT(hours_with_interruptions(1, 1e-6, 0).value(), WithinRel(1.0000005, 1e-12));                 // half of an hour, once in a million
  CHECK_FALSE(hours_with_interruptions(100, 1, 0));

  const Catalog c = money_catalog();
  std::vector<Warning> warnings;
  Estimate e;
  e.training = TrainingEstimate{};
  e.training->hours = Quantity::exactly(10, "h");
  const Question told = question(c, {{"offer", {{"provider", "cloud"}, {"kind", "spot"}}}, {"spot", {{"interruptions_per_hour", kLn2}, {"checkpoint_h", 1}}}});
  const CostEstimate cost = estimate_cost(told, e, warnings);
  CHECK_THAT(cost.redone_hours->value, WithinRel(4.426950408889634, 1e-12));
  CHECK_THAT(cost.usd_total->value, WithinRel(7.5, 1e-12));  // 14.43 hours are 15 billed ones at 0.50
  CHECK(warnings.empty());
  e.training->hours = Quantity::between(10, 5, 20, "h");  // the ends are lengthened as the middle is: by 0.4427 of themselves
  const CostEstimate between = estimate_cost(told, e, warnings);
  CHECK_THAT(between.redone_hours->p10, WithinRel(2.2134752044448170, 1e-12));
  CHECK_THAT(between.redone_hours->p90, WithinRel(8.8539008177792681, 1e-12));
  e.training->hours = Quantity::exactly(10, "h");
  // A rate that nobody has told is unknown, not zero: said, and the price of the undisturbed run is shown.
  const CostEstimate untold = estimate_cost(question(c, {{"offer", {{"provider", "cloud"}, {"kind", "spot"}}}}), e, warnings);
  CHECK_THAT(untold.usd_total->value, WithinRel(5.0, 1e-12));
  CHECK_FALSE(untold.redone_hours);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].code == "interruptions-unknown");
  warnings.clear();
  const CostEstimate endless = estimate_cost(question(c, {{"offer", {{"provider", "cloud"}, {"kind", "spot"}}}, {"spot", {{"interruptions_per_hour", 10}}}}), e, warnings);
  CHECK_FALSE(endless.usd_total);
  CHECK(warnings.at(0).code == "never-ends");
}

TEST_CASE("owning: resale, colocation and staff", "[cost]") {
  const Catalog c = money_catalog();
  std::vector<Warning> warnings;
  const Question q = question(c, {{"ownership", {{"own", true}, {"usd_per_kwh", 0.2}, {"lifetime_months", 25}, {"pue", 1.5}, {"card_resale_usd", 365}, {"colocation_usd_per_month", 50}, {"staff_usd_per_month", 23}}}, {"utilisation", 0.5}});
  const OwnedHour own = owned_hour(q, 300, warnings);
  CHECK_THAT(own.hardware_usd_per_hour, WithinRel(0.2, 1e-12));  // (2190 - 365) / (25 * 365 h)
  CHECK_THAT(own.fixed_usd_per_hour, WithinRel(0.2, 1e-12));     // 73 / 365
  CHECK_THAT(own.usd_per_hour, WithinRel(0.49, 1e-12));          // and 0.3 kW * 1.5 * 0.2
  CHECK_THAT(idle_month_usd(own, 25), WithinRel(146.0, 1e-12));  // 1825 / 25 + 73
  const BreakEven even = break_even(own, 1.09, 25, 0.5);
  CHECK_THAT(even.hours_per_month.value(), WithinRel(146.0, 1e-12));  // 1.00 saved an hour
  CHECK_THAT(even.months.value(), WithinRel(6.25, 1e-12));            // 1825 / (365 - 73)
  // A used card has its own price; where none is known it is not the new one's.
  CHECK_FALSE(owned_hour(question(c, {{"ownership", {{"used", true}}}}), 300, warnings).known);
  CHECK(warnings.back().code == "card-price-unknown");
  CHECK(cards_usd(q) == 1900.0);
  CHECK_FALSE(cards_usd(question(c, {{"gpu", "lonely"}})));
}

TEST_CASE("owning against every offer: where the lines of a month cross", "[cost]") {
  Catalog c = money_catalog();
  // 2190 / 30 = 73 a month without use; 0.4 kW * 1.25 * 0.2 = 0.10 an hour.
  const json scenario = {{"ownership", {{"country", "TL"}, {"lifetime_months", 30}, {"pue", 1.25}}}};
  for (Offer& o : c.offers)
    if (o.instance == "x1" && o.price_date == "2026-11-01") o.reserved_1y_usd_per_hour = 0.25, o.reserved_3y_usd_per_hour = 0.15;
  const OwnershipView v = ownership(question(c, scenario));
  REQUIRE(v.owned.known);
  CHECK_THAT(v.idle_month_usd, WithinRel(73.0, 1e-12));
  CHECK_THAT(v.owned_month_usd(100), WithinRel(83.0, 1e-12));
  REQUIRE(v.offers.size() == 5);  // sorted by price; the marketplace's floor is no offer
  const auto is = [&](int i, const char* kind, const char* pays, Figure hours, Figure months) {
    CAPTURE(i);
    CHECK(std::string(v.offers[i].kind) == kind);
    CHECK(std::string(to_word(v.offers[i].pays)) == pays);
    REQUIRE(v.offers[i].hours_per_month.has_value() == hours.has_value());
    if (hours) CHECK_THAT(*v.offers[i].hours_per_month, WithinRel(*hours, 1e-12));
    REQUIRE(v.offers[i].months.has_value() == months.has_value());
    if (months) CHECK_THAT(*v.offers[i].months, WithinRel(*months, 1e-12));
  };
  // A reservation is paid all month: 0.15 * 730 = 109.50 = 73 + 0.10 * 365, and 0.25 * 730 = 182.50 is above 73 + 73 always.
  // In use all month: 2190 / (109.50 - 73) = 60 months are beyond its life, 2190 / (182.50 - 73) = 20 are not.
  is(0, "reserved-3y", "up-to", 365.0, std::nullopt);
  is(1, "reserved-1y", "always", std::nullopt, 20.0);
  is(2, "spot", "from", 182.5, 7.5);                     // 73 / 0.40; 2190 / (0.40 * 730)
  is(3, "on-demand", "from", 73 / 1.9, 2190 / (1.9 * 730));
  is(4, "on-demand", "from", 73 / 5.9, 2190 / (5.9 * 730));
  // Renting for less than the power costs never loses.
  for (Offer& o : c.offers) o.spot_usd_per_hour = 0.09;
  CHECK(ownership(question(c, scenario)).offers[0].pays == OwningPays::kNever);
  // Nobody rents it out and no price is known: said, not guessed.
  const OwnershipView unknown = ownership(question(c, {{"gpu", "lonely"}}));
  CHECK_FALSE(unknown.owned.known);
  CHECK(unknown.offers.empty());
}

TEST_CASE("rent or own as text has the lines' points and the error object", "[cost]") {
  const Catalog c = money_catalog();
  const json answer = json::parse(ownership_json(c, R"({"workload":"hpc","gpu":"card","ownership":{"country":"TL","lifetime_months":30,"pue":1.25}})"));
  REQUIRE(answer["points"].size() == 11);
  CHECK(answer["points"][5]["hours"] == 365.0);
  CHECK_THAT(answer["points"][5]["own_usd"].get<double>(), WithinRel(109.5, 1e-12));
  CHECK_THAT(answer["points"][5]["offers_usd"][0].get<double>(), WithinRel(182.5, 1e-12));  // spot at 0.50
  CHECK(answer["offers"][0]["owning_pays"] == "from");
  CHECK(answer["owned"]["price_basis"] == "street price");
  CHECK(json::parse(ownership_json(c, R"({"workload":"hpc","gpu":"cart"})"))["error"]["path"] == "gpu");
}

TEST_CASE("offers can be held to kinds of provider", "[cost]") {
  Catalog c = money_catalog();
  c.providers[0].kind = "hyperscaler";
  c.providers[1].kind = "specialist";
  std::vector<Warning> warnings;
  CHECK(estimate_cost(question(c, {{"limits", {{"provider_kinds", {"specialist"}}}}}), {}, warnings).offer->provider == "bare");
  CHECK(estimate_cost(question(c, {{"limits", {{"provider_kinds", {"specialist", "hyperscaler"}}}}}), {}, warnings).offer->provider == "cloud");
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

TEST_CASE("tokens and pictures are paid by the machine's time", "[cost]") {
  const Catalog c = money_catalog();
  std::vector<Warning> warnings;
  Question q = question(c, {{"price_usd_per_hour", 3.6}, {"utilisation", 0.5}});
  Estimate e;
  e.scenario = q.scenario;
  e.scenario.workload = Workload::kServing;
  e.speed = SpeedEstimate{};
  e.speed->throughput_tokens_per_s = Quantity::between(100, 50, 200, "tokens/s");
  e.speed->prefill_tokens_per_s = Quantity::exactly(1000, "tokens/s");
  // By hand: half idle, a busy second costs 3.6 / 3600 / 0.5 = 0.002; a million tokens at 100 a second take 10,000 of them.
  CostEstimate cost = estimate_cost(q, e, warnings);
  CHECK_THAT(cost.usd_per_million_output_tokens->value, WithinRel(20.0, 1e-12));
  CHECK_THAT(cost.usd_per_million_output_tokens->p10, WithinRel(10.0, 1e-12));  // the fast end is the cheap one
  CHECK_THAT(cost.usd_per_million_output_tokens->p90, WithinRel(40.0, 1e-12));
  CHECK_THAT(cost.usd_per_million_input_tokens->value, WithinRel(2.0, 1e-12));
  e.speed->prefill_tokens_per_s = Quantity::exactly(0, "tokens/s");
  CHECK_FALSE(estimate_cost(q, e, warnings).usd_per_million_input_tokens);  // no rate, no price

  e.speed.reset();
  e.image_generation = ImageEstimate{};
  e.image_generation->seconds_per_image = Quantity::between(5, 4, 8, "s");
  cost = estimate_cost(q, e, warnings);
  CHECK_THAT(cost.usd_per_1000_images->value, WithinRel(10.0, 1e-12));  // 5 s * 0.002 * 1000
  CHECK_THAT(cost.usd_per_1000_images->p10, WithinRel(8.0, 1e-12));
  CHECK_THAT(cost.usd_per_1000_images->p90, WithinRel(16.0, 1e-12));
}
