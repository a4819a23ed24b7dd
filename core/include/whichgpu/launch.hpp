#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "whichgpu/estimate.hpp"

/// The engine's own words for a configuration: what to type so that it runs as it was estimated.
namespace whichgpu {

/// Something that the text alone does not say. `code` is stable, `message` is English.
struct LaunchNote { std::string code, message; };

struct Launch {
  std::string engine;    ///< id of the catalog
  std::string language;  ///< "sh", "yaml" or "python"
  std::string text;      ///< complete; where the catalog knows no name for a file or data set, a word in capitals stands for it
  std::vector<LaunchNote> notes;
};

/// Commands for a question and its estimate: context, cache format, degrees of parallelism, layers on the GPU, share of the
/// memory, batch, recomputation, sharding. More than one where several programs run the same configuration; none where no
/// writer knows the engine. Texts from the question (names of own models) are quoted for the language they stand in.
/// Source: the options' documentation of each program, as of 2026 (core/src/launch/).
std::vector<Launch> launch_commands(const Question& question, const Estimate& estimate);

/// Scenario JSON -> {"launch":[{engine, language, text, notes}], "scenario":…}, or the error object.
std::string launch_json(const Catalog& catalog, std::string_view scenario_json);

}  // namespace whichgpu
