#pragma once
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json_text.hpp"

#include "whichgpu/catalog.hpp"
#include "whichgpu/result.hpp"

/// Reads the fields of one JSON row; the first fault is kept and everything after it is skipped, so that a reader is a
/// plain list of fields and one check at the end.
namespace whichgpu {

class RowReader {
 public:
  RowReader(const nlohmann::json& row, std::string where) : row_(row), where_(std::move(where)) {
    if (!row.is_object()) fail("", "expected an object, found " + describe(row));
  }
  const nlohmann::json* find(const char* key) {
    if (!row_.is_object()) return nullptr;
    const auto it = row_.find(key);
    return it == row_.end() || it->is_null() ? nullptr : &*it;
  }
  void text(const char* key, std::string& out, bool needed = false) {
    const nlohmann::json* v = find(key);
    if (!v) {
      if (needed) fail(key, "not present");
    } else if (!v->is_string()) {
      fail(key, "expected a text, found " + describe(*v));
    } else {
      out = *v->get_ptr<const std::string*>();
    }
  }
  /// A number >= 0, or unknown.
  void figure(const char* key, Figure& out) {
    double v = 0;
    if (number(key, v)) out = v;
  }
  /// A number >= 0; `out` is left alone where the row has none.
  void plain(const char* key, double& out) { number(key, out); }
  void whole(const char* key, int& out) {
    double v = 0;
    if (!number(key, v)) return;
    if (v > 2147483647.0 || v != static_cast<double>(static_cast<long long>(v))) fail(key, "expected a whole number, found " + describe(*find(key)));
    else out = static_cast<int>(v);
  }
  void flag(const char* key, bool& out) {
    const nlohmann::json* v = find(key);
    if (!v) return;
    if (!v->is_boolean()) fail(key, "expected true or false, found " + describe(*v));
    else out = v->get<bool>();
  }
  void texts(const char* key, std::vector<std::string>& out) {
    const nlohmann::json* v = find(key);
    if (!v) return;
    if (!v->is_array()) return fail(key, "expected a list of texts, found " + describe(*v));
    for (const nlohmann::json& item : *v) {
      if (!item.is_string()) return fail(key, "expected a list of texts, found " + describe(item) + " in it");
      out.push_back(*item.get_ptr<const std::string*>());
    }
  }
  bool number(const char* key, double& out) {
    const nlohmann::json* v = find(key);
    if (!v) return false;
    const double value = v->is_number() ? v->get<double>() : -1;
    if (!(value >= 0 && value < 1e300)) {
      fail(key, "expected a number >= 0, found " + describe(*v));
      return false;
    }
    out = value;
    return true;
  }
  void fail(const std::string& key, std::string message) {
    if (!error_.message.empty()) return;
    error_ = {ErrorCode::kBadData, key.empty() ? where_ : where_ + "/" + key, std::move(message)};
  }
  bool failed() const { return !error_.message.empty(); }
  const Error& error() const { return error_; }
  const std::string& where() const { return where_; }
  static std::string describe(const nlohmann::json& v) {
    std::string text = json_text(v);
    if (text.size() > 60) text = text.substr(0, 57) + "...";
    return text;
  }

 private:
  const nlohmann::json& row_;
  std::string where_;
  Error error_;
};

}  // namespace whichgpu
