#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "whichgpu/import_file.hpp"
#include "whichgpu/result.hpp"

/// What the start of a file of weights says. Shared by the formats; nothing here trusts a count or a length.
namespace whichgpu {

/// The start of the file given is too short: this many bytes from its beginning are needed at least.
struct Shortage { double bytes = 0; };

/// A header, the wish for more of the file, or why it is none.
template <class T>
using Reading = std::variant<T, Shortage, Error>;

/// Bounds that no published file comes near, and beyond which a header is refused rather than read.
constexpr double kLargestHeaderBytes = 256.0 * 1024 * 1024;
constexpr double kMostTensors = 200000, kMostPairs = 65536;
constexpr std::size_t kMostFileLayers = 4096;

struct FileTensor {
  std::string name, type;
  std::array<double, 4> dims = {1, 1, 1, 1};  ///< innermost first, as GGUF has them
  double elements = 0, offset = 0, bytes = 0;
};

/// A key's value. Long texts are cut and long lists counted, since only short ones describe a model.
struct Fact {
  std::optional<double> number;  ///< numbers and flags
  std::string text;
  std::vector<double> numbers;
  double count = 0;              ///< entries of a list
};

class Facts {
 public:
  void add(std::string key, Fact fact) { all_.emplace_back(std::move(key), std::move(fact)); }
  /// Sorts the keys; call once. The key that stands twice, if one does.
  std::optional<std::string> finish();
  const Fact* find(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;
  std::string text(std::string_view key) const;

 private:
  std::vector<std::pair<std::string, Fact>> all_;
};

struct FileHeader {
  std::vector<FileTensor> tensors;
  Facts facts;
  double header_bytes = 0;  ///< where the data begins
};

/// Reads GGUF of versions 2 and 3 (little-endian). `file_bytes` 0: the size of the file is not known.
/// Source: docs/gguf.md of the ggml project; block sizes: ggml-common.h.
Reading<FileHeader> read_gguf_header(std::string_view start, double file_bytes);

/// Reads the header of a safetensors file: its length in 8 bytes, then JSON. Source: the format's README.
Reading<FileHeader> read_safetensors_header(std::string_view start, double file_bytes);

/// Bits of an element of a safetensors type ("BF16", "F8_E4M3"); nothing when unknown.
std::optional<double> safetensors_bits(std::string_view type);

}  // namespace whichgpu
