#include "file.hpp"

// A GGUF file of strangers, its size known and not known. The input stands for the file's beginning; its tensors would
// follow, so the size that is told is far beyond it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace whichgpu::fuzz;
  const std::string bytes = "GGUF" + std::string(text_of(data, size));
  check_files({{bytes, "fuzzed.gguf", 0}});
  check_files({{bytes, "fuzzed.gguf", static_cast<double>(bytes.size())}});
  check_files({{bytes, "fuzzed.gguf", 1e12}});
  return 0;
}
