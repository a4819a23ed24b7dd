#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/text.hpp"
#include "import/file_header.hpp"

namespace whichgpu {
namespace {

/// The types of the format's keys.
enum class Kind : std::uint32_t { kU8, kI8, kU16, kI16, kU32, kI32, kF32, kBool, kText, kList, kU64, kI64, kF64 };
constexpr std::array<int, 13> kWidth = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

struct BlockType { std::uint32_t id; const char* name; double weights, bytes; };
/// Weights and bytes of a block. Source: ggml.h (numbers) and ggml-common.h (layouts).
constexpr std::array<BlockType, 33> kBlockTypes = {{
    {0, "F32", 1, 4}, {1, "F16", 1, 2}, {2, "Q4_0", 32, 18}, {3, "Q4_1", 32, 20}, {6, "Q5_0", 32, 22}, {7, "Q5_1", 32, 24}, {8, "Q8_0", 32, 34}, {9, "Q8_1", 32, 36},
    {10, "Q2_K", 256, 84}, {11, "Q3_K", 256, 110}, {12, "Q4_K", 256, 144}, {13, "Q5_K", 256, 176}, {14, "Q6_K", 256, 210}, {15, "Q8_K", 256, 292},
    {16, "IQ2_XXS", 256, 66}, {17, "IQ2_XS", 256, 74}, {18, "IQ3_XXS", 256, 98}, {19, "IQ1_S", 256, 50}, {20, "IQ4_NL", 32, 18}, {21, "IQ3_S", 256, 110},
    {22, "IQ2_S", 256, 82}, {23, "IQ4_XS", 256, 136}, {24, "I8", 1, 1}, {25, "I16", 1, 2}, {26, "I32", 1, 4}, {27, "I64", 1, 8}, {28, "F64", 1, 8},
    {29, "IQ1_M", 256, 56}, {30, "BF16", 1, 2}, {34, "TQ1_0", 256, 54}, {35, "TQ2_0", 256, 66}, {39, "MXFP4", 32, 17}, {40, "NVFP4", 64, 36}}};

constexpr double kExact = 9007199254740992.0;  // 2^53: above it a double skips whole numbers
constexpr std::size_t kLongestKey = 65535;     // the format's bound
constexpr std::size_t kKeptText = 256;

/// Walks over bytes whose every length may lie. The first trouble is kept and ends the walk.
class Walk {
 public:
  Walk(std::string_view bytes, double file_bytes) : bytes_(bytes), file_bytes_(file_bytes) {}

  bool stopped() const { return wanted_ > 0 || !error_.message.empty(); }
  std::size_t at() const { return at_; }

  /// Whether the next `count` bytes are there; else the walk is over.
  bool has(double count, const std::string& what) {
    if (stopped()) return false;
    const double end = static_cast<double>(at_) + count;
    if (end <= static_cast<double>(bytes_.size())) return true;
    if (file_bytes_ > 0 && end > file_bytes_) fail(at_, what + " of " + format_number(count, 15) + " bytes, but the file ends at byte " + format_number(file_bytes_, 15));
    else if (end > kLargestHeaderBytes) fail(at_, what + ", found a length of " + format_number(count, 15) + " bytes, more than a header may have (256 MiB)");
    else wanted_ = end;
    return false;
  }
  template <class T>
  T take(const char* what) {
    T v{};
    if (!has(sizeof(T), what)) return v;
    std::memcpy(&v, bytes_.data() + at_, sizeof(T));  // little-endian, as every machine that this runs on
    at_ += sizeof(T);
    return v;
  }
  std::string_view text(const std::string& what) {
    const double length = static_cast<double>(take<std::uint64_t>(what.c_str()));
    if (!has(length, what)) return {};
    const std::string_view v = bytes_.substr(at_, static_cast<std::size_t>(length));
    at_ += v.size();
    return v;
  }
  void skip(double count, const std::string& what) {
    if (has(count, what)) at_ += static_cast<std::size_t>(count);
  }
  double number(Kind kind, const char* what) {
    switch (kind) {
      case Kind::kU8: return take<std::uint8_t>(what);
      case Kind::kI8: return take<std::int8_t>(what);
      case Kind::kU16: return take<std::uint16_t>(what);
      case Kind::kI16: return take<std::int16_t>(what);
      case Kind::kU32: return take<std::uint32_t>(what);
      case Kind::kI32: return take<std::int32_t>(what);
      case Kind::kF32: return take<float>(what);
      case Kind::kBool: return take<std::uint8_t>(what) != 0;
      case Kind::kU64: return static_cast<double>(take<std::uint64_t>(what));
      case Kind::kI64: return static_cast<double>(take<std::int64_t>(what));
      case Kind::kF64: return take<double>(what);
      case Kind::kText: case Kind::kList: break;
    }
    return 0;
  }
  void fail(std::size_t at, std::string expected) {
    if (!stopped()) error_ = {ErrorCode::kBadData, "byte " + std::to_string(at), "expected " + std::move(expected)};
  }
  template <class T>
  Reading<T> why() const {
    if (wanted_ > 0) return Shortage{wanted_};
    return error_;
  }

 private:
  std::string_view bytes_;
  double file_bytes_, wanted_ = 0;
  std::size_t at_ = 0;
  Error error_;
};

Fact read_list(Walk& w) {
  Fact f;
  const std::size_t where = w.at();
  const std::uint32_t kind = w.take<std::uint32_t>("the type of a list");
  f.count = static_cast<double>(w.take<std::uint64_t>("the length of a list"));
  if (w.stopped()) return f;
  if (kind >= kWidth.size() || static_cast<Kind>(kind) == Kind::kList) {
    w.fail(where, "a list of numbers or texts, found type " + std::to_string(kind));
    return f;
  }
  if (static_cast<Kind>(kind) == Kind::kText) {
    // Every text has at least its length: a list that promises more texts than bytes is seen before it is walked.
    if (!w.has(f.count * 8, "a list of " + format_number(f.count, 15) + " texts")) return f;
    for (double i = 0; i < f.count && !w.stopped(); ++i) {
      w.text("a text of a list");
      if (!w.stopped()) w.has((f.count - i - 1) * 8, "the rest of a list of texts");
    }
    return f;
  }
  const int width = kWidth[kind];
  if (!w.has(f.count * width, "a list of " + format_number(f.count, 15) + " numbers")) return f;
  if (f.count > kMostFileLayers) w.skip(f.count * width, "a list");
  else
    for (double i = 0; i < f.count; ++i) f.numbers.push_back(w.number(static_cast<Kind>(kind), "a number of a list"));
  return f;
}

Fact read_value(Walk& w) {
  const std::size_t where = w.at();
  const std::uint32_t kind = w.take<std::uint32_t>("the type of a key");
  Fact f;
  if (w.stopped()) return f;
  if (kind >= kWidth.size()) w.fail(where, "the type of a key, 0 to 12, found " + std::to_string(kind));
  else if (static_cast<Kind>(kind) == Kind::kText) f.text = w.text("a text").substr(0, kKeptText);
  else if (static_cast<Kind>(kind) == Kind::kList) f = read_list(w);
  else f.number = w.number(static_cast<Kind>(kind), "a number");
  return f;
}

const BlockType* block_type(std::uint32_t id) {
  const auto it = std::find_if(kBlockTypes.begin(), kBlockTypes.end(), [id](const BlockType& b) { return b.id == id; });
  return it == kBlockTypes.end() ? nullptr : &*it;
}

FileTensor read_tensor(Walk& w) {
  FileTensor t;
  t.name = w.text("the name of a tensor").substr(0, kLongestKey);
  const std::size_t where = w.at();
  const std::uint32_t rank = w.take<std::uint32_t>("a number of dimensions");
  if (w.stopped()) return t;
  if (rank > t.dims.size()) w.fail(where, "up to 4 dimensions of " + t.name.substr(0, 80) + ", found " + std::to_string(rank));
  t.elements = 1;
  for (std::uint32_t i = 0; i < rank && !w.stopped(); ++i) {
    t.dims[i] = static_cast<double>(w.take<std::uint64_t>("a dimension"));
    t.elements *= t.dims[i];
  }
  if (!(t.elements >= 1 && t.elements < kExact)) w.fail(where, "dimensions of " + t.name.substr(0, 80) + " that give 1 to 2^53 weights");
  const std::size_t type_at = w.at();
  const std::uint32_t type = w.take<std::uint32_t>("the type of a tensor");
  t.offset = static_cast<double>(w.take<std::uint64_t>("the place of a tensor"));
  if (w.stopped()) return t;
  if (t.offset >= kExact) w.fail(type_at + 4, "a place of " + t.name.substr(0, 80) + " below 2^53");
  if (const BlockType* b = block_type(type)) {
    t.type = b->name;
    const double blocks = t.elements / b->weights;
    if (std::floor(t.dims[0] / b->weights) * b->weights != t.dims[0]) w.fail(type_at, "rows of " + t.name.substr(0, 80) + " in whole blocks of " + format_number(b->weights) + " weights (" + b->name + "), found " + format_number(t.dims[0], 15));
    t.bytes = blocks * b->bytes;
  } else {
    t.type = "type " + std::to_string(type);  // a program's own: its size follows from the place of the next tensor
  }
  return t;
}

/// Sizes of tensors of unknown types from where the next one begins; tensors must not overlap, nor reach past the file.
std::optional<Error> check_places(FileHeader& h, double alignment, double file_bytes) {
  std::vector<FileTensor*> order;
  order.reserve(h.tensors.size());
  for (FileTensor& t : h.tensors) order.push_back(&t);
  std::sort(order.begin(), order.end(), [](const FileTensor* a, const FileTensor* b) { return a->offset != b->offset ? a->offset < b->offset : a->name < b->name; });
  const auto fault = [&](const FileTensor& t, std::string message) { return Error{ErrorCode::kBadData, "byte " + format_number(h.header_bytes + t.offset, 15), std::move(message)}; };
  for (std::size_t i = 0; i < order.size(); ++i) {
    FileTensor& t = *order[i];
    const double next = i + 1 < order.size() ? order[i + 1]->offset : file_bytes > 0 ? file_bytes - h.header_bytes : -1;
    if (t.bytes <= 0) {
      if (next <= t.offset) return fault(t, "expected a size of " + t.name.substr(0, 80) + ", whose " + t.type + " is not known here");
      t.bytes = next - t.offset;
    } else if (next >= 0 && t.offset + t.bytes > next) {
      const bool last = i + 1 == order.size();
      return fault(t, "expected " + format_number(t.bytes, 15) + " bytes of " + t.name.substr(0, 80) + ", but " + (last ? "the file ends" : order[i + 1]->name.substr(0, 80) + " begins") + " after " + format_number(next - t.offset, 15));
    }
    if (std::floor(t.offset / alignment) * alignment != t.offset) return fault(t, "expected " + t.name.substr(0, 80) + " at a multiple of " + format_number(alignment) + " bytes");
  }
  return std::nullopt;
}

}  // namespace

Reading<FileHeader> read_gguf_header(std::string_view start, double file_bytes) {
  Walk w(start, file_bytes);
  FileHeader h;
  const std::uint32_t magic = w.take<std::uint32_t>("the word GGUF"), version = w.take<std::uint32_t>("a version");
  if (!w.stopped() && magic != 0x46554747) w.fail(0, "the word GGUF");
  if (!w.stopped() && version > 0xffff) w.fail(4, "a little-endian file; this one is for big-endian machines");
  if (!w.stopped() && version != 2 && version != 3) w.fail(4, "version 2 or 3, found " + std::to_string(version));
  const double tensors = static_cast<double>(w.take<std::uint64_t>("the number of tensors")), pairs = static_cast<double>(w.take<std::uint64_t>("the number of keys"));
  if (!w.stopped() && tensors > kMostTensors) w.fail(8, "at most " + format_number(kMostTensors) + " tensors, found " + format_number(tensors, 15));
  if (!w.stopped() && pairs > kMostPairs) w.fail(16, "at most " + format_number(kMostPairs) + " keys, found " + format_number(pairs, 15));
  // The least that so many keys (length, type, value) and tensors (length, dimensions, type, place) can take.
  if (!w.stopped()) w.has(pairs * 13 + tensors * 24, "keys and tensors");
  for (double i = 0; i < pairs && !w.stopped(); ++i) {
    const std::size_t where = w.at();
    const std::string_view key = w.text("a key");
    if (!w.stopped() && (key.empty() || key.size() > kLongestKey)) w.fail(where, "a key of 1 to 65,535 bytes");
    Fact value = read_value(w);
    if (!w.stopped()) h.facts.add(std::string(key), std::move(value));
  }
  for (double i = 0; i < tensors && !w.stopped(); ++i) {
    FileTensor t = read_tensor(w);
    if (!w.stopped()) h.tensors.push_back(std::move(t));
  }
  if (w.stopped()) return w.why<FileHeader>();
  if (const auto twice = h.facts.finish()) return Error{ErrorCode::kBadData, twice->substr(0, 80), "expected every key once"};
  std::vector<std::string_view> names;
  names.reserve(h.tensors.size());
  for (const FileTensor& t : h.tensors) names.push_back(t.name);
  std::sort(names.begin(), names.end());
  if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end()) return Error{ErrorCode::kBadData, std::string(twice->substr(0, 80)), "expected every tensor once"};
  const double alignment = h.facts.number("general.alignment").value_or(32);  // the format's default
  if (!(alignment >= 1 && alignment <= 65536) || std::floor(alignment) != alignment) return Error{ErrorCode::kBadData, "general.alignment", "expected 1 to 65,536, found " + format_number(alignment)};
  h.header_bytes = std::ceil(static_cast<double>(w.at()) / alignment) * alignment;
  if (auto e = check_places(h, alignment, file_bytes)) return *e;
  return h;
}

std::optional<std::string> Facts::finish() {
  std::sort(all_.begin(), all_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto twice = std::adjacent_find(all_.begin(), all_.end(), [](const auto& a, const auto& b) { return a.first == b.first; });
  return twice == all_.end() ? std::nullopt : std::optional(twice->first);
}

const Fact* Facts::find(std::string_view key) const {
  const auto it = std::lower_bound(all_.begin(), all_.end(), key, [](const auto& a, std::string_view k) { return a.first < k; });
  return it != all_.end() && it->first == key ? &it->second : nullptr;
}

std::optional<double> Facts::number(std::string_view key) const {
  const Fact* f = find(key);
  return f ? f->number : std::nullopt;
}

std::string Facts::text(std::string_view key) const {
  const Fact* f = find(key);
  return f ? f->text : std::string();
}

}  // namespace whichgpu
