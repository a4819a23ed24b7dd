#include "base/json_text.hpp"

#include <nlohmann/json.hpp>

namespace whichgpu {
namespace {

/// Length of the UTF-8 sequence at the start of `text`; 0 when it is none (RFC 3629: no overlong forms, no surrogates,
/// nothing above U+10FFFF).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  const unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80, high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  return length;
}

}  // namespace

void JsonText::number(double value) {
  before();
  if (!(value - value == 0)) {  // not a number, or infinite
    out_ += "null";
    return;
  }
  char digits[64];
  out_.append(digits, nlohmann::detail::to_chars(digits, digits + sizeof digits, value));
}

void JsonText::quote(std::string_view value) {
  out_ += '"';
  for (std::size_t at = 0; at < value.size();) {
    std::size_t end = at;  // what needs no escape goes in one piece
    while (end < value.size() && static_cast<unsigned char>(value[end] - 0x20) < 0x60 && value[end] != '"' && value[end] != '\\') ++end;
    out_.append(value.data() + at, end - at);
    at = end;
    if (at == value.size()) break;
    const char c = value[at];
    if (const std::size_t length = utf8_length(value.substr(at)); length != 1) {
      out_.append(length ? value.substr(at, length) : "\xef\xbf\xbd");
      at += length ? length : 1;
      continue;
    }
    constexpr char kShort[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    const char* letter = nullptr;
    for (const char* s = kShort; *s; s += 2)
      if (*s == c) letter = s + 1;
    constexpr char kHex[] = "0123456789abcdef";
    out_ += '\\';
    if (letter) out_ += *letter;
    else (out_ += "u00") += {kHex[c >> 4], kHex[c & 15]};
    ++at;
  }
  out_ += '"';
}

void JsonText::put(std::string_view name, const std::optional<Quantity>& quantity) {
  if (!quantity) return;
  key(name);
  open('{');
  if (!quantity->exact) {
    put("p10", std::optional(quantity->p10));
    put("p90", std::optional(quantity->p90));
  }
  put("unit", quantity->unit);
  put("value", std::optional(quantity->value));
  close('}');
}

void JsonText::value(const nlohmann::json& v) {
  using Type = nlohmann::json::value_t;
  switch (v.type()) {
    case Type::object:
      open('{');
      for (auto it = v.begin(); it != v.end(); ++it) {
        text(it.key());
        out_ += ':';
        fresh_ = true;
        value(it.value());
      }
      return close('}');
    case Type::array:
      open('[');
      for (const nlohmann::json& item : v) value(item);
      return close(']');
    case Type::string: return text(*v.get_ptr<const std::string*>());
    case Type::boolean: return boolean(v.get<bool>());
    case Type::number_integer: return whole(v.get<std::int64_t>());
    case Type::number_unsigned: before(); out_ += std::to_string(v.get<std::uint64_t>()); return;
    case Type::number_float: return number(v.get<double>());
    default: before(); out_ += "null"; return;
  }
}

std::string json_text(const nlohmann::json& document) {
  JsonText text;
  text.value(document);
  return text.take();
}

}  // namespace whichgpu
