#include "door.hpp"

// A query that opens gives a scenario that can be linked again, and that link opens with the same meaning.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace whichgpu::fuzz;
  const std::string scenario = whichgpu::link_decode_json(text_of(data, size));
  check_answer(scenario);
  if (scenario.rfind("{\"error\":", 0) == 0) return 0;
  const std::string query = whichgpu::link_encode_json(scenario);
  if (query.rfind("{\"error\":", 0) == 0) return 0;
  if (whichgpu::link_encode_json(whichgpu::link_decode_json(query)) != query) fail("a link means the same after a round trip", query);
  return 0;
}
