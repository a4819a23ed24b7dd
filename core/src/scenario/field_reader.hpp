#pragma once
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "whichgpu/catalog.hpp"

namespace whichgpu {

/// Reads an object whose every key must be known. The first fault wins.
class FieldReader {
 public:
  FieldReader(const nlohmann::json& object, std::string where, std::optional<Error>& error);
  /// The value of a key, or null when it is absent or JSON null.
  const nlohmann::json* get(const char* key);
  void text(const char* key, std::string& out);
  void number(const char* key, double& out, double low, double high, bool whole = false);
  void whole(const char* key, int& out, int low, double high);
  void figure(const char* key, Figure& out, double low, double high);
  void flag(const char* key, bool& out);
  void names(const char* key, std::vector<std::string>& out);
  /// `allowed`: words separated by spaces.
  void word(const char* key, std::string& out, const char* allowed);
  std::string path(const char* key) const;
  void fail(const char* key, std::string message);
  /// Call last: every key of the object must have been asked for.
  void finish();

 private:
  const nlohmann::json& object_;
  std::string where_;
  std::optional<Error>& error_;
  std::vector<const char*> known_;
};

}  // namespace whichgpu
