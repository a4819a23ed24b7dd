#include "support/test_catalog.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <nlohmann/json.hpp>

namespace {

using nlohmann::json;

json read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return json::parse(std::string(std::istreambuf_iterator<char>(in), {}), nullptr, false);
}

[[noreturn]] void give_up(const std::string& why) {
  std::cerr << "test catalog: " << why << '\n';
  std::abort();
}

whichgpu::Catalog load() {
  const std::filesystem::path dir = WHICHGPU_DATA_DIR;
  json document = json::object();
  for (const char* name : {"catalog", "gpus", "quants", "engines", "providers", "ownership", "electricity", "currencies", "calibration"}) {
    const auto path = dir / (std::string(name) + ".json");
    if (!std::filesystem::exists(path)) continue;
    json file = read_file(path);
    if (file.is_discarded()) give_up(path.string() + " is not JSON");
    document[name] = file.contains(name) ? file[name] : file;
  }
  for (const auto& [folder, key] : {std::pair{"models", "models"}, std::pair{"offers", "offers"}}) {
    json rows = json::array();
    if (!std::filesystem::exists(dir / folder)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(dir / folder)) {
      const json file = read_file(entry.path());
      if (!file.is_object() || !file.contains(key)) give_up(entry.path().string() + " has no " + key);
      for (json row : file[key]) {
        if (file.contains("provider")) row["provider"] = file["provider"];
        rows.push_back(std::move(row));
      }
    }
    document[key] = std::move(rows);
  }
  auto catalog = whichgpu::load_catalog(document);
  if (!catalog) give_up(catalog.error().path + ": " + catalog.error().message);
  return catalog.value();
}

}  // namespace

const whichgpu::Catalog& test_catalog() {
  static const whichgpu::Catalog catalog = load();
  return catalog;
}
const whichgpu::Model& model_of(const char* id) {
  const whichgpu::Model* m = test_catalog().find_model(id);
  if (!m) give_up(std::string("no model ") + id);
  return *m;
}
const whichgpu::Quant& quant_of(const char* id) {
  const whichgpu::Quant* q = test_catalog().find_quant(id);
  if (!q) give_up(std::string("no format ") + id);
  return *q;
}
const whichgpu::Gpu& gpu_of(const char* id) {
  const whichgpu::Gpu* g = test_catalog().find_gpu(id);
  if (!g) give_up(std::string("no GPU ") + id);
  return *g;
}
