#pragma once
#include <emscripten/val.h>

#include <string>
#include <vector>

#include "whichgpu/import_file.hpp"

/// A list of {name, bytes: Uint8Array, file_bytes} from JavaScript: the answer of inspect_files_json().
inline std::string inspect_file_list(const emscripten::val& files) {
  const auto count = files["length"].as<unsigned>();
  std::vector<std::string> bytes;
  bytes.reserve(count);
  std::vector<whichgpu::FileStart> starts;
  for (unsigned i = 0; i < count; ++i) {
    const emscripten::val file = files[i];
    bytes.push_back(file["bytes"].as<std::string>());
    starts.push_back({bytes.back(), file["name"].as<std::string>(), file["file_bytes"].as<double>()});
  }
  return whichgpu::inspect_files_json(starts);
}
