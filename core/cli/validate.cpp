#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <set>

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "commands.hpp"
#include "native/files.hpp"
#include "whichgpu/catalog.hpp"
#include "whichgpu/measurement.hpp"
#include "whichgpu/model_math.hpp"

namespace whichgpu::cli {
namespace {

using nlohmann::json;

class Report {
 public:
  void fault(const std::string& where, const std::string& what) {
    if (++faults_ <= kMostShown) std::fprintf(stderr, "%s: %s\n", where.c_str(), what.c_str());
  }
  void checked(int count = 1) { checks_ += count; }
  int faults() const { return faults_; }
  int checks() const { return checks_; }

 private:
  static constexpr int kMostShown = 200;
  int faults_ = 0, checks_ = 0;
};

std::optional<json> parse_file(const std::string& path, Report& report) {
  const Result<std::string> text = native::read_file(path);
  if (!text) {
    report.fault(path, text.error().message);
    return std::nullopt;
  }
  // The reader keeps the last of two equal keys in silence; here they are a fault.
  std::vector<std::set<std::string>> open;
  const json::parser_callback_t twice = [&](int, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::object_start) open.emplace_back();
    if (event == json::parse_event_t::object_end && !open.empty()) open.pop_back();
    if (event == json::parse_event_t::key && !open.empty() && !open.back().insert(value.get<std::string>()).second) report.fault(path, "the key " + value.dump() + " stands twice in one object");
    return true;
  };
  json document = json::parse(text.value(), twice, false);
  if (document.is_discarded()) {
    report.fault(path, "is not JSON");
    return std::nullopt;
  }
  return document;
}

void check_schema(const std::string& path, const json& document, const std::string& schema_path, Report& report) {
  const std::optional<json> schema_text = parse_file(schema_path, report);
  if (!schema_text) return;
  valijson::Schema schema;
  valijson::SchemaParser parser;
  const valijson::adapters::NlohmannJsonAdapter schema_adapter(*schema_text);
  try {
    parser.populateSchema(schema_adapter, schema);
  } catch (const std::exception& e) {
    report.fault(schema_path, std::string("is no schema: ") + e.what());
    return;
  }
  valijson::Validator validator(valijson::Validator::kStrongTypes);
  valijson::ValidationResults results;
  const valijson::adapters::NlohmannJsonAdapter target(document);
  report.checked();
  if (validator.validate(schema, target, &results)) return;
  valijson::ValidationResults::Error error;
  std::string where, what;
  // The last error names the deepest place.
  while (results.popError(error)) {
    std::string at;
    for (const std::string& part : error.context) at += part;
    if (at.size() >= where.size()) {
      where = at;
      what = error.description;
    }
  }
  report.fault(path + " " + where, what);
}

/// Dates are YYYY, YYYY-MM or YYYY-MM-DD and not after the catalogs' own date.
void check_date(const std::string& where, const std::string& date, const std::string& as_of, Report& report) {
  report.checked();
  const bool shape = (date.size() == 4 || date.size() == 7 || date.size() == 10) && date.find_first_not_of("0123456789-") == std::string::npos;
  if (!shape) report.fault(where, "expected a date YYYY, YYYY-MM or YYYY-MM-DD, found \"" + date + "\"");
  else if (date > as_of.substr(0, date.size())) report.fault(where, "the date " + date + " is after the catalogs' date " + as_of);
}

void check_sources(const std::string& path, const json& document, const char* key, const std::set<std::string>& sources, const std::string& as_of, Report& report) {
  const auto rows = document.find(key);
  if (rows == document.end()) return;
  for (std::size_t i = 0; i < rows->size(); ++i) {
    const json& row = (*rows)[i];
    const std::string where = path + " " + key + "/" + std::to_string(i);
    if (!row.contains("provenance")) continue;
    const json& p = row["provenance"];
    for (const json& source : p.value("sources", json::array())) {
      report.checked();
      if (!source.is_string() || !sources.count(source.get<std::string>())) report.fault(where + "/provenance/sources", "no source " + source.dump() + " in sources.json");
    }
    if (p.contains("date") && p["date"].is_string()) check_date(where + "/provenance/date", p["date"], as_of, report);
    if (row.contains("price_date") && row["price_date"].is_string()) check_date(where + "/price_date", row["price_date"], as_of, report);
  }
}

void check_meaning(const Catalog& c, Report& report) {
  for (const Gpu& g : c.gpus) {
    const std::string where = "gpus.json " + g.id;
    const auto within = [&](const char* name, const Figure& f, double low, double high) {
      report.checked();
      if (f && !(*f >= low && *f <= high)) report.fault(where, std::string(name) + " of " + std::to_string(*f) + " is outside " + std::to_string(low) + " to " + std::to_string(high));
    };
    within("memory_gb", g.memory_gb, 0.5, 2000);
    within("bandwidth_gb_per_s", g.bandwidth_gb_per_s, 10, 50000);
    within("fp32_tflops", g.fp32_tflops, 0.05, 2000);
    within("fp16_tensor_tflops", g.fp16_tensor_tflops, 0.1, 20000);
    within("tdp_w", g.tdp_w, 2, 3000);
    if (g.release_year < 2010 || g.release_year > 2027) report.fault(where, "release_year " + std::to_string(g.release_year));
    if (g.memory_gb && g.memory_gib_usable && *g.memory_gib_usable > *g.memory_gb * 1.01) report.fault(where, "more memory usable than the card has");
  }
  int counted = 0;
  for (const Model& m : c.models) {
    if (m.layer_groups.empty()) continue;
    ++counted;
    report.checked();
    const double total = count_params(m).total;
    const double limit = m.is_moe() || m.is_hybrid() ? 0.01 : 0.005;
    if (!(std::abs(total / m.params_total - 1) <= limit)) report.fault("models " + m.id, "the architecture gives " + std::to_string(total) + " parameters, the row says " + std::to_string(m.params_total));
    int layers = 0;
    for (const LayerGroup& g : m.layer_groups) layers += g.count;
    if (layers != m.num_layers) report.fault("models " + m.id, "the layer groups hold " + std::to_string(layers) + " layers, num_layers is " + std::to_string(m.num_layers));
  }
  std::printf("parameter counts recomputed from the architecture: %d models\n", counted);
  for (const Offer& o : c.offers) {
    report.checked();
    const std::string where = "offers/" + o.provider + " " + o.instance + " " + o.region;
    if (o.gpu_index < 0) report.fault(where, "no GPU \"" + o.gpu + "\" in gpus.json");
    if (o.provider_index < 0) report.fault(where, "no provider \"" + o.provider + "\" in providers.json");
    for (const Figure& price : {o.price_usd_per_hour, o.spot_usd_per_hour, o.reserved_1y_usd_per_hour, o.reserved_3y_usd_per_hour})
      if (price && !(*price >= 0 && *price / o.gpu_count < 200)) report.fault(where, "a price of " + std::to_string(*price) + " USD an hour for " + std::to_string(o.gpu_count) + " GPUs");
  }
  for (const Ownership& o : c.ownership)
    if (o.gpu_index < 0) report.fault("ownership.json", "no GPU \"" + o.gpu + "\" in gpus.json");
}

void check_measurements(const std::string& data, const Catalog& c, Report& report) {
  std::set<std::string> ids;
  int rows_read = 0;
  for (const std::string& path : native::list_files(data + "/measurements", ".csv")) {
    const Result<std::string> text = native::read_file(path);
    if (!text) {
      report.fault(path, text.error().message);
      continue;
    }
    const Result<std::vector<MeasurementRow>> rows = read_measurements(text.value());
    if (!rows) {
      report.fault(path + " " + rows.error().path, rows.error().message);
      continue;
    }
    for (const MeasurementRow& row : rows.value()) {
      ++rows_read;
      report.checked();
      if (!ids.insert(row.id).second) report.fault(path, "the id " + row.id + " stands twice");
      if (!row.gpu.empty() && !c.find_gpu(row.gpu)) report.fault(path + " " + row.id, "no GPU \"" + row.gpu + "\"");
      if (!row.model.empty() && !c.find_model(row.model)) report.fault(path + " " + row.id, "no model \"" + row.model + "\"");
      if (row.source.empty() || row.measured.empty()) report.fault(path + " " + row.id, "has no source or no date");
    }
  }
  std::printf("measurements: %d rows\n", rows_read);
}

}  // namespace

int run_validate(const std::string& data) {
  Report report;
  std::set<std::string> sources;
  std::string as_of = "9999";
  if (const auto head = parse_file(data + "/catalog.json", report)) as_of = head->value("as_of", as_of);
  if (const auto document = parse_file(data + "/sources.json", report)) {
    check_schema(data + "/sources.json", *document, data + "/schema/sources.schema.json", report);
    for (const json& row : document->value("sources", json::array()))
      if (!sources.insert(row.value("id", std::string())).second) report.fault("sources.json", "the id " + row["id"].dump() + " stands twice");
  }
  const auto check_file = [&](const std::string& path, const char* key) {
    const auto document = parse_file(path, report);
    if (!document) return;
    check_schema(path, *document, data + "/schema/" + key + ".schema.json", report);
    check_sources(path, *document, key, sources, as_of, report);
  };
  check_file(data + "/catalog.json", "catalog");
  for (const char* key : {"gpus", "quants", "engines", "providers", "ownership", "electricity", "currencies", "quality"}) check_file(data + "/" + key + ".json", key);
  for (const char* key : {"models", "offers"})
    for (const std::string& path : native::list_files(data + "/" + key, ".json")) check_file(path, key);

  const Result<json> document = native::read_catalog_dir(data);
  if (!document) {
    report.fault(document.error().path, document.error().message);
  } else {
    const Result<Catalog> catalog = load_catalog(document.value());
    if (!catalog) {
      report.fault(catalog.error().path, catalog.error().message);
    } else {
      const Catalog& c = catalog.value();
      std::printf("GPUs %zu, models %zu, formats %zu, engines %zu, providers %zu, offers %zu, electricity prices %zu\n", c.gpus.size(), c.models.size(), c.quants.size(), c.engines.size(), c.providers.size(), c.offers.size(), c.electricity.size());
      check_meaning(c, report);
      check_measurements(data, c, report);
    }
  }
  std::printf("%d checks, %d faults\n", report.checks(), report.faults());
  return report.faults() == 0 ? 0 : 1;
}

}  // namespace whichgpu::cli
