#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "whichgpu/catalog.hpp"
#include "whichgpu/evidence.hpp"

/// Text in, text out: what the command line reads and prints and what crosses the WebAssembly boundary, so that one
/// schema describes both. An error is {"error":{"code","path","message"}}. Nothing throws, whatever the text.
namespace whichgpu {

/// The error object as JSON text.
std::string error_json(const Error& error);

/// Parses JSON that strangers wrote: bounded size (16 MiB) and depth (64), so that no text exhausts memory or stack.
/// Errors: kBadData, or kInvalidInput for scenarios, with `where` as the path.
Result<nlohmann::json> parse_json(std::string_view text, const char* where);

/// One scenario -> the estimate.
std::string estimate_json(const Catalog& catalog, std::string_view scenario_json);

/// The same, with the nearest of these measurements as evidence; `estimator` as in find_evidence().
std::string estimate_json(const Catalog& catalog, std::string_view scenario_json, const std::vector<MeasurementRow>& measured, RowEstimator estimator = nullptr);

/// Adds the rows of a measurement CSV to `rows`: {"rows": how many there are now}, or the error object and no row added.
std::string add_measurements(std::vector<MeasurementRow>& rows, std::string_view csv);

/// One scenario (with an optional "rank_by": value, speed, price, latency, energy, memory, upfront) -> the ranked table.
std::string rank_json(const Catalog& catalog, std::string_view scenario_json);

}  // namespace whichgpu
