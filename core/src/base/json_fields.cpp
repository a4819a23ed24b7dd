#include "base/json_fields.hpp"

namespace whichgpu {

using nlohmann::json;

JsonFields::JsonFields() : object_(json::object()) {}

void JsonFields::set(const char* key, json value) { object_[key] = std::move(value); }
void JsonFields::set(const char* key, double value) { set(key, json(value)); }
void JsonFields::set(const char* key, int value) { set(key, json(value)); }
void JsonFields::set(const char* key, bool value) { set(key, json(value)); }
void JsonFields::set(const char* key, std::string_view text) { set(key, json(std::string(text))); }

void JsonFields::set_or_null(const char* key, const std::optional<double>& value) { set(key, value ? json(*value) : json()); }
void JsonFields::set_or_null(const char* key, double value) { set(key, value > 0 ? json(value) : json()); }
void JsonFields::set_or_null(const char* key, int value) { set(key, value > 0 ? json(value) : json()); }
void JsonFields::set_or_null(const char* key, std::string_view text) { set(key, text.empty() ? json() : json(std::string(text))); }

void JsonFields::set_known(const char* key, const std::optional<double>& value) {
  if (value) set(key, *value);
}

void JsonFields::set_known(const char* key, const std::optional<Quantity>& value) {
  if (!value) return;
  JsonFields o;
  o.set("value", value->value);
  o.set("unit", value->unit);
  if (!value->exact) {
    o.set("p10", value->p10);
    o.set("p90", value->p90);
  }
  set(key, std::move(o));
}

}  // namespace whichgpu
