#include "scenario/field_reader.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "catalog/row_reader.hpp"

namespace whichgpu {

using nlohmann::json;

FieldReader::FieldReader(const json& object, std::string where, std::optional<Error>& error) : object_(object), where_(std::move(where)), error_(error) {
  if (!object.is_object()) fail("", "expected an object, found " + RowReader::describe(object));
}

const json* FieldReader::get(const char* key) {
  known_.push_back(key);
  if (!object_.is_object()) return nullptr;
  const auto it = object_.find(key);
  return it == object_.end() || it->is_null() ? nullptr : &*it;
}

void FieldReader::text(const char* key, std::string& out) {
  const json* v = get(key);
  if (!v) return;
  if (!v->is_string()) return fail(key, "expected a text, found " + RowReader::describe(*v));
  const std::string& s = *v->get_ptr<const std::string*>();
  if (s.size() > 200) return fail(key, "expected a name of at most 200 characters, found " + std::to_string(s.size()));
  out = s;
}

void FieldReader::number(const char* key, double& out, double low, double high, bool whole) {
  const json* v = get(key);
  if (!v) return;
  const double value = v->is_number() ? v->get<double>() : low - 1;
  const bool fits = v->is_number() && value >= low && value <= high;
  if (!fits || (whole && value != static_cast<double>(static_cast<long long>(value))))
    return fail(key, std::string("expected a ") + (whole ? "whole " : "") + "number from " + json_text(json(low)) + " to " + json_text(json(high)) + ", found " + RowReader::describe(*v));
  out = value;
}

void FieldReader::whole(const char* key, int& out, int low, double high) {
  double v = out;
  number(key, v, low, high, true);
  out = static_cast<int>(v);
}

void FieldReader::figure(const char* key, Figure& out, double low, double high) {
  if (!get(key)) return;
  double v = low;
  number(key, v, low, high);
  out = v;
}

void FieldReader::flag(const char* key, bool& out) {
  const json* v = get(key);
  if (!v) return;
  if (!v->is_boolean()) return fail(key, "expected true or false, found " + RowReader::describe(*v));
  out = v->get<bool>();
}

void FieldReader::names(const char* key, std::vector<std::string>& out) {
  const json* v = get(key);
  if (!v) return;
  bool texts = v->is_array() && v->size() <= 64;
  for (std::size_t i = 0; texts && i < v->size(); ++i) {
    const std::string* name = (*v)[i].get_ptr<const std::string*>();
    texts = name && !name->empty() && name->size() <= 200;
    if (texts) out.push_back(*name);
  }
  if (!texts) fail(key, "expected a list of at most 64 names, found " + RowReader::describe(*v));
}

void FieldReader::word(const char* key, std::string& out, const char* allowed) {
  std::string v;
  text(key, v);
  if (v.empty()) return;
  std::string list;
  for (const char* a = allowed; *a;) {
    const char* end = a;
    while (*end && *end != ' ') ++end;
    const std::string_view word(a, end - a);
    if (v == word) {
      out = v;
      return;
    }
    (list += list.empty() ? "" : ", ") += word;
    a = *end ? end + 1 : end;
  }
  fail(key, "expected one of " + list + ", found \"" + v + "\"");
}

std::string FieldReader::path(const char* key) const { return where_.empty() ? key : where_ + "/" + key; }

void FieldReader::fail(const char* key, std::string message) {
  if (!error_) error_ = Error{ErrorCode::kInvalidInput, *key ? path(key) : where_, std::move(message)};
}

void FieldReader::finish() {
  if (!object_.is_object() || error_) return;
  for (const auto& [key, value] : object_.items()) {
    const bool known = std::any_of(known_.begin(), known_.end(), [&k = key](const char* name) { return k == name; });
    if (known) continue;
    NameIndex names;
    std::vector<std::string> ids;
    for (const char* name : known_) {
      names.add(name, static_cast<int>(ids.size()));
      ids.emplace_back(name);
    }
    names.finish();
    const std::vector<std::string> near = names.nearest(key, ids);
    std::string shown = key.size() > 60 ? key.substr(0, 57) + "..." : key;
    error_ = Error{ErrorCode::kInvalidInput, where_.empty() ? shown : where_ + "/" + shown, "unknown field" + (near.empty() ? std::string() : ", did you mean \"" + near.front() + "\"?")};
    return;
  }
}

}  // namespace whichgpu
