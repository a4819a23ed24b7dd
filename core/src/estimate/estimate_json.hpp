#pragma once
#include <nlohmann/json_fwd.hpp>

#include "whichgpu/estimate.hpp"

/// JSON forms that the estimate and the ranking share.
namespace whichgpu {

nlohmann::json offer_json(const OfferUsed& offer);

}  // namespace whichgpu
