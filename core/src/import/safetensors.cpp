#include <algorithm>
#include <cstdint>
#include <cstring>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "import/file_header.hpp"

namespace whichgpu {
namespace {

using nlohmann::json;

struct ElementType { const char* name; double bits; };
/// Source: safetensors' Dtype.
constexpr std::array<ElementType, 20> kElementTypes = {{{"BOOL", 8}, {"U8", 8}, {"I8", 8}, {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"I16", 16}, {"U16", 16}, {"F16", 16}, {"BF16", 16}, {"I32", 32}, {"U32", 32},
    {"F32", 32}, {"F64", 64}, {"I64", 64}, {"U64", 64}, {"F4", 4}, {"C64", 64}}};

constexpr double kExact = 9007199254740992.0;  // 2^53

/// Takes the header apart while it is read: no tree is built, so that its memory is that of the tensors alone.
class HeaderReader : public nlohmann::json_sax<json> {
 public:
  explicit HeaderReader(FileHeader& header) : h_(header) {}
  const std::string& fault() const { return fault_; }
  const std::string& tensor() const { return name_; }

  bool null() override { return wrong("null"); }
  bool boolean(bool) override { return wrong("a flag"); }
  bool number_float(double, const std::string&) override { return wrong("a broken number"); }
  bool number_integer(json::number_integer_t v) override { return v < 0 ? wrong("a negative number") : number(static_cast<double>(v)); }
  bool number_unsigned(json::number_unsigned_t v) override { return number(static_cast<double>(v)); }
  bool binary(json::binary_t&) override { return wrong("bytes"); }
  bool string(std::string& v) override {
    if (depth_ != 2) return wrong("a text");
    if (metadata_) {
      Fact f;
      f.text = v.substr(0, 256);
      h_.facts.add(field_.substr(0, 256), std::move(f));
      return true;
    }
    if (field_ == "dtype") {
      tensor_.type = v.substr(0, 32);
      return true;
    }
    return field_ == "shape" || field_ == "data_offsets" ? wrong("a text") : true;
  }
  bool start_object(std::size_t) override {
    if (depth_ >= 2 || list_) return wrong("an object");
    ++depth_;
    if (depth_ == 2) {
      metadata_ = name_ == "__metadata__";
      tensor_ = FileTensor{};
      tensor_.name = name_;
      shape_.clear();
      places_.clear();
    }
    return true;
  }
  bool key(std::string& v) override {
    (depth_ == 1 ? name_ : field_) = v;
    if (depth_ == 1 && h_.tensors.size() >= static_cast<std::size_t>(kMostTensors)) {
      fault_ = "expected at most " + format_number(kMostTensors) + " tensors";
      return false;
    }
    if (depth_ == 2 && !metadata_) {
      const unsigned bit = v == "dtype" ? 1 : v == "shape" ? 2 : v == "data_offsets" ? 4 : 0;
      if ((seen_ & bit) != 0) {
        fault_ = "expected every field once, found \"" + v + "\" twice";
        return false;
      }
      seen_ |= bit;
    }
    return true;
  }
  bool end_object() override {
    if (depth_-- < 2 || metadata_) return true;
    if (seen_ != 7) {
      fault_ = "expected dtype, shape and data_offsets";
      return false;
    }
    seen_ = 0;
    return finish_tensor();
  }
  bool start_array(std::size_t) override {
    if (depth_ != 2 || metadata_ || list_) return wrong("a list");
    list_ = true;
    return true;
  }
  bool end_array() override {
    list_ = false;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const json::exception&) override { return false; }

 private:
  bool wrong(const std::string& found) {
    fault_ = depth_ == 0 ? "expected an object of tensors, found " + found : "expected a dtype, a shape and two data_offsets, found " + found;
    return false;
  }
  bool number(double v) {
    if (depth_ == 2 && !metadata_ && !list_ && field_ != "dtype" && field_ != "shape" && field_ != "data_offsets") return true;  // fields of later versions
    if (!list_ || v >= kExact) return wrong(list_ ? "a number above 2^53" : "a number");
    std::vector<double>& list = field_ == "shape" ? shape_ : places_;
    if (list.size() >= 16) return wrong("more than 16 numbers");
    list.push_back(v);
    return true;
  }
  bool finish_tensor() {
    const auto bits = safetensors_bits(tensor_.type);
    if (!bits) return fault("a known dtype, found \"" + tensor_.type + "\"");
    if (places_.size() != 2 || places_[1] < places_[0]) return fault("data_offsets of a beginning and an end");
    tensor_.elements = 1;
    for (const double d : shape_) tensor_.elements *= d;
    if (!(tensor_.elements < kExact)) return fault("a shape of fewer than 2^53 elements");
    tensor_.offset = places_[0];
    tensor_.bytes = places_[1] - places_[0];
    if (tensor_.bytes * 8 != tensor_.elements * *bits) return fault(format_number(tensor_.elements * *bits / 8, 15) + " bytes for its shape and " + tensor_.type + ", found " + format_number(tensor_.bytes, 15));
    for (std::size_t i = 0; i < std::min(shape_.size(), tensor_.dims.size()); ++i) tensor_.dims[i] = shape_[shape_.size() - 1 - i];
    h_.tensors.push_back(std::move(tensor_));
    return true;
  }
  bool fault(const std::string& expected) {
    fault_ = "expected " + expected;
    return false;
  }

  FileHeader& h_;
  FileTensor tensor_;
  std::string name_, field_, fault_;
  std::vector<double> shape_, places_;
  int depth_ = 0;
  unsigned seen_ = 0;
  bool metadata_ = false, list_ = false;
};

}  // namespace

std::optional<double> safetensors_bits(std::string_view type) {
  for (const ElementType& t : kElementTypes)
    if (type == t.name) return t.bits;
  return std::nullopt;
}

Reading<FileHeader> read_safetensors_header(std::string_view start, double file_bytes) {
  const auto broken = [](std::string path, std::string message) { return Error{ErrorCode::kBadData, std::move(path), std::move(message)}; };
  constexpr double kLongest = 100e6;  // the format's bound
  if (start.size() < 8) {
    if (file_bytes > 0 && file_bytes < 8) return broken("byte 0", "expected the length of the header in 8 bytes, but the file ends at byte " + format_number(file_bytes));
    return Shortage{8};
  }
  std::uint64_t length = 0;
  std::memcpy(&length, start.data(), 8);
  const double end = 8 + static_cast<double>(length);
  if (length < 2 || end > kLongest) return broken("byte 0", "expected a header of 2 to 100,000,000 bytes, found " + format_number(static_cast<double>(length), 15));
  if (file_bytes > 0 && end > file_bytes) return broken("byte 0", "expected a header of " + format_number(static_cast<double>(length), 15) + " bytes, but the file ends at byte " + format_number(file_bytes, 15));
  if (start.size() > 8 && start[8] != '{') return broken("byte 8", "expected the beginning of JSON, \"{\"");
  if (static_cast<double>(start.size()) < end) return Shortage{end};
  FileHeader h;
  h.header_bytes = end;
  const std::string_view text = start.substr(8, static_cast<std::size_t>(length));
  HeaderReader reader(h);
  if (!json::sax_parse(text.begin(), text.end(), &reader)) return broken(reader.tensor().empty() ? "byte 8" : reader.tensor().substr(0, 80), reader.fault().empty() ? "expected JSON in the header; it is cut off, or a comma, quote or bracket is wrong" : reader.fault());
  h.facts.finish();
  std::vector<const FileTensor*> order;
  order.reserve(h.tensors.size());
  for (const FileTensor& t : h.tensors) order.push_back(&t);
  std::sort(order.begin(), order.end(), [](const FileTensor* a, const FileTensor* b) { return a->name < b->name; });
  for (std::size_t i = 1; i < order.size(); ++i)
    if (order[i]->name == order[i - 1]->name) return broken(order[i]->name.substr(0, 80), "expected every tensor once");
  std::sort(order.begin(), order.end(), [](const FileTensor* a, const FileTensor* b) { return a->offset != b->offset ? a->offset < b->offset : a->bytes < b->bytes; });
  double at = 0;
  for (const FileTensor* t : order) {
    if (t->offset != at) return broken(t->name.substr(0, 80), "expected its data at byte " + format_number(at, 15) + " after the header, right behind the tensor before, found " + format_number(t->offset, 15));
    at += t->bytes;
  }
  if (file_bytes > 0 && end + at != file_bytes) return broken("byte " + format_number(file_bytes, 15), "expected the file to end at byte " + format_number(end + at, 15) + ", where its tensors do");
  return h;
}

}  // namespace whichgpu
