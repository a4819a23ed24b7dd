#include "whichgpu/link.hpp"

#include <cmath>
#include <set>

#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "base/text.hpp"
#include "scenario/fields.hpp"
#include "whichgpu/api.hpp"
#include "whichgpu/scenario.hpp"

namespace whichgpu {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestLink = 64u << 10;

/// Characters that stay as they are: those that a query may hold by RFC 3986 and that no chat program breaks a link at.
bool is_plain(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || contains("-._~*,:/@", std::string_view(&c, 1)); }

std::string escaped(std::string_view text) {
  constexpr const char* kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (is_plain(c)) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  return out;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Error broken(std::string_view key, std::string message) {
  std::string shown(key.substr(0, 40));
  return Error{ErrorCode::kBadData, shown.empty() ? "link" : "link/" + shown, std::move(message)};
}

Result<std::string> unescaped(std::string_view key, std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      out += ' ';
    } else if (text[i] == '%') {
      const int high = i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
      if (high < 0 || low < 0) return broken(key, "expected two hexadecimal digits after %");
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

bool added_by_others(std::string_view key) { return starts_with(key, "utm_") || key == "fbclid" || key == "gclid" || key == "ref"; }

const json* field_of(const json& scenario, const ScenarioField& k) {
  const json* object = &scenario;
  if (*k.section) {
    const auto it = scenario.find(k.section);
    if (it == scenario.end() || !it->is_object()) return nullptr;
    object = &*it;
  }
  const auto it = object->find(k.name);
  return it == object->end() || it->is_null() ? nullptr : &*it;
}

/// Whole numbers without ".0", so that a scenario's link and a link's scenario read the same.
json plain_number(double value) {
  constexpr double kExactBelow = 9007199254740992.0;  // 2^53
  if (value == std::floor(value) && value > -kExactBelow && value < kExactBelow) return json(static_cast<long long>(value));
  return json(value);
}

std::string value_text(const json& value, FieldKind kind) {
  if (kind == FieldKind::kBox) {
    std::string list;
    for (const json& entry : value) list += (list.empty() ? "" : ",") + entry["gpu"].get<std::string>() + "*" + json_text(entry["count"]);
    return list;
  }
  if (kind == FieldKind::kNames) {
    std::string list;
    for (const json& name : value) list += (list.empty() ? "" : ",") + name.get<std::string>();
    return list;
  }
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return json_text(plain_number(value.get<double>()));
  return json_text(value);
}

Result<json> box_of(std::string_view key, const std::string& text) {
  json list = json::array();
  std::size_t at = 0;
  while (at <= text.size()) {
    std::size_t end = text.find(',', at);
    if (end == std::string::npos) end = text.size();
    const std::string entry = text.substr(at, end - at);
    const std::size_t star = entry.rfind('*');
    const std::optional<double> count = star == std::string::npos ? 1.0 : to_number(std::string_view(entry).substr(star + 1));
    if (!count || entry.empty()) return broken(key, "expected \"gpu*count,gpu*count\", found \"" + entry.substr(0, 60) + "\"");
    list.push_back({{"gpu", entry.substr(0, star)}, {"count", plain_number(*count)}});
    at = end + 1;
  }
  return list;
}

json names_of(const std::string& text) {
  json list = json::array();
  std::size_t at = 0;
  while (at <= text.size()) {
    std::size_t end = text.find(',', at);
    if (end == std::string::npos) end = text.size();
    list.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return list;
}

Result<json> value_of(const ScenarioField& k, const std::string& text) {
  switch (k.kind) {
    case FieldKind::kFlag:
      if (text != "true" && text != "false") return broken(k.key, "expected true or false, found \"" + text.substr(0, 60) + "\"");
      return json(text == "true");
    case FieldKind::kNumber:
    case FieldKind::kWhole:
    case FieldKind::kFigure:
    case FieldKind::kCount: {
      const std::optional<double> number = to_number(text);
      if (!number) return broken(k.key, "expected a number, found \"" + text.substr(0, 60) + "\"");
      return plain_number(*number);
    }
    case FieldKind::kNames: return names_of(text);
    case FieldKind::kBox: return box_of(k.key, text);
    case FieldKind::kObject: {
      Result<json> object = parse_json(text, k.key);
      if (!object) return broken(k.key, object.error().message);
      return object;
    }
    default: return json(text);
  }
}

}  // namespace

Result<std::string> encode_link(const json& scenario) {
  const Result<Scenario> checked = read_scenario(scenario);
  if (!checked) return checked.error();
  std::string query = "v=1";
  for (const ScenarioField& k : scenario_fields()) {
    if (!k.key) continue;
    if (k.section == std::string_view("precision")) {
      // "precision": "q8_0" is short for its weights
      const auto it = scenario.find("precision");
      if (it != scenario.end() && it->is_string()) {
        if (k.name == std::string_view("weights")) query += std::string("&") + k.key + "=" + escaped(it->get<std::string>());
        continue;
      }
    }
    if (const json* value = field_of(scenario, k)) query += std::string("&") + k.key + "=" + escaped(value_text(*value, k.kind));
  }
  return query;
}

Result<json> decode_link(std::string_view query) {
  if (starts_with(query, "?")) query.remove_prefix(1);
  if (query.size() > kLongestLink) return broken("", "is longer than 64 KiB");
  json scenario = json::object();
  std::set<std::string, std::less<>> seen;
  std::size_t at = 0;
  while (at < query.size()) {
    std::size_t end = query.find('&', at);
    if (end == std::string_view::npos) end = query.size();
    const std::string_view part = query.substr(at, end - at);
    at = end + 1;
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    const std::string_view key = part.substr(0, equals);
    if (added_by_others(key)) continue;
    if (equals == std::string_view::npos) return broken(key, "expected key=value");
    const Result<std::string> text = unescaped(key, part.substr(equals + 1));
    if (!text) return text.error();
    if (!seen.emplace(key).second) return broken(key, "is there twice");
    if (key == "v") {
      if (text.value() != "1") return broken(key, "expected version 1, found \"" + text.value().substr(0, 60) + "\"");
      scenario["version"] = 1;
      continue;
    }
    const ScenarioField* known = nullptr;
    for (const ScenarioField& k : scenario_fields())
      if (k.key && key == k.key) known = &k;
    if (!known) return broken(key, "unknown key");
    Result<json> value = value_of(*known, text.value());
    if (!value) return value.error();
    (*known->section ? scenario[known->section] : scenario)[known->name] = std::move(value.value());
  }
  if (!seen.count("v")) return broken("v", "expected v=1: the link does not say its version");
  const Result<Scenario> checked = read_scenario(scenario);
  if (!checked) return checked.error();
  return scenario;
}

std::string link_encode_json(std::string_view scenario_json) {
  const Result<json> document = parse_json(scenario_json, "scenario");
  if (!document) return error_json(document.error());
  const Result<std::string> query = encode_link(document.value());
  return query ? query.value() : error_json(query.error());
}

std::string link_decode_json(std::string_view query) {
  const Result<json> scenario = decode_link(query);
  return scenario ? json_text(scenario.value()) : error_json(scenario.error());
}

}  // namespace whichgpu
