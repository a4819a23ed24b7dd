#pragma once
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "whichgpu/catalog.hpp"
#include "whichgpu/result.hpp"

/// Reads the fields of one JSON row; the first fault is kept and everything after it is skipped, so that a reader is a
/// plain list of fields and one check at the end.
namespace whichgpu {

class RowReader {
 public:
  RowReader(const nlohmann::json& row, std::string where);
  /// The value of a key; nothing where the row has none or null.
  const nlohmann::json* find(const char* key) const;
  void text(const char* key, std::string& out, bool needed = false);
  /// A number >= 0, or unknown.
  void figure(const char* key, Figure& out);
  /// A number >= 0; `out` is left alone where the row has none.
  void plain(const char* key, double& out) { number(key, out); }
  void whole(const char* key, int& out);
  void flag(const char* key, bool& out);
  void texts(const char* key, std::vector<std::string>& out);
  bool number(const char* key, double& out);
  void fail(const char* key, std::string_view message);
  void fail(const char* key, std::string_view expected, const nlohmann::json& found);
  /// The fault of a reader of a part of this row becomes this row's; whether there is one.
  bool adopt(const RowReader& part);
  bool failed() const { return !error_.message.empty(); }
  const Error& error() const { return error_; }
  const std::string& where() const { return where_; }
  /// The value as short JSON text.
  static std::string describe(const nlohmann::json& value);

 private:
  const nlohmann::json& row_;
  std::string where_;
  Error error_;
};

}  // namespace whichgpu
