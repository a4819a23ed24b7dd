#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "native/files.hpp"
#include "whichgpu/api.hpp"
#include "whichgpu/link.hpp"

/// What the fuzzed doors share. Each door promises an answer for every text: JSON, finite, and no crash on the way.
namespace whichgpu::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

[[noreturn]] inline void fail(const char* promise, std::string_view answer) {
  std::fprintf(stderr, "broken promise: %s\n%.*s\n", promise, static_cast<int>(answer.size()), answer.data());
  std::abort();
}

inline const Catalog& catalog() {
  static const Catalog loaded = [] {
    const Result<nlohmann::json> document = native::read_catalog_dir(WHICHGPU_DATA_DIR);
    if (!document) fail("the catalogs can be read", document.error().message);
    Result<Catalog> result = load_catalog(document.value());
    if (!result) fail("the catalogs load", result.error().message);
    return std::move(result.value());
  }();
  return loaded;
}

/// An infinite or undefined number is written as null, so a quantity whose value is null had one.
inline void check_finite(const nlohmann::json& value, std::string_view answer) {
  if (value.is_object() && value.contains("value") && value["value"].is_null()) fail("quantities are finite", answer);
  if (value.is_structured())
    for (const nlohmann::json& item : value) check_finite(item, answer);
}

inline void check_answer(const std::string& answer) {
  const nlohmann::json document = nlohmann::json::parse(answer, nullptr, false);
  if (document.is_discarded() || !document.is_object()) fail("an answer is a JSON object", answer);
  check_finite(document, answer);
}

}  // namespace whichgpu::fuzz
