#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "whichgpu/import.hpp"

/// Files of weights as models of the catalog's form, from their headers alone: GGUF, safetensors and its index, Ollama's
/// manifests. Bytes in, value out; the file is read elsewhere.
namespace whichgpu {

/// The beginning of a file (all of it, for small ones).
struct FileStart {
  std::string_view bytes;
  std::string name;        ///< as in its folder; where the file does not name its model, this does
  double file_bytes = 0;   ///< 0: not known
};

struct TypeShare { std::string name; double tensors = 0, params = 0, bytes = 0; };

/// A low-rank adapter.
struct Adapter { double rank = 0; std::vector<std::string> targets; };

struct FileBlob { std::string role, digest; double bytes = 0; };

/// What files say. Figures that no file states are absent, never 0.
struct Inspection {
  std::string kind;          ///< gguf, gguf-adapter, gguf-projector, safetensors, safetensors-adapter, safetensors-index, ollama-manifest, config
  std::string name, architecture;
  std::optional<double> params, tensor_bytes, vocabulary;
  std::vector<TypeShare> by_type, by_class;  ///< largest first
  std::optional<Adapter> adapter;
  std::vector<FileBlob> blobs;               ///< of a manifest
  std::vector<std::string> missing;          ///< files that belong to it and were not given
  std::optional<ImportedModel> model;
  std::vector<std::string> notes;            ///< what the files do not say and what was taken instead
};

/// Reads one file or the parts of one model (split GGUF, shards, a projector, a config.json beside safetensors), in any order.
/// `needed_bytes` is set, and the answer to be thrown away, when the start of file `needed_index` is too short: fetch
/// that much of it and ask again.
/// Errors: kBadData with "NAME: byte N" as path and what was expected there. Time and memory are bounded by the bytes given.
struct InspectionAnswer {
  Result<Inspection> result;
  double needed_bytes = 0;
  std::size_t needed_index = 0;
};
InspectionAnswer inspect_files(const std::vector<FileStart>& files);

/// The answer as text: {"kind", "model", "precision", "assumptions", "tensors": …}, {"needed": {"file", "bytes"}} or the error object.
std::string inspect_files_json(const std::vector<FileStart>& files);

}  // namespace whichgpu
