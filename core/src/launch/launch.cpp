#include "whichgpu/launch.hpp"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "base/text.hpp"
#include "launch/writers.hpp"
#include "whichgpu/api.hpp"

namespace whichgpu {
namespace launch {

std::string shell_word(std::string_view text) {
  std::string out;
  bool plain = !text.empty();
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) continue;
    const bool safe = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || std::string_view("_./:=,@%+-").find(c) != std::string_view::npos;
    plain = plain && safe;
    if (c == '\'') out += "'\\''";
    else out += c;
  }
  return plain ? out : "'" + out + "'";
}

std::string quoted_word(std::string_view text) { return nlohmann::json(std::string(text)).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace); }

std::string whole(double value) { return std::to_string(static_cast<long long>(std::clamp(std::ceil(value - 1e-9), 0.0, 9e15))); }

Command& Command::option(const char* name, std::string_view value) {
  text_ += std::string(" \\\n  ") + name + " " + shell_word(value);
  return *this;
}
Command& Command::option(const char* name, double value) { return option(name, value == std::floor(value) ? whole(value) : format_number(value)); }
Command& Command::flag(const char* name) {
  text_ += std::string(" \\\n  ") + name;
  return *this;
}
Command& Command::variable(const char* name, std::string_view value) {
  variables_ += std::string(name) + "=" + shell_word(value) + " ";
  return *this;
}

std::string repository_of(const Model& model, const char* unknown) {
  // A model of one's own may say anything here, by way of a link that somebody sent: only what can be a name goes on.
  const auto part_of_name = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-' || c == '/'; };
  const std::string& name = model.hf_repo;
  return !name.empty() && name.size() <= 200 && name[0] != '-' && std::all_of(name.begin(), name.end(), part_of_name) ? name : unknown;
}

namespace {

Facts facts_of(const Question& q, const Estimate& e) {
  const Scenario& s = q.scenario;
  const Scenario::Parallelism& p = e.scenario.parallelism;
  Facts f{q, e, repository_of(*q.model, "MODEL"), std::ceil(q.kv_tokens()), 1, std::max(1, p.tensor), std::max(1, p.pipeline), std::max(1, p.data), std::max(1, p.expert), 1, {}, {}};
  if (f.repository == "MODEL") {
    f.notes.push_back({"model-name", "The catalog knows no name of this model on the Hub: put its name or folder in place of MODEL."});
  }
  f.sequences = std::ceil(std::max(1.0, s.concurrency) / f.data);
  if (e.memory && e.memory->capacity_gib > 0) f.memory_share = std::floor(100 * e.memory->capacity_gib / (e.memory->capacity_gib + s.host.vram_reserved_gib)) / 100;
  const std::string kv = lower(s.precision.kv_cache);
  if (kv_bits(kv).value_or(16) < 16) f.kv = kv;
  if (q.draft_model && repository_of(*q.draft_model, "DRAFT") == "DRAFT") f.notes.push_back({"draft-name", "The catalog knows no name of the draft model on the Hub: put its name or folder in place of DRAFT."});
  if (q.box.size() > 1) f.notes.push_back({"mixed-box", "The cards differ; their order is that of the driver."});
  return f;
}

}  // namespace
}  // namespace launch

std::vector<Launch> launch_commands(const Question& q, const Estimate& e) {
  std::vector<Launch> out;
  if (!q.model || !q.gpu) return out;
  const launch::Facts facts = launch::facts_of(q, e);
  switch (q.scenario.workload) {
    case Workload::kChat: case Workload::kServing: case Workload::kRag:
      launch::write_ggml(facts, out);
      launch::write_serving(facts, out);
      launch::write_local(facts, out);
      break;
    case Workload::kFinetune: case Workload::kPretrain: launch::write_training(facts, out); break;
    default: break;  // images and kernels have no command line that everybody shares
  }
  for (Launch& l : out) l.notes.insert(l.notes.begin(), facts.notes.begin(), facts.notes.end());
  if (e.memory && (e.memory->verdict == Verdict::kDoesNotFit || e.memory->verdict == Verdict::kUnknown))
    for (Launch& l : out) l.notes.insert(l.notes.begin(), {"does-not-fit", "By the estimate this does not run here: it is not known to fit."});
  return out;
}

std::string launch_json(const Catalog& catalog, std::string_view scenario_json) {
  using nlohmann::json;
  const Result<json> document = parse_json(scenario_json, "scenario");
  if (!document) return error_json(document.error());
  const Result<Scenario> scenario = read_scenario(document.value());
  if (!scenario) return error_json(scenario.error());
  const Result<Question> q = resolve(catalog, scenario.value());
  if (!q) return error_json(q.error());
  const Estimate e = estimate(q.value());
  json list = json::array();
  for (const Launch& l : launch_commands(q.value(), e)) {
    json notes = json::array();
    for (const LaunchNote& n : l.notes) notes.push_back({{"code", n.code}, {"message", n.message}});
    list.push_back({{"engine", l.engine}, {"language", l.language}, {"text", l.text}, {"notes", std::move(notes)}});
  }
  return json_text({{"launch", std::move(list)}, {"scenario", to_json(e.scenario)}});
}

}  // namespace whichgpu
