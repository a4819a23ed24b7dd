#include "whichgpu/ownership.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/json_fields.hpp"
#include "base/json_text.hpp"
#include "base/order.hpp"
#include "whichgpu/api.hpp"

namespace whichgpu {
namespace {

using nlohmann::json;

constexpr const char* kKinds[] = {"on-demand", "spot", "reserved-1y", "reserved-3y"};
constexpr int kPoints = 10;  // steps of the month that the curves are told at

bool all_month(std::string_view kind) { return kind.substr(0, 8) == "reserved"; }

/// Rent and owning are straight lines over the hours of use: where they cross, and which is lower before and after.
void cross(AgainstOwning& a, const OwnershipView& v, const Question& q) {
  if (!v.owned.known) return;
  const auto saved = [&](double hours) { return a.month_usd(hours) - v.owned_month_usd(hours); };
  const double empty = saved(0), full = saved(kHoursPerMonth);
  a.pays = empty > 0 ? (full > 0 ? OwningPays::kAlways : OwningPays::kUpTo) : full > 0 ? OwningPays::kFrom : OwningPays::kNever;
  if (a.pays == OwningPays::kFrom || a.pays == OwningPays::kUpTo) a.hours_per_month = empty / (empty - full) * kHoursPerMonth;
  // What a month saves beside the hardware itself.
  const double hours = kHoursPerMonth * q.scenario.utilisation;
  const double kept = a.month_usd(hours) - v.owned.power_usd_per_hour * hours - v.owned.fixed_usd_per_month;
  const double months = kept > 0 ? (v.owned.hardware_usd - v.owned.resale_usd) / kept : -1;
  if (months >= 0 && months <= q.scenario.ownership.lifetime_months) a.months = months;
}

json owned_json(const OwnershipView& v) {
  JsonFields o;
  const OwnedHour& w = v.owned;
  o.set("usd_per_hour", w.usd_per_hour);
  o.set("cards_usd", w.cards_usd);
  o.set("hardware_usd", w.hardware_usd);
  o.set("resale_usd", w.resale_usd);
  o.set("price_basis", w.price_basis);
  o.set("fixed_usd_per_month", w.fixed_usd_per_month);
  o.set("idle_month_usd", v.idle_month_usd);
  o.set("electricity_counted", w.power_usd_per_hour > 0);
  if (w.power_usd_per_hour > 0) {
    o.set("watts", w.watts);
    o.set("usd_per_kwh", w.usd_per_kwh);
    o.set("power_usd_per_hour", w.power_usd_per_hour);
  }
  return o.take();
}

}  // namespace

const char* to_word(OwningPays pays) {
  constexpr const char* kWords[] = {"always", "from", "up-to", "never"};
  return kWords[static_cast<std::size_t>(pays)];
}

double AgainstOwning::month_usd(double hours) const { return priced.usd_per_hour * (all_month(kind) ? kHoursPerMonth : hours); }

OwnershipView ownership(const Question& question) {
  OwnershipView out;
  out.scenario = question.scenario;
  const Workload w = question.scenario.workload;
  out.owned = owned_hour(question, drawn_w(question, w == Workload::kChat || w == Workload::kServing || w == Workload::kRag).value_or(0), out.warnings);
  if (out.owned.known) out.idle_month_usd = idle_month_usd(out.owned, question.scenario.ownership.lifetime_months);
  Question q = question;
  for (const char* kind : kKinds) {
    q.scenario.offer.kind = kind;
    std::vector<std::string_view> seen;
    for (const PricedOffer& p : offers_for(q)) {
      const std::string_view provider = p.offer->provider;
      if (!p.proper || std::find(seen.begin(), seen.end(), provider) != seen.end()) continue;
      seen.push_back(provider);
      AgainstOwning a;
      a.priced = p;
      a.kind = kind;
      cross(a, out, question);
      out.offers.push_back(std::move(a));
    }
  }
  sort_rows(out.offers, [](const AgainstOwning& a, const AgainstOwning& b) {
    if (a.priced.stale != b.priced.stale) return b.priced.stale;
    return a.priced.usd_per_hour < b.priced.usd_per_hour;
  });
  return out;
}

std::string ownership_json(const Catalog& catalog, std::string_view text) {
  const Result<json> document = parse_json(text, "scenario");
  if (!document) return error_json(document.error());
  const Result<Scenario> scenario = read_scenario(document.value());
  if (!scenario) return error_json(scenario.error());
  const Result<Question> question = resolve(catalog, scenario.value());
  if (!question) return error_json(question.error());
  const OwnershipView v = ownership(question.value());

  JsonFields out;
  out.set("scenario", to_json(v.scenario));
  if (v.owned.known) out.set("owned", owned_json(v));
  json offers = json::array(), points = json::array(), warnings = json::array();
  for (const AgainstOwning& a : v.offers) {
    const Offer& offer = *a.priced.offer;
    JsonFields o;
    o.set("provider", offer.provider);
    o.set("instance", offer.instance);
    o.set("region", offer.region);
    o.set("kind", a.kind);
    o.set("price_date", offer.price_date);
    o.set("stale", a.priced.stale);
    o.set("usd_per_hour", a.priced.usd_per_hour);
    if (v.owned.known) {
      o.set("owning_pays", to_word(a.pays));
      o.set_known("hours_per_month", a.hours_per_month);
      o.set_known("months", a.months);
    }
    offers.push_back(o.take());
  }
  for (int i = 0; i <= kPoints; ++i) {
    const double hours = kHoursPerMonth * i / kPoints;
    json rents = json::array();
    for (const AgainstOwning& a : v.offers) rents.push_back(json(a.month_usd(hours)));
    JsonFields o;
    o.set("hours", hours);
    if (v.owned.known) o.set("own_usd", v.owned_month_usd(hours));
    o.set("offers_usd", std::move(rents));
    points.push_back(o.take());
  }
  for (const Warning& w : v.warnings) {
    JsonFields o;
    o.set("code", w.code);
    o.set("message", w.message);
    warnings.push_back(o.take());
  }
  out.set("offers", std::move(offers));
  out.set("points", std::move(points));
  out.set("warnings", std::move(warnings));
  return json_text(out.take());
}

}  // namespace whichgpu
