#pragma once
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "whichgpu/catalog.hpp"

/// A published `config.json` as a model of the catalog's form, so that any model can be asked about.
namespace whichgpu {

struct ImportedModel {
  nlohmann::json row;                    ///< as in data/models; goes into a scenario as `custom_model`
  Model model;                           ///< the same, read
  std::string precision;                 ///< the format that the file's quantization names, as a precision word; "" when none
  std::vector<std::string> assumptions;  ///< what the file does not say and what was taken instead
};

/// Maps the fields of Hugging Face's configurations (transformers' names and those of older files) to the model type:
/// one table of architectures for what the files leave out (gated or plain feed-forward, norms, biases, tied embeddings),
/// the rest by field names. Multi-token prediction is left out of params_total. An architecture that the table lacks is
/// read by its fields as a Llama-like decoder and says so.
/// Errors: kInvalidInput with the path of the field that is missing or absurd; nothing in the text can crash or hang it.
Result<ImportedModel> import_config(const nlohmann::json& config, const std::string& name);

/// The text of a configuration as JSON; Python's Infinity and NaN, which stand in published files, become null.
Result<nlohmann::json> parse_config(std::string_view config);

/// {"model": row, "precision", "assumptions", "params_total", "params_active", "kv_bytes_per_token_bf16"} or the error object.
std::string import_config_json(std::string_view config, std::string_view name);

}  // namespace whichgpu
