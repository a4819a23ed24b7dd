#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <map>
#include <vector>

#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "native/files.hpp"
#include "whichgpu/calibration.hpp"
#include "whichgpu/claims.hpp"
#include "whichgpu/measurement.hpp"

namespace whichgpu::cli {
namespace {

using nlohmann::json;
using ordered_json = nlohmann::ordered_json;

/// What the page does not compute with is left out of the first load: provenance travels in a file of its own.
void strip(json& value) {
  if (value.is_array()) {
    for (json& item : value) strip(item);
  } else if (value.is_object()) {
    for (auto it = value.begin(); it != value.end();) {
      if (it->is_null() || (it->is_array() && it->empty()) || it.key() == "provenance") it = value.erase(it);
      else strip(*it++);
    }
  }
}

/// What neither an estimate nor the page reads today: notes, figures kept for checking others, names that the aliases
/// repeat, particulars of instances and providers.
const std::map<std::string, std::vector<std::string>>& unread() {
  static const std::map<std::string, std::vector<std::string>> keys = {
      {"gpus", {"architecture", "compute_capability", "cooling", "ecc", "form_factor", "l2_cache_mb", "memory_type", "mig_max_instances", "shader_cores", "tensor_cores"}},
      {"models", {"attention_gmacs_computed", "audio_frames", "audio_seconds", "flops_convention", "full_attention_every", "gflops_convention", "gflops_per_step_1024", "gmacs_per_image",
          "hf_repo", "kv_bytes_per_token_bf16", "kv_bytes_per_token_bf16_windowed", "license", "max_text_tokens", "mel_bins", "mtp_params", "mtp_params_source", "note",
          "params_active_published", "params_exact", "params_nominal", "params_total_source", "published_gmacs_without_attention", "same_architecture_models", "task"}},
      {"offers", {"egress_usd_per_gb", "gpu_memory_gb", "interconnect", "local_storage_gb", "ram_gb", "vcpus"}},
      {"providers", {"compliance", "egress", "has_nvlink_nodes", "min_commit", "multi_node", "regions"}},
  };
  return keys;
}

void strip_unread(json& document) {
  for (const auto& [kind, keys] : unread())
    for (json& row : document[kind])
      for (auto it = row.begin(); it != row.end();) {
        const std::string& key = it.key();
        const bool note = key.size() > 5 && key.compare(key.size() - 5, 5, "_note") == 0;
        it = note || std::find(keys.begin(), keys.end(), key) != keys.end() ? row.erase(it) : std::next(it);
      }
}

std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"\n") == std::string::npos) return field;
  std::string out = "\"";
  for (const char c : field) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

/// All that an estimate may use of a row, what names it, and the estimate for it, which the page does not make anew.
constexpr const char* kEvidenceHead = "id,workload,software,software_version,measured,source,quality,gpu,gpu_count,nodes,model,model_name,params_b,precision,kv_precision,method,parallelism,activation_checkpointing,optimizer,concurrency,prompt_tokens,output_tokens,context_tokens,sequence_or_resolution,micro_batch,global_batch,metric,value,unit,flags,estimate\n";

std::string evidence_line(const Catalog& catalog, const MeasurementRow& r) {
  const RowEstimate ours = estimate_row(read_conditions(catalog, r));
  const std::string estimate = ours.modelled ? json(ours.value).dump() : std::string();
  std::string line;
  for (const std::string* field : {&r.id, &r.workload, &r.software, &r.software_version, &r.measured, &r.source, &r.quality, &r.gpu, &r.gpu_count, &r.nodes, &r.model, &r.model_name, &r.params_b, &r.precision,
           &r.kv_precision, &r.method, &r.parallelism, &r.activation_checkpointing, &r.optimizer, &r.concurrency, &r.prompt_tokens, &r.output_tokens, &r.context_tokens, &r.sequence_or_resolution,
           &r.micro_batch, &r.global_batch, &r.metric, &r.value, &r.unit, &r.flags, &estimate})
    line += (line.empty() ? "" : ",") + quoted(*field);
  return line + "\n";
}

/// Names are looked up without case, spaces and dashes: an alias that is the id or another alias in other
/// letters finds nothing new.
void strip_equal_aliases(json& rows) {
  for (json& row : rows) {
    if (!row.is_object() || !row.contains("aliases")) continue;
    std::vector<std::string> known = {normalize_name(row.value("id", ""))};
    json kept = json::array();
    for (const json& alias : row["aliases"]) {
      const std::string name = normalize_name(alias.get<std::string>());
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      known.push_back(name);
      kept.push_back(alias);
    }
    row["aliases"] = std::move(kept);
  }
}

/// How many rows an effect was fitted on is for people who read the file; an estimate asks only whether there were any.
void strip_row_counts(json& calibration) {
  for (json& domain : calibration["domains"])
    for (json& coefficient : domain["coefficients"]) {
      if (coefficient["base"].size() > 2) coefficient["base"].erase(2);
      for (json& level : coefficient["levels"])
        for (json& effect : level)
          if (effect.size() > 2) effect.erase(2);
    }
}

/// An effect that stayed at its prior says what its absence says, but for the fact that the group was measured: so one
/// entry of a group stays, wherever it is, and the others go.
void strip_prior_effects(json& calibration) {
  for (json& domain : calibration["domains"]) {
    const DomainSpec* spec = nullptr;
    for (const DomainSpec* s : all_domain_specs())
      if (domain["name"] == s->name) spec = s;
    if (!spec) continue;
    std::map<std::pair<std::string, std::string>, int> entries;  // of a level's key
    for (const json& coefficient : domain["coefficients"])
      for (const auto& [level, effects] : coefficient["levels"].items())
        for (const auto& [key, effect] : effects.items()) ++entries[{level, key}];
    for (json& coefficient : domain["coefficients"]) {
      const auto c = std::find_if(spec->coefficients.begin(), spec->coefficients.end(), [&](const CoefficientSpec& s) { return coefficient["name"] == s.name; });
      if (c == spec->coefficients.end()) continue;
      for (const auto& [name, effects] : coefficient["levels"].items()) {
        const std::string& level = name;  // Clang before 16 lets no lambda capture a binding
        const auto use = std::find_if(c->levels.begin(), c->levels.end(), [&](const LevelUse& u) { return level == spec->levels[static_cast<std::size_t>(u.level)]; });
        if (use == c->levels.end()) continue;
        for (auto it = effects.begin(); it != effects.end();) {
          int& left = entries[{level, it.key()}];
          const bool prior = (*it)[0] == 0.0 && (*it)[1] == use->prior_sd;
          if (prior && left > 1) --left, it = effects.erase(it);
          else ++it;
        }
      }
    }
  }
}

/// quality/<format>.json: what was measured of one format, with the source's title and address, so that the page loads
/// the format that it shows; quality/index.json: rows by format.
std::optional<Error> write_quality(const json& quality, const json& sources, const std::string& out_dir) {
  std::map<std::string, const json*> source_of;
  for (const json& s : sources) source_of[s.value("id", "")] = &s;
  std::map<std::string, json> by_format;
  for (const json& row : quality.value("quality", json::array())) {
    json o = json::object();
    for (const char* key : {"model", "model_id", "metric", "baseline_format", "baseline_value", "value", "delta", "delta_pct", "dataset"})
      if (row.contains(key) && !row[key].is_null()) o[key] = row[key];
    const json& p = row["provenance"];
    o["date"] = p.value("date", "");
    for (const json& id : p.value("sources", json::array()))
      if (const auto it = source_of.find(id.get<std::string>()); it != source_of.end()) {
        o["source"] = it->second->value("title", "");
        if (it->second->contains("link") && (*it->second)["link"].is_string()) o["link"] = (*it->second)["link"];
        break;
      }
    by_format.emplace(row.value("quant", ""), json::array()).first->second.push_back(std::move(o));
  }
  json index = json::object();
  for (const auto& [format, rows] : by_format) {
    if (auto e = native::write_file(out_dir + "/quality/" + format + ".json", rows.dump())) return e;
    index[format] = rows.size();
  }
  return native::write_file(out_dir + "/quality/index.json", index.dump());
}

}  // namespace

int run_bundle(const std::string& data, const std::string& out_dir) {
  const auto complain = [](const Error& e) {
    std::fprintf(stderr, "whichgpu: %s: %s\n", e.path.c_str(), e.message.c_str());
    return 1;
  };
  std::error_code failed;
  for (const char* folder : {"/evidence", "/quality"})
    if (!failed) std::filesystem::create_directories(out_dir + folder, failed);
  if (failed) return complain({ErrorCode::kBadData, out_dir, failed.message()});
  Result<json> document = native::read_catalog_dir(data);
  if (!document) return complain(document.error());
  const Result<Catalog> catalog = load_catalog(document.value());
  if (!catalog) return complain(catalog.error());

  json provenance = json::object();
  for (const auto& [kind, rows] : document.value().items()) {
    if (!rows.is_array()) continue;
    json& part = provenance[kind] = json::array();
    for (const json& row : rows) part.push_back(row.value("provenance", json::object()));
  }
  if (const Result<std::string> sources = native::read_file(data + "/sources.json")) provenance["sources"] = json::parse(sources.value(), nullptr, false).value("sources", json::array());
  for (const char* kind : {"gpus", "models", "quants", "engines", "providers"})
    if (document.value().contains(kind)) strip_equal_aliases(document.value()[kind]);
  strip(document.value());
  // The whole catalog, for comparing and for commands, which name what the first answer does not read.
  if (const auto e = native::write_file(out_dir + "/catalog-full.json", document.value().dump())) return complain(*e);
  strip_unread(document.value());
  strip_row_counts(document.value()["calibration"]);
  strip_prior_effects(document.value()["calibration"]);
  if (const auto e = native::write_file(out_dir + "/catalog.json", document.value().dump())) return complain(*e);
  if (const auto e = native::write_file(out_dir + "/provenance.json", provenance.dump())) return complain(*e);
  const Result<std::string> quality = native::read_file(data + "/quality.json");
  if (!quality) return complain(quality.error());
  if (const auto e = write_quality(json::parse(quality.value(), nullptr, false), provenance["sources"], out_dir)) return complain(*e);

  if (const auto e = native::write_file(out_dir + "/claims.json", to_json(check_claims(catalog.value())).dump())) return complain(*e);

  const Result<std::vector<MeasurementRow>> rows = native::read_all_measurements(data + "/measurements");
  if (!rows) return complain(rows.error());
  std::map<std::string, std::string> shards;
  for (const MeasurementRow& row : rows.value()) {
    if (row.quality == "suspect" || row.quality == "pool" || row.quality == "statement") continue;
    if (!row.model.empty()) shards[row.model] += evidence_line(catalog.value(), row);
    else if (!row.gpu.empty()) shards["gpu-" + row.gpu] += evidence_line(catalog.value(), row);
  }
  json index = json::object();
  for (const auto& [name, lines] : shards) {
    if (const auto e = native::write_file(out_dir + "/evidence/" + name + ".csv", kEvidenceHead + lines)) return complain(*e);
    index[name] = lines.size();
  }
  if (const auto e = native::write_file(out_dir + "/evidence/index.json", index.dump())) return complain(*e);
  std::printf("%s: %zu GPUs, %zu models, %zu offers, %zu evidence files\n", out_dir.c_str(), catalog.value().gpus.size(), catalog.value().models.size(), catalog.value().offers.size(), shards.size());
  return 0;
}

}  // namespace whichgpu::cli
