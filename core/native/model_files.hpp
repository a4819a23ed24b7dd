#pragma once
#include <string>
#include <vector>

#include "whichgpu/result.hpp"

namespace whichgpu::native {

/// The answer of inspect_files_json() for files on disk ("-": standard input). Of large files the header alone is read.
/// What belongs to them is looked for: further parts in the same folder, the config.json beside safetensors, and the
/// blobs of a manifest in the store that it lies in. Errors: a file that cannot be read.
Result<std::string> inspect_paths(const std::vector<std::string>& paths, const std::string& name);

}  // namespace whichgpu::native
