#include "native/files.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

namespace whichgpu::native {

using nlohmann::json;
namespace fs = std::filesystem;

Result<std::string> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || fs::is_directory(path)) return Error{ErrorCode::kBadData, path, "cannot be read: no such file, or no right to read it"};
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad()) return Error{ErrorCode::kBadData, path, "reading it failed half-way"};
  return std::move(text).str();
}

std::optional<Error> write_file(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".new";
  {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    out << text;
    if (!out.flush()) return Error{ErrorCode::kBadData, path, "cannot be written"};
  }
  std::error_code failed;
  fs::rename(temporary, path, failed);
  if (failed) return Error{ErrorCode::kBadData, path, "cannot be written: " + failed.message()};
  return std::nullopt;
}

std::vector<std::string> list_files(const std::string& folder, const std::string& ending) {
  std::vector<std::string> out;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file() && name.size() > ending.size() && name.compare(name.size() - ending.size(), ending.size(), ending) == 0) out.push_back(entry.path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

namespace {

Result<json> read_json(const std::string& path) {
  Result<std::string> text = read_file(path);
  if (!text) return text.error();
  json document = json::parse(text.value(), nullptr, false);
  if (document.is_discarded()) return Error{ErrorCode::kBadData, path, "is not JSON"};
  return document;
}

/// Appends the rows of `path`/`key` to document[key].
std::optional<Error> append_rows(json& document, const std::string& path, const char* key) {
  Result<json> file = read_json(path);
  if (!file) return file.error();
  if (!file.value().is_object() || !file.value().contains(key) || !file.value()[key].is_array()) return Error{ErrorCode::kBadData, path, std::string("expected a list \"") + key + "\""};
  const auto provider = file.value().find("provider");
  for (json& row : file.value()[key]) {
    if (provider != file.value().end() && row.is_object()) row["provider"] = *provider;
    document[key].push_back(std::move(row));
  }
  return std::nullopt;
}

}  // namespace

Result<json> read_catalog_dir(const std::string& folder, bool with_calibration) {
  json document = json::object();
  Result<json> head = read_json(folder + "/catalog.json");
  if (!head) return head.error();
  head.value().erase("$schema");
  document["catalog"] = std::move(head.value());
  for (const char* kind : {"gpus", "quants", "engines", "providers", "ownership", "electricity", "currencies"}) {
    document[kind] = json::array();
    if (auto e = append_rows(document, folder + "/" + kind + ".json", kind)) return *e;
  }
  for (const char* kind : {"models", "offers"}) {
    document[kind] = json::array();
    for (const std::string& path : list_files(folder + "/" + kind, ".json"))
      if (auto e = append_rows(document, path, kind)) return *e;
    if (document[kind].empty()) return Error{ErrorCode::kBadData, folder + "/" + kind, "holds no catalog file"};
  }
  if (with_calibration && fs::exists(folder + "/calibration.json")) {
    Result<json> calibration = read_json(folder + "/calibration.json");
    if (!calibration) return calibration.error();
    document["calibration"] = std::move(calibration.value());
  }
  return document;
}

Result<std::vector<MeasurementRow>> read_all_measurements(const std::string& folder) {
  std::vector<MeasurementRow> rows;
  for (const std::string& path : list_files(folder, ".csv")) {
    Result<std::string> text = read_file(path);
    if (!text) return text.error();
    Result<std::vector<MeasurementRow>> part = read_measurements(text.value());
    if (!part) return Error{part.error().code, path + ": " + part.error().path, part.error().message};
    rows.insert(rows.end(), std::make_move_iterator(part.value().begin()), std::make_move_iterator(part.value().end()));
  }
  return rows;
}

}  // namespace whichgpu::native
