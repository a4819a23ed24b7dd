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

/// Prints rent or own for a scenario. Returns the exit code.
int run_own(const Catalog& catalog, const std::string& scenario, bool as_json);

struct RefreshRequest {
  std::string format = "skypilot", provider, file, date, origin;  ///< origin: where the file is from, for the rows' notes
  bool all_regions = false, accept = false, write = false;
};

/// Brings data/offers/PROVIDER.json up to date from a published price list; shows the difference, and writes it when
/// asked to. Returns the exit code: 1 when the list is not believed, or changes were held back.
int run_refresh_prices(const Catalog& catalog, const std::string& data, const RefreshRequest& request);

}  // namespace whichgpu::cli
