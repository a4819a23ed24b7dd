#include "door.hpp"

// A catalog of strangers: refused with a reason, or one that answers.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace whichgpu;
  using namespace whichgpu::fuzz;
  const Result<nlohmann::json> document = parse_json(text_of(data, size), "catalog");
  if (!document) return 0;
  const Result<Catalog> loaded = load_catalog(document.value());
  if (!loaded) return 0;
  for (const Gpu& gpu : loaded.value().gpus)
    for (const Model& model : loaded.value().models)
      check_answer(estimate_json(loaded.value(), nlohmann::json{{"gpu", gpu.id}, {"model", model.id}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
  return 0;
}
