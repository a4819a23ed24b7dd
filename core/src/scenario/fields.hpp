#pragma once
#include <cstdint>
#include <span>

#include "whichgpu/scenario.hpp"

namespace whichgpu {

enum class FieldKind : std::uint8_t {
  kText, kWord,              // std::string
  kNumber, kWhole, kFigure,  // double, double without a fraction, std::optional<double>
  kCount, kFlag,             // int, bool
  kNames,                    // std::vector<std::string>
  kWorkload, kOffload, kBox, kObject  // read and written by hand
};

/// One field of a scenario, for all that treat fields alike: reading, writing, links.
struct ScenarioField {
  const char* key;      ///< in a link; null: not there
  const char* section;  ///< the object that holds the field, "" for the scenario itself
  const char* name;
  FieldKind kind;
  std::uint16_t offset; ///< in Scenario
  double low = 0, high = 0;    ///< numbers; a value below `low` stands for "not chosen"
  const char* words = nullptr; ///< of kWord and its like: what is allowed, separated by spaces
};

/// Every field, in the order of a link: what a person looks for first comes first. The fields of a section stand together.
std::span<const ScenarioField> scenario_fields();

}  // namespace whichgpu
