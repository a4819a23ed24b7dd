#include "native/model_files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "whichgpu/import_file.hpp"

namespace whichgpu::native {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFirstRead = std::size_t{1} << 20;

struct Opened { std::string path, bytes; double file_bytes = 0; };

std::optional<Error> read_start(Opened& o, std::size_t most) {
  if (o.path == "-") {
    if (o.bytes.empty()) o.bytes.assign(std::istreambuf_iterator<char>(std::cin), {});
    o.file_bytes = static_cast<double>(o.bytes.size());
    return std::nullopt;
  }
  std::error_code failed;
  const auto size = fs::file_size(o.path, failed);
  std::ifstream in(o.path, std::ios::binary);
  if (failed || !in || fs::is_directory(o.path, failed)) return Error{ErrorCode::kBadData, o.path, "cannot be read: no such file, or no right to read it"};
  o.file_bytes = static_cast<double>(size);
  o.bytes.resize(std::min<std::size_t>(most, size));
  in.read(o.bytes.data(), static_cast<std::streamsize>(o.bytes.size()));
  if (static_cast<std::size_t>(in.gcount()) != o.bytes.size()) return Error{ErrorCode::kBadData, o.path, "reading it failed half-way"};
  return std::nullopt;
}

/// Where a file that the first one names is: beside it, or in the blobs of the store that a manifest lies in.
std::string beside(const std::string& path, const std::string& name) {
  std::error_code failed;
  for (fs::path folder = fs::absolute(path, failed).parent_path(); !failed; folder = folder.parent_path()) {
    if (fs::exists(folder / name, failed)) return (folder / name).string();
    if (name.compare(0, 6, "blobs/") != 0 || folder == folder.parent_path()) break;
  }
  return "";
}

}  // namespace

Result<std::string> inspect_paths(const std::vector<std::string>& paths, const std::string& name) {
  std::vector<Opened> opened;
  for (const std::string& path : paths) {
    opened.push_back({path, {}, 0});
    if (auto e = read_start(opened.back(), kFirstRead)) return *e;
  }
  const auto starts = [&] {
    std::vector<FileStart> list;
    for (const Opened& o : opened) list.push_back({o.bytes, o.path == "-" ? "" : fs::path(o.path).filename().string(), o.file_bytes});
    if (!name.empty() && !list.empty()) list[0].name = name;
    return list;
  };
  bool looked = false;
  for (;;) {
    const InspectionAnswer answer = inspect_files(starts());
    if (answer.needed_bytes > 0) {
      Opened& o = opened[answer.needed_index];
      if (answer.needed_bytes > o.file_bytes) return Error{ErrorCode::kBadData, o.path, "ends before its header does"};
      if (auto e = read_start(o, static_cast<std::size_t>(std::max(answer.needed_bytes, 2.0 * static_cast<double>(o.bytes.size()))))) return *e;
      continue;
    }
    if (answer.result && !looked && paths[0] != "-") {
      looked = true;
      std::vector<std::string> wanted = answer.result.value().missing;
      const std::string& kind = answer.result.value().kind;
      if ((kind == "safetensors" || kind == "safetensors-index") && paths.size() == 1) wanted.push_back("config.json");
      const std::size_t before = opened.size();
      for (const std::string& one : wanted)
        if (const std::string found = beside(paths[0], one); !found.empty()) {
          opened.push_back({found, {}, 0});
          if (auto e = read_start(opened.back(), kFirstRead)) return *e;
        }
      if (opened.size() > before) continue;
    }
    return inspect_files_json(starts());
  }
}

}  // namespace whichgpu::native
