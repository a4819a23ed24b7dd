#include "door.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace whichgpu::fuzz;
  check_answer(whichgpu::rank_json(catalog(), text_of(data, size)));
  return 0;
}
