# The JSON library is headers only, and lies in the host's include folder, which Emscripten must not search: it would
# find the host's C library there too. So a folder with nothing but the link to these headers is made.
find_path(json_host_include nlohmann/json.hpp PATHS /usr/include /usr/local/include
  NO_CMAKE_FIND_ROOT_PATH NO_DEFAULT_PATH REQUIRED)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include)
file(CREATE_LINK ${json_host_include}/nlohmann ${PROJECT_BINARY_DIR}/include/nlohmann SYMBOLIC)
add_library(nlohmann_json INTERFACE)
target_include_directories(nlohmann_json SYSTEM INTERFACE ${PROJECT_BINARY_DIR}/include)
add_library(nlohmann_json::nlohmann_json ALIAS nlohmann_json)
