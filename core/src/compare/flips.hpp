#pragma once
#include "whichgpu/compare.hpp"

namespace whichgpu::comparing {

/// Walks prompt length, concurrency and model size, and tells where the best side changes, by speed and by cost.
std::vector<Flip> find_flips(const Catalog& catalog, const CompareQuestion& question);

/// Walks the hours a month that the first side works; every other side does the same work in its own time, and each takes
/// the cheaper of renting and owning. `speeds` are in work per hour; nothing where a side cannot do the work.
std::vector<Flip> find_money_flips(const std::vector<RentOrOwn>& money, const std::vector<Figure>& speeds, double lifetime_months);

/// What a side pays in a month for `hours` of work: the cheaper of renting and owning; nothing when neither is known or
/// the work does not go into a month.
Figure month_usd(const RentOrOwn& money, double hours, double lifetime_months);

}  // namespace whichgpu::comparing
