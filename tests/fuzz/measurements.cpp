#include "door.hpp"
#include "whichgpu/accuracy.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace whichgpu;
  using namespace whichgpu::fuzz;
  const auto rows = read_measurements(std::string(text_of(data, size)));
  if (!rows) return 0;
  check_answer(to_json(judge(catalog(), rows.value())).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  return 0;
}
