#include <array>

#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "catalog/row_reader.hpp"
#include "scenario/field_reader.hpp"
#include "scenario/fields.hpp"
#include "whichgpu/scenario.hpp"

namespace whichgpu {
namespace {

using nlohmann::json;

constexpr std::array<const char*, 9> kWorkloadWords = {"chat", "serving", "rag", "finetune", "pretrain", "vision-training", "vision-inference", "image-generation", "hpc"};  // in the order of Workload
constexpr std::array<const char*, 4> kOffloadWords = {"none", "cpu", "experts", "optimizer"};                                                                              // of OffloadKind

bool is_date(const std::string& s) {
  if (s.size() != 10 || s[4] != '-' || s[7] != '-') return false;
  for (const std::size_t i : {0, 1, 2, 3, 5, 6, 8, 9})
    if (s[i] < '0' || s[i] > '9') return false;
  const int month = (s[5] - '0') * 10 + s[6] - '0', day = (s[8] - '0') * 10 + s[9] - '0';
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

template <class T>
T& at(Scenario& s, const ScenarioField& f) { return *reinterpret_cast<T*>(reinterpret_cast<char*>(&s) + f.offset); }
template <class T>
const T& at(const Scenario& s, const ScenarioField& f) { return *reinterpret_cast<const T*>(reinterpret_cast<const char*>(&s) + f.offset); }

template <class Enum, std::size_t N>
void read_enum(FieldReader& r, const ScenarioField& f, const std::array<const char*, N>& words, Enum& out) {
  std::string word;
  r.word(f.name, word, f.words);
  for (std::size_t i = 0; i < N; ++i)
    if (word == words[i]) out = static_cast<Enum>(i);
}

void read_box(FieldReader& r, const ScenarioField& f, std::vector<GpuCount>& out, std::optional<Error>& error) {
  const json* v = r.get(f.name);
  if (!v) return;
  if (!v->is_array() || v->empty() || v->size() > 64) return r.fail(f.name, "expected a list of 1 to 64 {gpu, count}, found " + RowReader::describe(*v));
  for (std::size_t i = 0; i < v->size(); ++i) {
    FieldReader g((*v)[i], "gpus/" + std::to_string(i), error);
    GpuCount entry;
    g.text("gpu", entry.gpu);
    g.whole("count", entry.count, 1, 1e6);
    if (entry.gpu.empty()) g.fail("gpu", "expected a GPU");
    g.finish();
    out.push_back(std::move(entry));
  }
}

/// A custom GPU or model, in the form of the catalog's rows.
template <class T>
void read_custom(FieldReader& r, const ScenarioField& f, const char* id, Result<T> (*read)(const json&, const std::string&), std::optional<T>& out, std::string& text, std::optional<Error>& error) {
  const json* v = r.get(f.name);
  if (!v || error) return;
  json row = *v;
  if (row.is_object()) {
    if (!row.contains("id")) row["id"] = id;
    if (!row.contains("name")) row["name"] = row["id"];
  }
  Result<T> custom = read(row, f.name);
  if (!custom) {
    error = Error{ErrorCode::kInvalidInput, custom.error().path, custom.error().message};
    return;
  }
  out = std::move(custom.value());
  text = json_text(*v);
}

void read_field(FieldReader& r, const ScenarioField& f, Scenario& s, std::optional<Error>& error) {
  switch (f.kind) {
    case FieldKind::kText: return r.text(f.name, at<std::string>(s, f));
    case FieldKind::kWord: return r.word(f.name, at<std::string>(s, f), f.words);
    case FieldKind::kNumber: return r.number(f.name, at<double>(s, f), f.low, f.high);
    case FieldKind::kWhole: return r.number(f.name, at<double>(s, f), f.low, f.high, true);
    case FieldKind::kFigure: return r.figure(f.name, at<Figure>(s, f), f.low, f.high);
    case FieldKind::kCount: return r.whole(f.name, at<int>(s, f), static_cast<int>(f.low), f.high);
    case FieldKind::kFlag: return r.flag(f.name, at<bool>(s, f));
    case FieldKind::kNames: return r.names(f.name, at<std::vector<std::string>>(s, f));
    case FieldKind::kWorkload: return read_enum(r, f, kWorkloadWords, s.workload);
    case FieldKind::kOffload: return read_enum(r, f, kOffloadWords, s.offload);
    case FieldKind::kBox: return read_box(r, f, s.gpus, error);
    case FieldKind::kObject:
      if (std::string_view(f.name) == "custom_gpu") return read_custom(r, f, "custom-gpu", read_gpu, s.custom_gpu, s.custom_gpu_json, error);
      return read_custom(r, f, "custom-model", read_model, s.custom_model, s.custom_model_json, error);
  }
}

json value_of(const Scenario& s, const ScenarioField& f) {
  const auto number = [&](double value) { return value < f.low ? json() : json(value); };
  const auto text = [](const std::string& value) { return value.empty() ? json() : json(value); };
  switch (f.kind) {
    case FieldKind::kText:
    case FieldKind::kWord: return text(at<std::string>(s, f));
    case FieldKind::kNumber:
    case FieldKind::kWhole: return number(at<double>(s, f));
    case FieldKind::kFigure: {
      const Figure& figure = at<Figure>(s, f);
      return figure ? json(*figure) : json();
    }
    case FieldKind::kCount: return at<int>(s, f) < f.low ? json() : json(at<int>(s, f));
    case FieldKind::kFlag: return json(at<bool>(s, f));
    case FieldKind::kNames: return at<std::vector<std::string>>(s, f).empty() ? json() : json(at<std::vector<std::string>>(s, f));
    case FieldKind::kWorkload: return json(to_word(s.workload));
    case FieldKind::kOffload: return json(kOffloadWords[static_cast<std::size_t>(s.offload)]);
    case FieldKind::kBox: {
      json gpus = json::array();
      for (const GpuCount& g : s.gpus) {
        json entry = json::object();
        entry["gpu"] = g.gpu;
        entry["count"] = g.count;
        gpus.push_back(std::move(entry));
      }
      return s.gpus.empty() ? json() : gpus;
    }
    case FieldKind::kObject: break;
  }
  return json();
}

}  // namespace

const char* to_word(Workload workload) { return kWorkloadWords[static_cast<std::size_t>(workload)]; }

Result<Scenario> read_scenario(const json& document) {
  Scenario s;
  std::optional<Error> error;
  FieldReader root(document, "", error);
  if (error) {
    error->path = "scenario";
    return *error;
  }
  std::string_view section;
  std::optional<FieldReader> part;  // the section's object, where there is one
  for (const ScenarioField& f : scenario_fields()) {
    if (!*f.section) {
      read_field(root, f, s, error);
      continue;
    }
    if (section != f.section) {
      if (part) part->finish();
      part.reset();
      section = f.section;
      const json* object = root.get(f.section);
      if (object && object->is_string() && section == "precision") root.text(f.section, s.precision.weights);  // short for its weights
      else if (object) part.emplace(*object, f.section, error);
    }
    if (part) read_field(*part, f, s, error);
  }
  if (part) part->finish();
  s.explicit_context = s.context_tokens > 0;
  if (!s.as_of.empty() && !is_date(s.as_of)) root.fail("as_of", "expected a date YYYY-MM-DD, found \"" + s.as_of + "\"");
  if (s.price.per_hour && s.price_usd_per_hour) root.fail("price/per_hour", "price_usd_per_hour is given too: which of the two?");
  root.finish();
  if (error) return *error;
  return s;
}

json to_json(const Scenario& s) {
  json out = json::object();
  for (const ScenarioField& f : scenario_fields()) (*f.section ? out[f.section] : out)[f.name] = value_of(s, f);
  if (s.custom_gpu) out["custom_gpu"] = json::parse(s.custom_gpu_json, nullptr, false);
  if (s.custom_model) out["custom_model"] = json::parse(s.custom_model_json, nullptr, false);
  return out;
}

}  // namespace whichgpu
