#include "catalog/row_reader.hpp"

#include <nlohmann/json.hpp>

#include "base/json_text.hpp"

namespace whichgpu {

using nlohmann::json;

RowReader::RowReader(const json& row, std::string where) : row_(row), where_(std::move(where)) {
  if (!row.is_object()) fail("", "an object", row);
}

const json* RowReader::find(const char* key) const {
  if (!row_.is_object()) return nullptr;
  const auto it = row_.find(key);
  return it == row_.end() || it->is_null() ? nullptr : &*it;
}

void RowReader::text(const char* key, std::string& out, bool needed) {
  const json* v = find(key);
  if (!v) {
    if (needed) fail(key, "not present");
  } else if (!v->is_string()) {
    fail(key, "a text", *v);
  } else {
    out = *v->get_ptr<const std::string*>();
  }
}

void RowReader::figure(const char* key, Figure& out) {
  double v = 0;
  if (number(key, v)) out = v;
}

void RowReader::whole(const char* key, int& out) {
  double v = 0;
  if (!number(key, v)) return;
  if (v > 2147483647.0 || v != static_cast<double>(static_cast<long long>(v))) fail(key, "a whole number", *find(key));
  else out = static_cast<int>(v);
}

void RowReader::flag(const char* key, bool& out) {
  const json* v = find(key);
  if (!v) return;
  if (!v->is_boolean()) fail(key, "true or false", *v);
  else out = v->get<bool>();
}

void RowReader::texts(const char* key, std::vector<std::string>& out) {
  const json* v = find(key);
  if (!v) return;
  if (!v->is_array()) return fail(key, "a list of texts", *v);
  for (const json& item : *v) {
    if (!item.is_string()) return fail(key, "a list of texts", item);
    out.push_back(*item.get_ptr<const std::string*>());
  }
}

bool RowReader::number(const char* key, double& out) {
  const json* v = find(key);
  if (!v) return false;
  const double value = v->is_number() ? v->get<double>() : -1;
  if (!(value >= 0 && value < 1e300)) {
    fail(key, "a number >= 0", *v);
    return false;
  }
  out = value;
  return true;
}

void RowReader::fail(const char* key, std::string_view message) {
  if (!error_.message.empty()) return;
  error_ = {ErrorCode::kBadData, *key ? where_ + "/" + key : where_, std::string(message)};
}

void RowReader::fail(const char* key, std::string_view expected, const json& found) {
  fail(key, ("expected " + std::string(expected) + ", found " + describe(found)));
}

bool RowReader::adopt(const RowReader& part) {
  if (part.failed() && !failed()) error_ = part.error_;
  return part.failed();
}

std::string RowReader::describe(const json& value) {
  std::string text = json_text(value);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

}  // namespace whichgpu
