#include <array>

#include "base/text.hpp"
#include "whichgpu/measurement.hpp"
#include "whichgpu/scenario.hpp"

namespace whichgpu {
namespace {

/// "2025-05-11", "2025-05", "2025/05", "2025", "2023-2024", "Mar 9 2024" -> a year with fraction; 0 when unreadable.
double year_of(std::string_view measured) {
  for (std::size_t i = 0; i + 4 <= measured.size(); ++i) {
    const auto year = to_number(measured.substr(i, 4));
    if (!year || *year < 2010 || *year > 2100 || (i > 0 && measured[i - 1] >= '0' && measured[i - 1] <= '9')) continue;
    const std::string_view rest = measured.substr(i + 4);
    if (rest.size() >= 3 && (rest[0] == '-' || rest[0] == '/') && (rest.size() == 3 || rest[3] < '0' || rest[3] > '9')) {
      const auto month = to_number(rest.substr(1, 2));
      if (month && *month >= 1 && *month <= 12) return *year + (*month - 0.5) / 12;
    }
    return *year + 0.5;
  }
  return 0;
}

struct FlagName { const char* name; Flag flag; };
constexpr std::array<FlagName, 10> kFlags = {{{"per_gpu", kPerGpu}, {"total", kTotal}, {"speculative", kSpeculative}, {"wall_rate", kWallRate}, {"overloaded", kOverloaded},
    {"kv_limited", kKvLimited}, {"power_capped", kPowerCapped}, {"offload", kOffloadFlag}, {"static_batch", kStaticBatch}, {"median_of_users", kMedianOfUsers}}};

unsigned read_flags(std::string_view text) {
  unsigned flags = 0;
  while (!text.empty()) {
    const std::size_t end = text.find(';');
    const std::string_view word = trim(text.substr(0, end));
    for (const FlagName& f : kFlags)
      if (word == f.name) flags |= f.flag;
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return flags;
}

Figure positive(std::optional<double> v) { return v && *v > 0 ? v : std::nullopt; }

}  // namespace

const Engine* find_software(const Catalog& catalog, std::string_view software) {
  // "vLLM 0.7.3", "vLLM 0.11.2.dev690", "PyTorch (NGC 24.10)": whole name first, then shorter and shorter at word ends.
  std::string_view text = trim(software);
  while (!text.empty()) {
    if (const Engine* e = catalog.find_engine(text)) return e;
    const std::size_t cut = text.find_last_of(" (/,+");
    if (cut == std::string_view::npos) break;
    text = trim(text.substr(0, cut));
  }
  return nullptr;
}

Conditions read_conditions(const Catalog& catalog, const MeasurementRow& row) {
  Conditions c;
  c.catalog = &catalog;
  c.gpu = row.gpu.empty() ? nullptr : catalog.find_gpu(row.gpu);
  c.model = row.model.empty() ? nullptr : catalog.find_model(row.model);
  c.engine = find_software(catalog, row.software);
  c.workload = lower(trim(row.workload));
  c.metric = lower(trim(row.metric));
  c.unit = lower(trim(row.unit));
  c.software = lower(trim(row.software));
  c.model_word = lower(trim(row.model_name));
  // Benchmark suites name vision models as programs do ("resnext50_32x4d"); the catalog has these names as aliases.
  if (!c.model && (starts_with(c.workload, "vision-") || c.workload == "speech-train")) {
    c.model = catalog.find_model(row.model_name);
    if (c.model && c.model->kind != "vision" && c.model->kind != "speech") c.model = nullptr;
  }
  c.software_version = lower(trim(row.software_version));
  c.precision = lower(trim(row.precision));
  c.kv_precision = lower(trim(row.kv_precision));
  c.method = lower(trim(row.method));
  c.parallelism = lower(trim(row.parallelism));
  c.checkpointing = lower(trim(row.activation_checkpointing));
  c.optimizer = lower(trim(row.optimizer));
  c.sequence = lower(trim(row.sequence_or_resolution));
  c.concurrency_word = lower(trim(row.concurrency));
  c.prompt_word = lower(trim(row.prompt_tokens));
  c.output_word = lower(trim(row.output_tokens));
  c.context_word = lower(trim(row.context_tokens));
  c.quant = c.precision.empty() ? nullptr : find_precision(catalog, c.precision, c.engine, c.model);
  const auto count = to_number(row.gpu_count);
  c.gpu_count = count && *count >= 1 && *count < 1e6 ? static_cast<int>(*count) : 1;
  const auto nodes = to_number(row.nodes);
  c.nodes = nodes && *nodes >= 1 && *nodes < 1e5 ? static_cast<int>(*nodes) : 1;
  c.year = year_of(row.measured);
  c.params_b = positive(to_number(row.params_b));
  c.concurrency = positive(to_number(row.concurrency));
  c.prompt_tokens = positive(to_number(row.prompt_tokens));
  c.output_tokens = positive(to_number(row.output_tokens));
  c.context_tokens = positive(to_number(row.context_tokens));
  if (const std::size_t at = c.prompt_word.find("at depth"); at != std::string::npos) {
    c.prompt_tokens = positive(first_number(c.prompt_word.substr(0, at)));
    c.depth_tokens = positive(first_number(c.prompt_word.substr(at)));
  }
  if (const std::size_t at = c.output_word.find("at depth"); at != std::string::npos) {
    c.output_tokens = positive(first_number(c.output_word.substr(0, at)));
    c.depth_tokens = positive(first_number(c.output_word.substr(at)));
  }
  c.batch_word = lower(trim(row.micro_batch));
  c.micro_batch = positive(to_number(row.micro_batch));
  c.global_batch = positive(to_number(row.global_batch));
  c.sequence_tokens = positive(to_number(row.sequence_or_resolution));
  c.flags = read_flags(row.flags);
  return c;
}

Figure measured_value(const MeasurementRow& row) { return to_number(row.value); }

}  // namespace whichgpu
