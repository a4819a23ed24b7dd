#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "whichgpu/paste.hpp"

namespace whichgpu::paste {

/// Nothing where no line names a card.
std::optional<PastedMachine> read_machine(const Catalog& catalog, const std::vector<std::string_view>& lines);

/// What a benchmark's text says; `base` has the conditions that it does not print. Nothing where no benchmark is recognised.
std::optional<PastedMeasurement> read_benchmark_text(const Catalog& catalog, const std::vector<std::string_view>& lines, const MeasurementRow& base);
std::optional<PastedMeasurement> read_benchmark_json(const Catalog& catalog, const nlohmann::json& document, const MeasurementRow& base);

}  // namespace whichgpu::paste
