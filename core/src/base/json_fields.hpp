#pragma once
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "whichgpu/units.hpp"

namespace whichgpu {

/// Builds an object field by field. Out of line, since every braced list of fields is half a kilobyte of code.
class JsonFields {
 public:
  JsonFields();
  void set(const char* key, double value);
  void set(const char* key, int value);
  void set(const char* key, bool value);
  void set(const char* key, std::string_view text);
  void set(const char* key, const char* text) { set(key, std::string_view(text)); }
  void set(const char* key, const std::string& text) { set(key, std::string_view(text)); }
  void set(const char* key, nlohmann::json value);
  void set(const char* key, JsonFields part) { set(key, std::move(part.object_)); }
  /// null for what is not known or not chosen: no number, 0, an empty text.
  void set_or_null(const char* key, const std::optional<double>& value);
  void set_or_null(const char* key, double value);
  void set_or_null(const char* key, int value);
  void set_or_null(const char* key, std::string_view text);
  /// Nothing at all for what is not known.
  void set_known(const char* key, const std::optional<double>& value);
  void set_known(const char* key, const std::optional<Quantity>& value);
  nlohmann::json take() { return std::move(object_); }

 private:
  nlohmann::json object_;
};

}  // namespace whichgpu
