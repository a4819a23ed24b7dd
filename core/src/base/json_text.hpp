#pragma once
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "whichgpu/units.hpp"

namespace whichgpu {

/// Writes JSON text without a document in between: a ranking has ten thousand values, and building a tree of them took
/// a third of its time. Numbers have the shortest digits that read back as the same double (Loitsch 2010, "Printing
/// floating-point numbers quickly and accurately with integers", as the JSON library has it); what is no number is
/// null; bytes that are no UTF-8 become U+FFFD.
class JsonText {
 public:
  void open(char bracket) { before(); out_ += bracket; fresh_ = true; }
  void close(char bracket) { out_ += bracket; fresh_ = false; }
  /// The name of the value that is written next; a name of ours, that needs no escape.
  void key(std::string_view name) { before(); ((out_ += '"') += name) += "\":"; fresh_ = true; }

  void number(double value);
  void whole(long long value) { before(); out_ += std::to_string(value); }
  void boolean(bool value) { before(); out_ += value ? "true" : "false"; }
  void text(std::string_view value) { before(); quote(value); }
  void value(const nlohmann::json& document);

  // Members of an object; those that are unknown are left out.
  void put(std::string_view name, const std::optional<double>& figure) { if (figure) { key(name); number(*figure); } }
  void put(std::string_view name, const std::optional<Quantity>& quantity);
  void put(std::string_view name, std::string_view word) { key(name); text(word); }

  std::string take() { return std::move(out_); }

 private:
  void before() {
    if (!fresh_) out_ += ',';
    fresh_ = false;
  }
  void quote(std::string_view value);
  std::string out_;
  bool fresh_ = true;  ///< nothing stands before the next value in its list
};

/// A whole document as text.
std::string json_text(const nlohmann::json& document);

}  // namespace whichgpu
