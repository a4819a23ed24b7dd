#pragma once
#include <string>

#include "whichgpu/catalog.hpp"

/// The commands that need more than a call of the library and a loop that prints.
namespace whichgpu::cli {

/// Checks data/ and prints each fault with its file and path. Returns the exit code.
int run_validate(const std::string& data);

/// Writes what the site loads to `out_dir`: catalog.json (the catalogs without provenance), provenance.json,
/// quality.json and evidence/<model or gpu>.csv. Returns the exit code.
int run_bundle(const std::string& data, const std::string& out_dir);

/// Prints what more GPUs bring, for a question as scaling_json() takes it. Returns the exit code.
int run_scale(const Catalog& catalog, const std::string& question, bool as_json);

}  // namespace whichgpu::cli
