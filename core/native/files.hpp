#pragma once
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "whichgpu/measurement.hpp"
#include "whichgpu/result.hpp"

/// Reading data/ from disk: for the native programs only, the core opens no file.
namespace whichgpu::native {

/// The bytes of a file. Errors: kBadData with the path.
Result<std::string> read_file(const std::string& path);
/// Writes a file whole, through a temporary one beside it. Errors: kBadData with the path.
std::optional<Error> write_file(const std::string& path, const std::string& text);
/// The files below a folder (not deeper), sorted by name; empty when there is no such folder.
std::vector<std::string> list_files(const std::string& folder, const std::string& ending);

/// The combined catalog document of a data folder: {"catalog":…, "gpus":[…], "models":[…], …, "calibration":…}, the form
/// that load_catalog() and the site's bundle use. Errors name the file and what is wrong with it.
Result<nlohmann::json> read_catalog_dir(const std::string& folder, bool with_calibration = true);

/// All rows of data/measurements/*.csv, in the order of file names.
Result<std::vector<MeasurementRow>> read_all_measurements(const std::string& folder);

}  // namespace whichgpu::native
