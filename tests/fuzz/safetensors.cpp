#include <cstring>

#include "file.hpp"

// The JSON of a safetensors header by strangers, behind its true length; then the same bytes as a whole file, whose length
// is whatever its first bytes say.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace whichgpu::fuzz;
  std::string bytes(8, '\0');
  const std::uint64_t length = size;
  std::memcpy(bytes.data(), &length, sizeof(length));
  bytes += text_of(data, size);
  check_files({{bytes, "fuzzed.safetensors", 0}});
  check_files({{text_of(data, size), "fuzzed", static_cast<double>(size)}});
  return 0;
}
