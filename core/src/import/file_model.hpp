#pragma once
#include <string>
#include <vector>

#include "import/file_header.hpp"
#include "import/file_roles.hpp"

namespace whichgpu {

struct PlacedTensor {
  const FileTensor* tensor = nullptr;
  Role role;
};

/// A file's tensors and what its keys say; `keys` begin with `architecture` and a dot ("llama.block_count").
struct FileContents {
  std::vector<PlacedTensor> tensors;
  const Facts* facts = nullptr;
  std::string architecture, name;
};

/// The model that the tensors make up: every size is read from their shapes, the keys say what shapes cannot (heads,
/// windows, experts a token). Errors: kMissingData or kBadData with the tensor or key that is missing or absurd.
Result<ImportedModel> model_of_contents(const FileContents& contents);

}  // namespace whichgpu
