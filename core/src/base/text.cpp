#include "base/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <nlohmann/json.hpp>

namespace whichgpu {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t' || text.front() == '\r' || text.front() == '\n')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r' || text.back() == '\n')) text.remove_suffix(1);
  return text;
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }
bool starts_with(std::string_view text, std::string_view part) { return text.substr(0, part.size()) == part; }

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c); }

}  // namespace

std::optional<double> to_number(std::string_view text) {
  text = trim(text);
  if (text.empty() || text.size() > 40 || !(is_digit(text.front()) || text.front() == '-' || text.front() == '.')) return std::nullopt;
  if (text.size() <= 15 && std::all_of(text.begin(), text.end(), is_digit)) {  // a whole number that a double holds exactly
    double value = 0;
    for (const char c : text) value = value * 10 + (c - '0');
    return value;
  }
  // The JSON reader's grammar and rounding serve here too: one way to read a number for every door.
  std::string json_text(text);
  if (json_text.front() == '.') json_text.insert(0, "0");
  std::size_t sign = json_text.front() == '-' ? 1 : 0;
  while (sign + 1 < json_text.size() && json_text[sign] == '0' && is_digit(json_text[sign + 1])) json_text.erase(sign, 1);
  if (json_text.back() == '.') json_text.pop_back();
  const nlohmann::json value = nlohmann::json::parse(json_text, nullptr, false);
  if (!value.is_number()) return std::nullopt;
  return value.get<double>();
}

std::optional<double> first_number(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_digit(text[i])) continue;
    std::string digits;
    bool point = false;
    for (; i < text.size(); ++i) {
      const char c = text[i];
      if (is_digit(c)) digits.push_back(c);
      else if ((c == ',' || c == '_') && !point && i + 3 < text.size() && is_digit(text[i + 1]) && is_digit(text[i + 2]) && is_digit(text[i + 3])) continue;
      else if (c == '.' && !point && i + 1 < text.size() && is_digit(text[i + 1])) { digits.push_back(c); point = true; }
      else break;
    }
    double scale = 1;
    if (i < text.size() && (text[i] == 'k' || text[i] == 'K') && (i + 1 == text.size() || !is_word(text[i + 1]))) scale = 1024;
    const auto value = to_number(digits);
    if (!value) return std::nullopt;
    return *value * scale;
  }
  return std::nullopt;
}

std::optional<double> number_after(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    if (at > 0 && is_word(text[at - 1])) continue;
    std::size_t i = at + name.size();
    while (i < text.size() && (text[i] == '=' || text[i] == ':' || text[i] == '-' || text[i] == '_' || text[i] == ' ')) ++i;
    if (i < text.size() && is_digit(text[i])) return first_number(text.substr(i));
  }
  return std::nullopt;
}

std::string format_number(double value, int digits) {
  if (value != value) return "unknown";
  if (value == 0) return "0";
  const bool negative = value < 0;
  double v = negative ? -value : value;
  int exponent = 0;
  double scale = 1;
  while (v / scale >= 10 && exponent < 300) { scale *= 10; ++exponent; }
  while (v / scale < 1 && exponent > -300) { scale /= 10; --exponent; }
  double unit = 1;
  for (int i = 1; i < digits; ++i) unit *= 10;
  double mantissa = std::floor(v / scale * unit + 0.5);  // `digits` digits
  if (mantissa >= unit * 10) { mantissa = std::floor(mantissa / 10 + 0.5); ++exponent; }
  std::string text = std::to_string(static_cast<long long>(mantissa));
  std::string out;
  if (exponent >= 0 && exponent < 15) {
    const std::size_t whole = static_cast<std::size_t>(exponent) + 1;
    if (text.size() < whole) text.append(whole - text.size(), '0');
    out = text.substr(0, whole);
    if (text.size() > whole) out += "." + text.substr(whole);
  } else if (exponent < 0 && exponent >= -6) {
    out = "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + text;
  } else {
    out = text.substr(0, 1) + "." + text.substr(1);
  }
  if (out.find('.') != std::string::npos) {
    while (out.back() == '0') out.pop_back();
    if (out.back() == '.') out.pop_back();
  }
  if (!(exponent >= -6 && exponent < 15)) out += "e" + std::string(exponent < 0 ? "-" : "+") + std::to_string(exponent < 0 ? -exponent : exponent);
  return (negative ? "-" : "") + out;
}

}  // namespace whichgpu
