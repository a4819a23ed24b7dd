#include <emscripten/bind.h>

#include <string>

#include <nlohmann/json.hpp>

#include "inspect.hpp"
#include "whichgpu/api.hpp"
#include "whichgpu/compare.hpp"
#include "whichgpu/import.hpp"
#include "whichgpu/launch.hpp"
#include "whichgpu/link.hpp"
#include "whichgpu/ownership.hpp"
#include "whichgpu/paste.hpp"
#include "whichgpu/scaling.hpp"

// A table of what JavaScript may call: JSON in, JSON out, the same text that the command line reads and prints. No
// arithmetic and no defaults here. Compiled twice: WHICHGPU_FULL 0 is what the page's first answer needs, 1 has everything.
namespace {

using namespace whichgpu;

Result<Catalog> read_catalog(const std::string& catalog_json) {
  const Result<nlohmann::json> document = parse_json(catalog_json, "catalog");
  if (!document) return document.error();
  return load_catalog(document.value());
}

/// What JavaScript knows as Engine (here that name means vLLM and its like). A catalog that did not load answers every
/// call with its error.
class Calculator {
 public:
  explicit Calculator(const std::string& catalog_json) : catalog_(read_catalog(catalog_json)) {}

  std::string estimate(const std::string& scenario_json) const {
    return catalog_ ? estimate_json(catalog_.value(), scenario_json, measured_) : error_json(catalog_.error());
  }
  std::string rank(const std::string& scenario_json) const { return ask(rank_json, scenario_json); }
  /// Keeps the rows of a CSV, beside those of earlier calls, as evidence of later estimates; {"rows": all kept}.
  std::string load_measurements(const std::string& csv) { return add_measurements(measured_, csv); }
#if WHICHGPU_FULL
  std::string compare(const std::string& question_json) const { return ask(compare_json, question_json); }
  std::string scale(const std::string& question_json) const { return ask(scaling_json, question_json); }
  std::string launch(const std::string& scenario_json) const { return ask(launch_json, scenario_json); }
  std::string paste(const std::string& question_json) const { return ask(pasted_json, question_json); }
#endif
  std::string ownership(const std::string& scenario_json) const { return ask(ownership_json, scenario_json); }
  std::string link_encode(const std::string& scenario_json) const { return link_encode_json(scenario_json); }
  std::string link_decode(const std::string& query) const { return link_decode_json(query); }

 private:
  std::string ask(std::string (*answer)(const Catalog&, std::string_view), const std::string& text) const {
    return catalog_ ? answer(catalog_.value(), text) : error_json(catalog_.error());
  }

  Result<Catalog> catalog_;
  std::vector<MeasurementRow> measured_;
};

#if WHICHGPU_FULL
std::string read_config(const std::string& config, const std::string& name) { return import_config_json(config, name); }
#endif

}  // namespace

EMSCRIPTEN_BINDINGS(whichgpu) {
  emscripten::class_<Calculator>("Engine")
      .constructor<const std::string&>()
      .function("estimate", &Calculator::estimate)
      .function("rank", &Calculator::rank)
#if WHICHGPU_FULL
      .function("compare", &Calculator::compare)
      .function("scale", &Calculator::scale)
      .function("launch", &Calculator::launch)
      .function("paste", &Calculator::paste)
#endif
      .function("ownership", &Calculator::ownership)
      .function("load_measurements", &Calculator::load_measurements)
      .function("link_encode", &Calculator::link_encode)
      .function("link_decode", &Calculator::link_decode);
#if WHICHGPU_FULL
  emscripten::function("import_config", &read_config);
  emscripten::function("inspect_files", &inspect_file_list);
#endif
}
