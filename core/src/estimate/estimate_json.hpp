#pragma once
#include <nlohmann/json_fwd.hpp>

#include "whichgpu/estimate.hpp"

/// JSON forms that the estimate and the ranking share.
namespace whichgpu {

nlohmann::json quantity_json(const Quantity& quantity);
/// Absent when unknown.
void put(nlohmann::json& object, const char* key, const std::optional<Quantity>& quantity);
void put(nlohmann::json& object, const char* key, const Figure& figure);
nlohmann::json offer_json(const OfferUsed& offer);

}  // namespace whichgpu
