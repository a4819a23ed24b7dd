#include <algorithm>
#include <cmath>

#include "base/order.hpp"
#include "base/text.hpp"
#include "whichgpu/cost.hpp"

namespace whichgpu {

std::optional<int> days_of(std::string_view date) {
  if (date.size() != 4 && date.size() != 7 && date.size() != 10) return std::nullopt;
  const auto part = [&](std::size_t at, std::size_t length) -> int {
    int value = 0;
    for (std::size_t i = at; i < at + length; ++i) {
      if (date[i] < '0' || date[i] > '9') return -1;
      value = value * 10 + (date[i] - '0');
    }
    return value;
  };
  const int year = part(0, 4), month = date.size() >= 7 ? part(5, 2) : 7, day = date.size() == 10 ? part(8, 2) : date.size() == 7 ? 15 : 1;
  if (year < 0 || month < 1 || month > 12 || day < 1 || day > 31) return std::nullopt;
  // Days from the civil date, years beginning in March so that the leap day comes last.
  const int y = month <= 2 ? year - 1 : year, m = month <= 2 ? month + 9 : month - 3;
  const int era = y / 400, year_of_era = y - era * 400, day_of_year = (153 * m + 2) / 5 + day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

double billed_hours(double hours, std::string_view billing) {
  const std::string text = lower(billing);
  double unit = 0;
  if (contains(text, "second")) unit = 1.0 / 3600;
  else if (contains(text, "minute")) unit = 1.0 / 60;
  else if (contains(text, "hour")) unit = 1;
  if (unit == 0) return hours;
  // A hair under a whole unit is that unit: 1/3 h is 20 minutes, whatever the last bit says.
  return std::ceil(hours / unit - 1e-9) * unit;
}

namespace {

/// Rows that are no real offer of hours: floors, fractions, estimates, unread figures, and quotas that are given away.
bool improper(const Offer& o, double usd_per_hour) {
  if (!(usd_per_hour > 0)) return true;
  for (const std::string& label : o.labels)
    for (const char* bad : {"unverified", "fractional", "commitment-only", "marketplace-floor", "spot-derived", "interruptible", "low-end-of-range", "estimate", "from-memory"})
      if (label == bad) return true;
  return false;
}

const Figure& price_of(const Offer& o, std::string_view kind) {
  if (kind == "spot") return o.spot_usd_per_hour;
  if (kind == "reserved-1y") return o.reserved_1y_usd_per_hour;
  if (kind == "reserved-3y") return o.reserved_3y_usd_per_hour;
  return o.price_usd_per_hour;
}

}  // namespace

std::vector<PricedOffer> offers_for(const Question& q) {
  std::vector<PricedOffer> out;
  if (!q.gpu || q.gpu->index < 0 || q.box.size() > 1) return out;
  const Scenario& s = q.scenario;
  const Catalog& c = *q.catalog;
  const auto first = std::lower_bound(c.offers.begin(), c.offers.end(), q.gpu->index, [](const Offer& o, int gpu) { return o.gpu_index < gpu; });
  const int per_node = (s.gpu_count + s.nodes - 1) / s.nodes;
  const std::optional<int> today = days_of(s.as_of);
  const bool any = s.offer.provider.empty() || s.offer.provider == "any";
  for (auto it = first; it != c.offers.end() && it->gpu_index == q.gpu->index;) {
    // One run of rows is the history of one offer, oldest first.
    const Offer* newest = nullptr;
    auto end = it;
    for (; end != c.offers.end() && end->gpu_index == it->gpu_index && end->provider == it->provider && end->instance == it->instance && end->region == it->region; ++end)
      if (end->price_date <= s.as_of && price_of(*end, s.offer.kind)) newest = &*end;
    it = end;
    if (!newest || (!any && newest->provider != s.offer.provider)) continue;
    if (!s.offer.region.empty() && !contains(lower(newest->region), lower(s.offer.region))) continue;
    if (!s.offer.instance.empty() && newest->instance != s.offer.instance) continue;
    const Provider* provider = newest->provider_index >= 0 ? &c.providers[newest->provider_index] : nullptr;
    const std::vector<std::string>& kinds = s.limits.provider_kinds;
    if (!kinds.empty() && !(provider && std::find(kinds.begin(), kinds.end(), provider->kind) != kinds.end())) continue;
    double instances = 0;
    if (newest->gpu_count >= per_node) instances = s.nodes;
    else if (newest->gpu_count == 1 && provider && provider->max_gpus_per_node.value_or(1) >= per_node) instances = s.gpu_count;
    if (instances == 0) continue;
    PricedOffer p;
    p.offer = newest;
    p.instances = instances;
    p.usd_per_hour = instances * *price_of(*newest, s.offer.kind);
    p.proper = !improper(*newest, p.usd_per_hour);
    const std::optional<int> priced = days_of(newest->price_date);
    p.stale = today && priced && *today - *priced > kStaleAfterDays;
    out.push_back(p);
  }
  sort_rows(out, [](const PricedOffer& a, const PricedOffer& b) {
    if (a.proper != b.proper) return a.proper;
    if (a.stale != b.stale) return b.stale;  // a price of today before a cheaper one of long ago
    if (a.usd_per_hour != b.usd_per_hour) return a.usd_per_hour < b.usd_per_hour;
    if (a.offer->provider != b.offer->provider) return a.offer->provider < b.offer->provider;
    if (a.offer->instance != b.offer->instance) return a.offer->instance < b.offer->instance;
    return a.offer->region < b.offer->region;
  });
  return out;
}

}  // namespace whichgpu
