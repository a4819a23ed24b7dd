#pragma once
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "whichgpu/result.hpp"

/// A scenario as the query of an address, and back. The grammar is a promise: a link made today opens forever with the
/// same meaning, so a key is never given another one and `v` grows when the form changes.
///
///   query  = "v=1" *( "&" key "=" value )
///   key    = one of the table in core/src/scenario/fields.cpp: w workload, m model, q weights, g gpu, n GPU count, c context …
///   value  = the field's JSON scalar without quotes, percent-encoded; `gpus` is "id*count,id*count",
///            a list of names "a,b"; `cg` and `cm` (custom GPU, custom model) are JSON texts
///
/// Fields that were left out stay out, so that a link keeps what the person asked and not what was the default that day.
/// Keys that other sites append to links (utm_…, fbclid, gclid, ref) are read over; any other unknown key is an error.
namespace whichgpu {

/// Errors: those of read_scenario().
Result<std::string> encode_link(const nlohmann::json& scenario);

/// Takes a query with or without the leading "?". The result is a scenario with only the link's fields.
/// Errors: kBadData with the key as path when the query breaks the grammar; those of read_scenario().
Result<nlohmann::json> decode_link(std::string_view query);

/// Text forms of the two: the query, or the error object; the scenario as JSON text, or the error object.
std::string link_encode_json(std::string_view scenario_json);
std::string link_decode_json(std::string_view query);

}  // namespace whichgpu
