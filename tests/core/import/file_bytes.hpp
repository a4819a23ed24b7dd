#pragma once
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

/// Writes the headers of files of weights, byte by byte as the formats' descriptions have it. Tests and fuzzers use it; it
/// shares nothing with the readers.
namespace whichgpu::bytes {

template <class T>
void put(std::string& out, T v) {
  char raw[sizeof(T)];
  std::memcpy(raw, &v, sizeof(T));
  out.append(raw, sizeof(T));
}
inline void put_text(std::string& out, std::string_view v) {
  put<std::uint64_t>(out, v.size());
  out.append(v);
}

struct GgmlType { std::uint32_t id; std::uint64_t weights, bytes; };
inline constexpr GgmlType kF32{0, 1, 4}, kF16{1, 1, 2}, kQ8_0{8, 32, 34}, kQ4_K{12, 256, 144}, kQ6_K{14, 256, 210}, kMxfp4{39, 32, 17};

class Gguf {
 public:
  explicit Gguf(std::string architecture = "llama", std::uint32_t version = 3) : architecture_(std::move(architecture)), version_(version) {
    if (!architecture_.empty()) text("general.architecture", architecture_);
  }
  Gguf& text(std::string_view key, std::string_view v) {
    pair(key, 8);
    put_text(pairs_, v);
    return *this;
  }
  Gguf& u32(std::string_view key, std::uint32_t v) {
    pair(key, 4);
    put(pairs_, v);
    return *this;
  }
  Gguf& own(std::string_view key, std::uint32_t v) { return u32(architecture_ + "." + std::string(key), v); }
  Gguf& u32s(std::string_view key, const std::vector<std::uint32_t>& v) {
    pair(key, 9);
    put<std::uint32_t>(pairs_, 4);
    put<std::uint64_t>(pairs_, v.size());
    for (const std::uint32_t one : v) put(pairs_, one);
    return *this;
  }
  Gguf& flags(std::string_view key, const std::vector<bool>& v) {
    pair(key, 9);
    put<std::uint32_t>(pairs_, 7);
    put<std::uint64_t>(pairs_, v.size());
    for (const bool one : v) put<std::uint8_t>(pairs_, one);
    return *this;
  }
  Gguf& tokens(std::uint64_t count) {
    pair("tokenizer.ggml.tokens", 9);
    put<std::uint32_t>(pairs_, 8);
    put<std::uint64_t>(pairs_, count);
    for (std::uint64_t i = 0; i < count; ++i) put_text(pairs_, "t" + std::to_string(i));
    return *this;
  }
  /// A key whose value is given in bytes, for what no honest writer makes.
  Gguf& raw(std::string_view key, std::uint32_t type, std::string_view value) {
    pair(key, type);
    pairs_.append(value);
    return *this;
  }
  Gguf& tensor(const std::string& name, std::initializer_list<std::uint64_t> dims, GgmlType type = kF32) {
    ++tensor_count;
    put_text(infos_, name);
    put<std::uint32_t>(infos_, static_cast<std::uint32_t>(dims.size()));
    std::uint64_t elements = 1;
    for (const std::uint64_t d : dims) {
      put(infos_, d);
      elements *= d;
    }
    put(infos_, type.id);
    put(infos_, at_);
    const std::uint64_t size = elements / type.weights * type.bytes;
    params += static_cast<double>(elements);
    tensor_bytes += static_cast<double>(size);
    at_ = (at_ + size + 31) / 32 * 32;
    return *this;
  }
  std::string header() const {
    std::string out = "GGUF";
    put(out, version_);
    put<std::uint64_t>(out, tensor_count);
    put<std::uint64_t>(out, pair_count_);
    out += pairs_ + infos_;
    out.resize((out.size() + 31) / 32 * 32);
    return out;
  }
  /// What the whole file would have, data and all.
  double file_bytes() const { return static_cast<double>(header().size()) + static_cast<double>(at_); }

  std::uint64_t tensor_count = 0;
  double params = 0, tensor_bytes = 0;

 private:
  void pair(std::string_view key, std::uint32_t type) {
    ++pair_count_;
    put_text(pairs_, key);
    put(pairs_, type);
  }
  std::string architecture_, pairs_, infos_;
  std::uint32_t version_;
  std::uint64_t pair_count_ = 0, at_ = 0;
};

class Safetensors {
 public:
  Safetensors& tensor(const std::string& name, const std::string& type, double bits, const std::vector<double>& shape) {
    double elements = 1;
    for (const double d : shape) elements *= d;
    const double size = elements * bits / 8;
    params += elements;
    document_[name] = {{"dtype", type}, {"shape", as_whole(shape)}, {"data_offsets", as_whole({tensor_bytes, tensor_bytes + size})}};
    tensor_bytes += size;
    return *this;
  }
  std::string header() const { return header_of(document_.dump()); }
  static std::string header_of(const std::string& json) {
    std::string out;
    put<std::uint64_t>(out, json.size());
    return out + json;
  }
  double file_bytes() const { return static_cast<double>(header().size()) + tensor_bytes; }

  double params = 0, tensor_bytes = 0;

 private:
  static std::vector<std::uint64_t> as_whole(const std::vector<double>& list) { return {list.begin(), list.end()}; }
  nlohmann::json document_ = {{"__metadata__", {{"format", "pt"}}}};
};

}  // namespace whichgpu::bytes
