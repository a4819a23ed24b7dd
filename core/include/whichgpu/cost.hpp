#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "whichgpu/estimate.hpp"

/// Money: which offer, what an hour costs, what owning costs instead.
namespace whichgpu {

/// Days since 1970-01-01 of "YYYY-MM-DD"; of "YYYY-MM" the 15th, of "YYYY" the 1st of July. Nothing when unreadable.
std::optional<int> days_of(std::string_view date);

/// A price older than this many days before the scenario's date is marked stale.
inline constexpr int kStaleAfterDays = 180;

/// Hours that are paid for `hours` of use: rounded up to the provider's billing unit ("per second", "per minute",
/// "per hour …"; other texts: not rounded).
double billed_hours(double hours, std::string_view billing_granularity);

/// An offer with the price that the question asks about.
struct PricedOffer {
  const Offer* offer = nullptr;
  double usd_per_hour = 0;   ///< of all instances together
  double instances = 1;      ///< whole instances
  bool stale = false;
  bool proper = true;        ///< false: a floor, fraction, estimate or unverified row, only shown when its provider is asked for
};

/// Offers that hold the question's GPUs, one for each provider, instance and region: the newest not after `as_of` that
/// has a price of the wished kind. An instance must hold all GPUs of a node; a provider that sells single cards sells
/// as many as its nodes hold. Sorted: real offers of the
/// last 180 days first, then by price, provider, instance and region.
std::vector<PricedOffer> offers_for(const Question& question);

/// What an hour of owning the question's GPUs costs. Parts that are unknown are left out and warned about.
struct OwnedHour {
  bool known = false;
  double usd_per_hour = 0, hardware_usd = 0, hardware_usd_per_hour = 0, power_usd_per_hour = 0, watts = 0, usd_per_kwh = 0;
  const char* price_basis = "";  ///< typed, street, used, launch
};
OwnedHour owned_hour(const Question& question, double watts, std::vector<Warning>& warnings);

/// Rent or own: hours a month from which owning is cheaper than an offer, and months until the card is paid at the
/// scenario's utilisation. Nothing when owning never pays.
struct BreakEven { Figure hours_per_month, months; };
BreakEven break_even(const OwnedHour& owned, double rent_usd_per_hour, double lifetime_months, double utilisation);

}  // namespace whichgpu
