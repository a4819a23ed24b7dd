#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "whichgpu/cost.hpp"

/// Rent or own: what the question's machine costs in a month when it is owned and when it is rented, by the hours that it
/// is used, and where the two cross.
namespace whichgpu {

/// On which side of the crossing owning is the cheaper of the two.
enum class OwningPays { kAlways, kFrom, kUpTo, kNever };
const char* to_word(OwningPays pays);

/// One offer against owning. A reservation is paid for all hours of the month, whatever is used of them.
struct AgainstOwning {
  PricedOffer priced;
  const char* kind = "";      ///< on-demand, spot, reserved-1y, reserved-3y
  OwningPays pays = OwningPays::kNever;
  Figure hours_per_month;     ///< the crossing, where there is one within the month
  Figure months;              ///< until the hardware is paid at the scenario's utilisation; nothing when not in its lifetime
  double month_usd(double hours) const;  ///< what the offer costs in a month with so many hours of use
};

struct OwnershipView {
  Scenario scenario;
  OwnedHour owned;
  double idle_month_usd = 0;              ///< of owning, without an hour of use
  std::vector<AgainstOwning> offers;      ///< the cheapest of every provider and kind; sorted like offers_for(), then by kind
  std::vector<Warning> warnings;
  double owned_month_usd(double hours) const { return idle_month_usd + owned.power_usd_per_hour * hours; }
};

/// The power draw is that of decoding for chat, serving and RAG, else the cards' limit, as in estimate_energy().
OwnershipView ownership(const Question& question);

/// One scenario -> {"scenario", "owned", "offers", "points": what a month costs at some hours of use, "warnings"}, or the
/// error object.
std::string ownership_json(const Catalog& catalog, std::string_view scenario_json);

}  // namespace whichgpu
