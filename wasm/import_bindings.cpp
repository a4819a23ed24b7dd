#include <emscripten/bind.h>

#include <string>

#include "inspect.hpp"
#include "whichgpu/import.hpp"

// The door for models of one's own: a module of its own, which the page loads when somebody opens that door.
namespace {

std::string import_config(const std::string& config, const std::string& name) { return whichgpu::import_config_json(config, name); }

}  // namespace

EMSCRIPTEN_BINDINGS(whichgpu_import) {
  emscripten::function("import_config", &import_config);
  emscripten::function("inspect_files", &inspect_file_list);
}
