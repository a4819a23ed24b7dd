#include "door.hpp"
#include "whichgpu/import.hpp"

// A configuration of strangers: refused with a reason, or a model that a scenario can ask about.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace whichgpu::fuzz;
  const std::string answer = whichgpu::import_config_json(text_of(data, size), "fuzzed");
  check_answer(answer);
  const nlohmann::json imported = nlohmann::json::parse(answer, nullptr, false);
  if (imported.contains("error")) return 0;
  const nlohmann::json scenario = {{"custom_model", imported["model"]}, {"gpu", "nvidia-rtx-4090"}};
  check_answer(whichgpu::estimate_json(catalog(), scenario.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
  return 0;
}
