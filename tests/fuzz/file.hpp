#pragma once
#include "door.hpp"
#include "whichgpu/import_file.hpp"

/// What the doors for files of weights promise: an answer, a wish for more of the file that can be granted, or an error;
/// and a model that a scenario can ask about.
namespace whichgpu::fuzz {

inline void check_files(const std::vector<FileStart>& files) {
  const std::string answer = inspect_files_json(files);
  check_answer(answer);
  const nlohmann::json found = nlohmann::json::parse(answer, nullptr, false);
  if (found.contains("needed")) {
    const std::size_t index = found["needed"]["file"].get<std::size_t>();
    const double bytes = found["needed"]["bytes"].get<double>();
    if (index >= files.size() || !(bytes > static_cast<double>(files[index].bytes.size()))) fail("more of the file is asked for than was given", answer);
    if (files[index].file_bytes > 0 && bytes > files[index].file_bytes) fail("no more is asked for than the file has", answer);
    return;
  }
  if (found.contains("error") || !found["model"].is_object()) return;
  nlohmann::json scenario = {{"custom_model", found["model"]}, {"gpu", "nvidia-rtx-4090"}};
  if (found["precision"].is_string()) scenario["precision"] = {{"weights", found["precision"]}};
  check_answer(estimate_json(catalog(), scenario.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
}

}  // namespace whichgpu::fuzz
