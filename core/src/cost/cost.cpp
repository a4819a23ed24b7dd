#include "whichgpu/cost.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "whichgpu/math.hpp"

namespace whichgpu {
namespace {

constexpr double kSecondsPerHour = 3600.0;

const Ownership* ownership_of(const Question& q, const Gpu& gpu) {
  for (const Ownership& o : q.catalog->ownership)
    if (o.gpu_index == gpu.index && gpu.index >= 0) return &o;
  return nullptr;
}

Figure middle(const Figure& low, const Figure& high) {
  if (low && high) return (*low + *high) / 2;
  return low ? low : high;
}

struct CardPrice { Figure usd; const char* basis = ""; };

CardPrice card_price(const Question& q, const Gpu& gpu, const Ownership* row) {
  const Scenario::Owner& own = q.scenario.ownership;
  if (own.card_price_usd) return {own.card_price_usd, "typed in"};
  const CardPrice street = {row ? middle(row->street_price_low_usd, row->street_price_high_usd) : std::nullopt, "street price"};
  const CardPrice used = {row ? middle(row->used_price_low_usd, row->used_price_high_usd) : std::nullopt, "used price"};
  const CardPrice launch = {gpu.launch_price_usd, "launch price"};
  if (own.used) return used;  // a new card's price says nothing of a used one
  return street.usd ? street : used.usd ? used : launch;
}

const Electricity* electricity_of(const Question& q) {
  const std::string wanted = lower(q.scenario.ownership.country);
  if (wanted.empty()) return nullptr;
  for (const Electricity& e : q.catalog->electricity)
    if (lower(e.country) == wanted || lower(e.code) == wanted) return &e;
  return nullptr;
}

/// Hours of a run, where the workload is one.
const std::optional<Quantity>* run_hours(const Estimate& e) {
  if (e.training) return &e.training->hours;
  if (e.vision) return &e.vision->hours;
  return nullptr;
}

/// Generated tokens a second of the whole system.
const std::optional<Quantity>* token_rate(const Estimate& e) {
  if (!e.speed) return nullptr;
  return e.scenario.workload == Workload::kChat ? &e.speed->decode_tokens_per_s : &e.speed->throughput_tokens_per_s;
}

/// cost = k / rate: the dear end of the interval comes from the slow end of the rate.
Quantity per_rate(double k, const Quantity& rate, const char* unit) {
  if (rate.exact) return Quantity::exactly(k / rate.value, unit);
  return Quantity::between(k / rate.value, k / rate.p90, k / rate.p10, unit);
}

}  // namespace

OwnedHour owned_hour(const Question& q, double watts, std::vector<Warning>& warnings) {
  OwnedHour out;
  const Scenario::Owner& own = q.scenario.ownership;
  double hardware = 0;
  for (const auto& [gpu, count] : q.box) {
    const Ownership* row = ownership_of(q, *gpu);
    const CardPrice price = card_price(q, *gpu, row);
    if (!price.usd) {
      warnings.push_back({"card-price-unknown", std::string("No ") + (own.used ? "used " : "") + "price of " + gpu->name + " is known; type one in to see what owning costs."});
      return out;
    }
    out.price_basis = price.basis;
    out.cards_usd += count * *price.usd;
    out.resale_usd += count * own.card_resale_usd.value_or(0);
    const Figure host = row ? row->host_server_cost_usd_per_gpu : std::nullopt;
    if (!host) warnings.push_back({"host-price-unknown", "The host's share for " + gpu->name + " is not known and left out."});
    hardware += count * (*price.usd + host.value_or(0));
  }
  out.known = true;
  out.hardware_usd = hardware;
  out.resale_usd = std::min(out.resale_usd, hardware);
  const double used_hours = kHoursPerMonth * q.scenario.utilisation;  // in a month
  out.hardware_usd_per_hour = (hardware - out.resale_usd) / (own.lifetime_months * used_hours);
  out.fixed_usd_per_month = own.colocation_usd_per_month.value_or(0) + own.staff_usd_per_month.value_or(0);
  out.fixed_usd_per_hour = out.fixed_usd_per_month / used_hours;
  Figure per_kwh = own.usd_per_kwh;
  if (!per_kwh)
    if (const Electricity* e = electricity_of(q)) per_kwh = e->household_usd_per_kwh ? e->household_usd_per_kwh : e->industrial_usd_per_kwh;
  if (watts > 0 && per_kwh) {
    out.watts = watts;
    out.usd_per_kwh = *per_kwh;
    out.power_usd_per_hour = watts / 1000 * own.pue * *per_kwh;
  } else {
    warnings.push_back({"electricity-left-out", watts > 0 ? "Electricity is left out: say the country or a price per kWh." : "Electricity is left out: the power draw is not known."});
  }
  out.usd_per_hour = out.hardware_usd_per_hour + out.fixed_usd_per_hour + out.power_usd_per_hour;
  return out;
}

double idle_month_usd(const OwnedHour& owned, double lifetime_months) { return (owned.hardware_usd - owned.resale_usd) / lifetime_months + owned.fixed_usd_per_month; }

BreakEven break_even(const OwnedHour& owned, double rent_usd_per_hour, double lifetime_months, double utilisation) {
  BreakEven out;
  const double saved_per_hour = rent_usd_per_hour - owned.power_usd_per_hour;  // what an hour of use saves once the card is there
  if (!owned.known || saved_per_hour <= 0 || lifetime_months <= 0) return out;
  const double hours = idle_month_usd(owned, lifetime_months) / saved_per_hour;
  if (hours <= kHoursPerMonth) out.hours_per_month = hours;
  const double saved_per_month = saved_per_hour * kHoursPerMonth * utilisation - owned.fixed_usd_per_month;
  if (saved_per_month <= 0) return out;
  const double months = (owned.hardware_usd - owned.resale_usd) / saved_per_month;
  if (months <= lifetime_months) out.months = months;
  return out;
}

std::optional<double> hours_with_interruptions(double hours, double per_hour, double checkpoint_h) {
  const double x = per_hour * (checkpoint_h > 0 && checkpoint_h < hours ? checkpoint_h : hours);
  if (x > 50) return std::nullopt;
  return hours * (x < 1e-4 ? 1 + x / 2 + x * x / 6 : (whichgpu::exp(x) - 1) / x);  // the series where the difference would lose digits
}

Figure cards_usd(const Question& q) {
  double sum = 0;
  for (const auto& [gpu, count] : q.box) {
    const CardPrice price = card_price(q, *gpu, ownership_of(q, *gpu));
    if (!price.usd) return std::nullopt;
    sum += count * *price.usd;
  }
  return sum;
}

Figure drawn_w(const Question& q, bool decoding) {
  double watts = 0;
  for (const auto& [gpu, count] : q.box) {
    const Ownership* row = ownership_of(q, *gpu);
    // Decoding waits for memory and draws less than the limit; training and images run near it.
    const Figure one = !decoding ? gpu->tdp_w : row ? row->typical_llm_power_w : std::nullopt;
    if (!one) return std::nullopt;
    watts += count * *one;
  }
  return watts > 0 ? Figure(watts) : std::nullopt;
}

EnergyEstimate estimate_energy(const Question& q, const Estimate& e) {
  EnergyEstimate out;
  const Figure drawn = drawn_w(q, e.speed.has_value());
  if (!drawn) return out;
  const double watts = *drawn;
  out.average_w = Quantity::exactly(watts, "W");
  if (const auto* rate = token_rate(e); rate && *rate && (*rate)->value > 0) out.joules_per_token = per_rate(watts, **rate, "J/token");
  if (const auto* hours = run_hours(e); hours && *hours) {
    const double kw = watts / 1000 * q.scenario.ownership.pue;
    const Quantity& h = **hours;
    out.kwh = h.exact ? Quantity::exactly(kw * h.value, "kWh") : Quantity::between(kw * h.value, kw * h.p10, kw * h.p90, "kWh");
    if (const Electricity* place = electricity_of(q); place && place->gco2_per_kwh) {
      const double kg = *place->gco2_per_kwh / 1000;
      out.kg_co2e = out.kwh->exact ? Quantity::exactly(kg * out.kwh->value, "kg CO2e") : Quantity::between(kg * out.kwh->value, kg * out.kwh->p10, kg * out.kwh->p90, "kg CO2e");
    }
  }
  return out;
}

CostEstimate estimate_cost(const Question& q, const Estimate& e, std::vector<Warning>& warnings) {
  CostEstimate out;
  const Scenario& s = q.scenario;
  const auto term = [&](const char* name, double value, auto&& formula) { out.terms.push_back({name, value, "USD/h", q.explain ? formula() : std::string()}); };
  std::string billing;
  double per_hour = -1;
  if (s.price_usd_per_hour) {
    per_hour = *s.price_usd_per_hour;
    term("price", per_hour, [] { return std::string("typed in, for the whole machine"); });
  } else if (const Currency* c = s.price.per_hour ? q.catalog->find_currency(s.price.currency) : nullptr) {
    per_hour = *s.price.per_hour * *c->usd_per_unit;
    term("price", per_hour, [&] {
      return format_number(*s.price.per_hour) + " " + c->code + "/h typed in" + (s.price.seller.empty() ? "" : " (" + s.price.seller + ")") + ", for the whole machine" +
             (*c->usd_per_unit == 1 ? "" : ", at " + format_number(*c->usd_per_unit) + " USD, rate of " + c->date);
    });
  } else if (s.ownership.own || s.offer.provider == "own") {
    const OwnedHour own = owned_hour(q, e.energy && e.energy->average_w ? e.energy->average_w->value : 0, warnings);
    if (own.known) {
      per_hour = own.usd_per_hour;
      term("hardware", own.hardware_usd_per_hour, [&] {
        return (own.resale_usd > 0 ? "(" : "") + format_number(own.hardware_usd, 5) + " USD (" + own.price_basis + ", with the host's share)" + (own.resale_usd > 0 ? " - " + format_number(own.resale_usd, 5) + " USD resale)" : "") + " / (" + format_number(s.ownership.lifetime_months) + " months * 730 h * " + format_number(s.utilisation) + " in use)";
      });
      if (own.fixed_usd_per_month > 0)
        term("fixed", own.fixed_usd_per_hour, [&] { return format_number(own.fixed_usd_per_month, 5) + " USD/month (colocation, staff) / (730 h * " + format_number(s.utilisation) + " in use)"; });
      if (own.power_usd_per_hour > 0)
        term("electricity", own.power_usd_per_hour, [&] { return format_number(own.watts, 4) + " W / 1000 * PUE " + format_number(s.ownership.pue) + " * " + format_number(own.usd_per_kwh, 4) + " USD/kWh"; });
    }
  } else if (q.gpu) {
    const std::vector<PricedOffer> offers = offers_for(q);
    const bool asked_for = !s.offer.provider.empty() && s.offer.provider != "any";
    const PricedOffer* chosen = offers.empty() || (!offers.front().proper && !asked_for) ? nullptr : &offers.front();
    if (chosen) {
      const Offer& o = *chosen->offer;
      per_hour = chosen->usd_per_hour;
      billing = o.billing_granularity;
      if (billing.empty() && o.provider_index >= 0) billing = q.catalog->providers[o.provider_index].billing_granularity;
      out.offer = OfferUsed{o.provider, o.instance, o.region, s.offer.kind, o.price_date, o.gpu_count, chosen->stale, o.labels};
      term("rent", per_hour, [&] {
        return format_number(chosen->instances) + " x " + o.provider + " " + o.instance + " (" + std::to_string(o.gpu_count) + " GPU) at " + format_number(per_hour / chosen->instances, 5) + " USD/h, price of " + o.price_date;
      });
      bool market = false;
      Figure low, high;
      for (const PricedOffer& p : offers) {
        if (p.offer->provider != o.provider || p.stale != chosen->stale || !(p.usd_per_hour > 0)) continue;
        for (const std::string& label : p.offer->labels) market = market || starts_with(label, "marketplace");
        if (!low || p.usd_per_hour < *low) low = p.usd_per_hour;
        if (!high || p.usd_per_hour > *high) high = p.usd_per_hour;
      }
      if (market && *low < *high) { out.market_low_usd_per_hour = low; out.market_high_usd_per_hour = high; }
      if (chosen->stale) warnings.push_back({"stale-price", "The price of " + o.provider + " is of " + o.price_date + ", more than 180 days old."});
    } else if (q.box.size() > 1) {
      warnings.push_back({"mixed-box-price", "A box of different cards is nobody's offer; type a price in, or see what owning costs."});
    } else {
      const bool rented = std::any_of(q.catalog->offers.begin(), q.catalog->offers.end(), [&](const Offer& o) { return o.gpu_index == q.gpu->index && q.gpu->index >= 0; });
      warnings.push_back(rented ? Warning{"no-offer", "No offer known for " + std::to_string(s.gpu_count) + " x " + q.gpu->name + " with these wishes."} : Warning{"own-only", "Nobody is known to rent out the " + q.gpu->name + "."});
    }
  }
  if (per_hour < 0) return out;
  out.usd_per_hour = Quantity::exactly(per_hour, "USD/h");
  const double per_busy_hour = s.ownership.own || s.offer.provider == "own" ? per_hour : per_hour / s.utilisation;  // owned hours already count idle ones
  if (const auto* rate = token_rate(e); rate && *rate && (*rate)->value > 0) {
    out.usd_per_million_output_tokens = per_rate(per_busy_hour / kSecondsPerHour * 1e6, **rate, "USD/M tokens");
    if (e.speed->prefill_tokens_per_s && e.speed->prefill_tokens_per_s->value > 0)
      out.usd_per_million_input_tokens = per_rate(per_busy_hour / kSecondsPerHour * 1e6, *e.speed->prefill_tokens_per_s, "USD/M tokens");
  }
  if (e.speed && (s.api.usd_per_million_input_tokens || s.api.usd_per_million_output_tokens)) {
    const double api = (s.prompt_tokens * s.api.usd_per_million_input_tokens.value_or(0) + s.output_tokens * s.api.usd_per_million_output_tokens.value_or(0)) / 1e6;
    out.api_usd_per_1000_requests = 1000 * api;
    const double per_s = e.speed->requests_per_s ? e.speed->requests_per_s->value : e.speed->latency_s ? 1 / e.speed->latency_s->value : 0;
    if (per_s > 0) {
      out.usd_per_1000_requests = 1000 * per_busy_hour / kSecondsPerHour / per_s;
      const double requests = api > 0 ? per_hour * kHoursPerMonth / api : 0;
      if (api > 0 && requests <= per_s * kSecondsPerHour * kHoursPerMonth) out.break_even_requests_per_month = requests;
    }
  }
  if (const auto* hours = run_hours(e); hours && *hours) {
    const Quantity& h = **hours;
    const double rate = s.spot.interruptions_per_hour.value_or(0) * s.nodes, save = s.spot.checkpoint_h.value_or(0);
    if (out.offer && s.offer.kind == "spot" && !s.spot.interruptions_per_hour) warnings.push_back({"interruptions-unknown", "How often spot machines are taken away is not known, so work that is done again is not in the cost of the run; type a rate in."});
    const auto taken = [&](double t) { return rate > 0 ? hours_with_interruptions(t, rate, save) : t; };
    const std::optional<double> least = taken(h.p10), middle_one = taken(h.value), most = taken(h.p90);
    if (!least || !middle_one || !most) {
      warnings.push_back({"never-ends", "With so many interruptions the run is not expected to end: save more often."});
      return out;
    }
    if (rate > 0) {
      const Quantity again = Quantity::between(*middle_one - h.value, *least - h.p10, *most - h.p90, "h");
      out.redone_hours = h.exact ? Quantity::exactly(again.value, "h") : again;
    }
    const auto paid = [&](double t) { return per_hour * billed_hours(t, billing); };
    out.usd_total = h.exact ? Quantity::exactly(paid(*middle_one), "USD") : Quantity::between(paid(*middle_one), paid(*least), paid(*most), "USD");
  }
  if (e.image_generation && e.image_generation->seconds_per_image) {
    const Quantity& t = *e.image_generation->seconds_per_image;
    const double k = per_busy_hour / kSecondsPerHour * 1000;
    out.usd_per_1000_images = t.exact ? Quantity::exactly(k * t.value, "USD/1000 images") : Quantity::between(k * t.value, k * t.p10, k * t.p90, "USD/1000 images");
  }
  return out;
}

}  // namespace whichgpu
