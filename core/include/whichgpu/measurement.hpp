#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "whichgpu/catalog.hpp"
#include "whichgpu/result.hpp"

/// Measurements that others published: reading them, and what our estimate says under the same conditions.
namespace whichgpu {

/// One row of data/measurements/*.csv, as text.
struct MeasurementRow {
  std::string id, workload, software, software_version, measured, source, quality, gpu, gpu_name, gpu_count, nodes, model, model_name,
      params_b, precision, kv_precision, method, parallelism, activation_checkpointing, optimizer, concurrency, prompt_tokens,
      output_tokens, context_tokens, sequence_or_resolution, micro_batch, global_batch, metric, value, unit, flags, notes;
  std::string estimate;  ///< our own for these conditions, where the file holds it (evidence files that `bundle` makes)
};

/// Reads a CSV (RFC 4180, header first, columns in any order, unknown columns ignored).
/// Errors: kBadData when a needed column is missing or a quote never closes; bounded by the text's size.
Result<std::vector<MeasurementRow>> read_measurements(std::string_view csv);

/// The head of those files, and one row as they hold it (RFC 4180, no line end); what we estimate for it stays out.
std::string measurement_head();
std::string measurement_line(const MeasurementRow& row);

enum Flag : unsigned { kPerGpu = 1, kTotal = 2, kSpeculative = 4, kWallRate = 8, kOverloaded = 16, kKvLimited = 32, kPowerCapped = 64, kOffloadFlag = 128, kStaticBatch = 256, kMedianOfUsers = 512 };

/// A row's conditions: what an estimate may use. Never notes, value or id.
struct Conditions {
  const Catalog* catalog = nullptr;
  const Gpu* gpu = nullptr;      ///< null: not resolved
  const Model* model = nullptr;  ///< null: not resolved
  const Engine* engine = nullptr;///< null: software names no engine of the catalog
  const Quant* quant = nullptr;  ///< null: precision unknown or not stated
  std::string workload, metric, unit, software, software_version, precision, kv_precision, method, parallelism, checkpointing, optimizer, sequence;  ///< lower case, trimmed
  std::string concurrency_word, prompt_word, output_word, context_word, batch_word, model_word;  ///< lower case, as in the row
  int gpu_count = 1, nodes = 1;
  double year = 0;               ///< of the measurement, e.g. 2025.42; 0 unknown
  Figure params_b, concurrency, prompt_tokens, output_tokens, context_tokens, depth_tokens, micro_batch, global_batch, sequence_tokens;
  unsigned flags = 0;
  bool has(Flag flag) const { return (flags & flag) != 0; }
};
Conditions read_conditions(const Catalog& catalog, const MeasurementRow& row);

/// The measured value in the row's own unit, or nullopt when it is not a number.
Figure measured_value(const MeasurementRow& row);

/// What a domain says about a row: an estimate in the row's own unit, or why not.
struct RowEstimate {
  bool modelled = false;
  double value = 0, p10 = 0, p90 = 0;  ///< in the row's unit
  std::string word;                    ///< for `fits`: "yes" or "no"
  std::string reason;                  ///< when not modelled
  static RowEstimate not_modelled(std::string why) { RowEstimate r; r.reason = std::move(why); return r; }
};
/// The engine that a software name stands for ("vLLM 0.7.3" -> vllm), or null.
const Engine* find_software(const Catalog& catalog, std::string_view software);

RowEstimate estimate_row(const Conditions& conditions);

}  // namespace whichgpu
