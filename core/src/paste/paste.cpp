#include "whichgpu/paste.hpp"

#include <algorithm>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "base/text.hpp"
#include "paste/readers.hpp"
#include "whichgpu/api.hpp"
#include "whichgpu/calibration.hpp"

namespace whichgpu {
namespace {

using nlohmann::json;

constexpr std::size_t kMostText = std::size_t{1} << 20;

/// What the scenario says of the conditions that a benchmark does not print.
MeasurementRow row_from(const Scenario& s) {
  MeasurementRow row;
  row.gpu = s.gpu;
  row.model = s.model;
  row.gpu_count = std::to_string(std::max(1, s.gpu_count));
  row.nodes = std::to_string(std::max(1, s.nodes));
  row.precision = s.precision.weights;
  row.kv_precision = s.precision.kv_cache;
  row.quality = "derived";
  row.source = "own measurement";
  row.measured = s.as_of;
  row.prompt_tokens = format_number(s.prompt_tokens, 12);
  row.output_tokens = format_number(s.output_tokens, 12);
  if (s.parallelism.tensor > 0) row.parallelism = "TP" + std::to_string(s.parallelism.tensor) + " PP" + std::to_string(std::max(1, s.parallelism.pipeline));
  return row;
}

/// Ten hexadecimal digits of the row's text, as the files' ids are: equal rows have equal ids.
std::string id_of(const MeasurementRow& row) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(key_of(measurement_line(row))));
  return std::string(text, 10);
}

json machine_json(const PastedMachine& m) {
  json cards = json::array(), scenario = json::object(), gpus = json::array();
  for (const PastedMachine::Card& card : m.cards) {
    json o = {{"name", card.name}, {"count", card.count}, {"gpu", card.gpu ? json(card.gpu->id) : json()}};
    if (card.memory_gib) o["memory_gib"] = *card.memory_gib;
    cards.push_back(std::move(o));
    if (!card.gpu) continue;
    // Two printed names can be one card.
    const auto same = std::find_if(gpus.begin(), gpus.end(), [&](const json& g) { return g["gpu"] == card.gpu->id; });
    if (same != gpus.end()) (*same)["count"] = (*same)["count"].get<int>() + card.count;
    else gpus.push_back({{"gpu", card.gpu->id}, {"count", card.count}});
  }
  if (gpus.size() == 1) {
    scenario["gpu"] = gpus[0]["gpu"];
    scenario["gpu_count"] = gpus[0]["count"];
  } else if (gpus.size() > 1) {
    scenario["gpus"] = std::move(gpus);
  }
  if (m.ram_gib) scenario["host"] = {{"ram_gib", *m.ram_gib}};
  return {{"machine", {{"cards", std::move(cards)}, {"scenario", std::move(scenario)}}}};
}

json measurement_json(const Catalog& catalog, const PastedMeasurement& m) {
  json rows = json::array();
  std::string csv = measurement_head() + "\n";
  for (MeasurementRow row : m.rows) {
    row.id = id_of(row);
    csv += measurement_line(row) + "\n";
    json o = {{"metric", row.metric}, {"unit", row.unit}, {"value", *measured_value(row)}, {"gpu", row.gpu}, {"gpu_count", row.gpu_count}, {"model", row.model}, {"precision", row.precision},
              {"concurrency", row.concurrency}, {"prompt_tokens", row.prompt_tokens}, {"output_tokens", row.output_tokens}, {"context_tokens", row.context_tokens}};
    if (row.measured.empty()) row.measured = catalog.as_of;  // just run, as far as anybody knows: with today's programs
    const RowEstimate ours = estimate_row(read_conditions(catalog, row));
    if (ours.modelled) {
      o["estimate"] = {{"value", ours.value}, {"p10", ours.p10}, {"p90", ours.p90}, {"unit", row.unit}};
      o["ratio"] = ours.value / o["value"].get<double>();
    } else {
      o["reason"] = ours.reason;
    }
    rows.push_back(std::move(o));
  }
  return {{"measurement", {{"tool", m.tool}, {"rows", std::move(rows)}, {"csv", std::move(csv)}}}};
}

}  // namespace

Result<Pasted> read_pasted(const Catalog& catalog, std::string_view text, const Scenario& scenario) {
  if (text.size() > kMostText) return Error{ErrorCode::kInvalidInput, "text", "expected at most a MiB of a tool's output"};
  const MeasurementRow base = row_from(scenario);
  Pasted out;
  const std::string_view content = trim(text);
  if (!content.empty() && (content[0] == '[' || content[0] == '{')) {
    const Result<json> document = parse_json(content, "text");
    if (!document) return document.error();
    out.measurement = paste::read_benchmark_json(catalog, document.value(), base);
  } else {
    std::vector<std::string_view> lines;
    for (std::string_view rest = content; !rest.empty();) {
      const std::size_t end = rest.find('\n');
      lines.push_back(rest.substr(0, end));
      if (end == std::string_view::npos) break;
      rest.remove_prefix(end + 1);
    }
    out.measurement = paste::read_benchmark_text(catalog, lines, base);
    if (!out.measurement) out.machine = paste::read_machine(catalog, lines);
  }
  if (out.measurement)
    std::erase_if(out.measurement->rows, [](const MeasurementRow& row) { return !measured_value(row); });
  if (out.measurement && out.measurement->rows.empty()) out.measurement.reset();
  if (!out.measurement && !out.machine)
    return Error{ErrorCode::kInvalidInput, "text", "expected the output of nvidia-smi, rocm-smi, system_profiler, llama-bench, vllm bench serve or trtllm-bench"};
  return out;
}

std::string pasted_json(const Catalog& catalog, std::string_view question_json) {
  const Result<json> document = parse_json(question_json, "question");
  if (!document) return error_json(document.error());
  const json& d = document.value();
  if (!d.is_object() || !d.contains("text") || !d["text"].is_string()) return error_json({ErrorCode::kInvalidInput, "text", "expected a text"});
  const Result<Scenario> scenario = read_scenario(d.contains("scenario") ? d["scenario"] : json::object());
  if (!scenario) return error_json(scenario.error());
  const std::string text = d["text"].get<std::string>();
  const Result<Pasted> pasted = read_pasted(catalog, text, scenario.value());
  if (!pasted) return error_json(pasted.error());
  return json_text(pasted.value().machine ? machine_json(*pasted.value().machine) : measurement_json(catalog, *pasted.value().measurement));
}

}  // namespace whichgpu
