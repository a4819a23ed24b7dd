#include "whichgpu/link.hpp"

#include <cmath>
#include <set>

#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "base/text.hpp"
#include "whichgpu/api.hpp"
#include "whichgpu/scenario.hpp"

namespace whichgpu {
namespace {

using nlohmann::json;

enum class Form { kText, kNumber, kFlag, kBox, kObject };

struct LinkKey {
  const char* key;
  const char* section;  ///< the object that holds the field, or "" for the scenario itself
  const char* field;
  Form form;
};

/// The order here is the order in a link: what a person looks for first comes first.
constexpr LinkKey kKeys[] = {
    {"w", "", "workload", Form::kText},
    {"m", "", "model", Form::kText},
    {"q", "precision", "weights", Form::kText},
    {"kv", "precision", "kv_cache", Form::kText},
    {"e", "", "engine", Form::kText},
    {"draft", "", "draft_model", Form::kText},
    {"g", "", "gpu", Form::kText},
    {"n", "", "gpu_count", Form::kNumber},
    {"nodes", "", "nodes", Form::kNumber},
    {"gpus", "", "gpus", Form::kBox},
    {"tp", "parallelism", "tensor", Form::kNumber},
    {"pp", "parallelism", "pipeline", Form::kNumber},
    {"ep", "parallelism", "expert", Form::kNumber},
    {"dp", "parallelism", "data", Form::kNumber},
    {"off", "", "offload", Form::kText},
    {"c", "", "context_tokens", Form::kNumber},
    {"p", "", "prompt_tokens", Form::kNumber},
    {"o", "", "output_tokens", Form::kNumber},
    {"u", "", "concurrency", Form::kNumber},
    {"rps", "rag", "requests_per_s", Form::kNumber},
    {"rl", "rag", "latency_s", Form::kNumber},
    {"tm", "training", "method", Form::kText},
    {"tn", "training", "samples", Form::kNumber},
    {"tt", "training", "tokens", Form::kNumber},
    {"te", "training", "epochs", Form::kNumber},
    {"ts", "training", "sequence_tokens", Form::kNumber},
    {"mb", "training", "micro_batch", Form::kNumber},
    {"gb", "training", "global_batch", Form::kNumber},
    {"tq", "training", "precision", Form::kText},
    {"opt", "training", "optimizer", Form::kText},
    {"ckpt", "training", "checkpointing", Form::kText},
    {"shard", "training", "sharding", Form::kText},
    {"rank", "training", "lora_rank", Form::kNumber},
    {"vi", "vision", "images", Form::kNumber},
    {"ve", "vision", "epochs", Form::kNumber},
    {"vr", "vision", "resolution", Form::kNumber},
    {"vb", "vision", "batch", Form::kNumber},
    {"iw", "image", "width", Form::kNumber},
    {"ih", "image", "height", Form::kNumber},
    {"is", "image", "steps", Form::kNumber},
    {"ib", "image", "batch", Form::kNumber},
    {"if", "image", "frames", Form::kNumber},
    {"k", "hpc", "kernel", Form::kText},
    {"ks", "hpc", "size", Form::kNumber},
    {"pr", "offer", "provider", Form::kText},
    {"pk", "offer", "kind", Form::kText},
    {"reg", "offer", "region", Form::kText},
    {"inst", "offer", "instance", Form::kText},
    {"usd", "", "price_usd_per_hour", Form::kNumber},
    {"price", "price", "per_hour", Form::kNumber},
    {"cur", "price", "currency", Form::kText},
    {"seller", "price", "seller", Form::kText},
    {"apii", "api", "usd_per_million_input_tokens", Form::kNumber},
    {"apio", "api", "usd_per_million_output_tokens", Form::kNumber},
    {"util", "", "utilisation", Form::kNumber},
    {"own", "ownership", "own", Form::kFlag},
    {"card", "ownership", "card_price_usd", Form::kNumber},
    {"life", "ownership", "lifetime_months", Form::kNumber},
    {"kwh", "ownership", "usd_per_kwh", Form::kNumber},
    {"country", "ownership", "country", Form::kText},
    {"pue", "ownership", "pue", Form::kNumber},
    {"budget", "limits", "budget_usd", Form::kNumber},
    {"deadline", "limits", "deadline_h", Form::kNumber},
    {"maxlat", "limits", "latency_s", Form::kNumber},
    {"headroom", "limits", "headroom_gib", Form::kNumber},
    {"ram", "host", "ram_gib", Form::kNumber},
    {"ramspeed", "host", "ram_gb_per_s", Form::kNumber},
    {"pcie", "host", "pcie_gb_per_s", Form::kNumber},
    {"vram", "host", "vram_reserved_gib", Form::kNumber},
    {"asof", "", "as_of", Form::kText},
    {"cg", "", "custom_gpu", Form::kObject},
    {"cm", "", "custom_model", Form::kObject},
};

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

const json* field_of(const json& scenario, const LinkKey& k) {
  const json* object = &scenario;
  if (*k.section) {
    const auto it = scenario.find(k.section);
    if (it == scenario.end() || !it->is_object()) return nullptr;
    object = &*it;
  }
  const auto it = object->find(k.field);
  return it == object->end() || it->is_null() ? nullptr : &*it;
}

/// Whole numbers without ".0", so that a scenario's link and a link's scenario read the same.
json plain_number(double value) {
  constexpr double kExactBelow = 9007199254740992.0;  // 2^53
  if (value == std::floor(value) && value > -kExactBelow && value < kExactBelow) return json(static_cast<long long>(value));
  return json(value);
}

std::string value_text(const json& value, Form form) {
  if (form == Form::kBox) {
    std::string list;
    for (const json& entry : value) list += (list.empty() ? "" : ",") + entry["gpu"].get<std::string>() + "*" + json_text(entry["count"]);
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

Result<json> value_of(const LinkKey& k, const std::string& text) {
  switch (k.form) {
    case Form::kText: return json(text);
    case Form::kFlag:
      if (text != "true" && text != "false") return broken(k.key, "expected true or false, found \"" + text.substr(0, 60) + "\"");
      return json(text == "true");
    case Form::kNumber: {
      const std::optional<double> number = to_number(text);
      if (!number) return broken(k.key, "expected a number, found \"" + text.substr(0, 60) + "\"");
      return plain_number(*number);
    }
    case Form::kBox: return box_of(k.key, text);
    case Form::kObject: {
      Result<json> object = parse_json(text, k.key);
      if (!object) return broken(k.key, object.error().message);
      return object;
    }
  }
  return json();
}

}  // namespace

Result<std::string> encode_link(const json& scenario) {
  const Result<Scenario> checked = read_scenario(scenario);
  if (!checked) return checked.error();
  std::string query = "v=1";
  for (const LinkKey& k : kKeys) {
    if (k.section == std::string_view("precision")) {
      // "precision": "q8_0" is short for its weights
      const auto it = scenario.find("precision");
      if (it != scenario.end() && it->is_string()) {
        if (k.field == std::string_view("weights")) query += std::string("&") + k.key + "=" + escaped(it->get<std::string>());
        continue;
      }
    }
    if (const json* value = field_of(scenario, k)) query += std::string("&") + k.key + "=" + escaped(value_text(*value, k.form));
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
    const LinkKey* known = nullptr;
    for (const LinkKey& k : kKeys)
      if (key == k.key) known = &k;
    if (!known) return broken(key, "unknown key");
    Result<json> value = value_of(*known, text.value());
    if (!value) return value.error();
    (*known->section ? scenario[known->section] : scenario)[known->field] = std::move(value.value());
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
