#include "core/import/file_bytes.hpp"
#include "file.hpp"

// Small files of strangers that go with weights: manifests, shard indexes, configurations; alone and beside a safetensors header.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace whichgpu::fuzz;
  const std::string_view text = text_of(data, size);
  check_files({{text, "fuzzed.json", static_cast<double>(size)}});
  static const whichgpu::bytes::Safetensors shard = whichgpu::bytes::Safetensors().tensor("model.norm.weight", "BF16", 16, {64});
  static const std::string header = shard.header();
  check_files({{text, "fuzzed.json", static_cast<double>(size)}, {header, "model-00001-of-00002.safetensors", shard.file_bytes()}});
  return 0;
}
