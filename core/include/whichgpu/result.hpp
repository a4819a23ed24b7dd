#pragma once
#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace whichgpu {

enum class ErrorCode {
  kInvalidInput,  ///< the caller asked for something impossible (batch 0, negative context, unknown field)
  kUnknownId,     ///< no such GPU, model, format, engine, provider or offer in the catalog
  kMissingData,   ///< the row exists but lacks the figure this estimate needs
  kBadData,       ///< a catalog, link or file breaks its own format
};

/// The word that crosses every border: "invalid-input", "unknown-id", "missing-data", "bad-data".
const char* to_word(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::kInvalidInput;
  std::string path;     ///< input field or place in a file, e.g. "gpus/12/bandwidth_gb_per_s"
  std::string message;  ///< what was expected and what was found
};

/// A value or the reason why there is none. Check before reading.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}
  explicit operator bool() const { return state_.index() == 0; }
  const T& value() const {
    assert(*this);
    return *std::get_if<0>(&state_);
  }
  T& value() {
    assert(*this);
    return *std::get_if<0>(&state_);
  }
  const Error& error() const {
    assert(!*this);
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

}  // namespace whichgpu
