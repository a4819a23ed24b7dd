#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "whichgpu/estimate.hpp"

/// Money: which offer, what an hour costs, what owning costs instead.
namespace whichgpu {

inline constexpr double kHoursPerMonth = 730.0;  ///< 365 days * 24 hours / 12 months

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

/// Hours that a run is expected to take on machines that are taken away now and then.
///
///   expected = hours * (exp(r s) - 1) / (r s)
///
/// Holds:   interruptions come at random (Poisson) at `per_hour` = r of all machines together; work is saved every
///          `checkpoint_h` = s hours (0, or more than the run: never) and is done again from the last save. The time until
///          a machine is back is not paid and not counted, nor is the time to load the state.
/// Source:  the expected time until s hours pass without an event, (exp(r s) - 1) / r, for each stretch between saves.
/// Nothing: the run is not expected to end (r s above 50).
std::optional<double> hours_with_interruptions(double hours, double per_hour, double checkpoint_h);

/// What the question's cards cost to buy, without a host; nothing when a price is not known.
Figure cards_usd(const Question& question);

/// Watts that the question's cards draw: at decoding what was measured for it, else the limit. Nothing when not known.
Figure drawn_w(const Question& question, bool decoding);

/// What an hour of owning the question's GPUs costs. Parts that are unknown are left out and warned about.
struct OwnedHour {
  bool known = false;
  double usd_per_hour = 0, hardware_usd = 0, hardware_usd_per_hour = 0, power_usd_per_hour = 0, watts = 0, usd_per_kwh = 0;
  double cards_usd = 0;           ///< part of hardware_usd
  double resale_usd = 0;          ///< what the cards bring at the end
  double fixed_usd_per_month = 0; ///< colocation and staff
  double fixed_usd_per_hour = 0;  ///< the same by the hour of use
  const char* price_basis = "";   ///< "typed in", "street price", "used price", "launch price"
};
OwnedHour owned_hour(const Question& question, double watts, std::vector<Warning>& warnings);

/// What owning costs in a month without an hour of use: the hardware's loss of value over its life, colocation, staff.
double idle_month_usd(const OwnedHour& owned, double lifetime_months);

/// Rent or own: hours a month from which owning is cheaper than an offer that is paid by the hour, and months until the
/// hardware is paid at the scenario's utilisation. Nothing when owning never pays.
struct BreakEven { Figure hours_per_month, months; };
BreakEven break_even(const OwnedHour& owned, double rent_usd_per_hour, double lifetime_months, double utilisation);

}  // namespace whichgpu
