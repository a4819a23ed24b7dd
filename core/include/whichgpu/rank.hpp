#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "whichgpu/estimate.hpp"

/// The table: one row for every GPU of the catalog (or, for one GPU, every model), headline quantities only.
namespace whichgpu {

struct RankRow {
  const Gpu* gpu = nullptr;
  const Model* model = nullptr;  ///< when models are ranked for one GPU
  const Quant* quant = nullptr;
  int gpu_count = 1;
  Verdict verdict = Verdict::kUnknown;
  double per_gpu_gib = 0, capacity_gib = 0;
  std::optional<Quantity> decode_tokens_per_s, prefill_tokens_per_s, throughput_tokens_per_s, ttft_s, latency_s, requests_per_s, hours, finetune_hours, images_per_s,
      seconds_per_image, tflops, usd_per_hour, usd_per_million_output_tokens, usd_total, joules_per_token;
  Figure upfront_usd;          ///< what the cards cost to buy; only where rows are ordered by it
  Figure max_context_tokens, max_concurrency, min_gpu_count;
  std::optional<OfferUsed> offer;
  Bound bound_by = Bound::kUnknown;
  const char* distance = "far";
  bool within_limits = true;   ///< the scenario's limits hold
  bool pareto = false;         ///< no other row is both faster and cheaper
  std::string reason;          ///< why not, in a few words; empty when it fits
};

/// What rows are ordered by.
enum class RankBy { kValue, kSpeed, kPrice, kLatency, kEnergy, kMemory, kUpfront };
const char* to_word(RankBy by);
/// The order of a word; nothing when there is none of that name.
std::optional<RankBy> rank_by(std::string_view word);

struct Ranking {
  Scenario scenario;           ///< with defaults filled in (of the first row that resolved)
  std::vector<RankRow> rows;   ///< best first: those that fit and are within the limits, then the rest
  int best_value = -1, fastest = -1, cheapest = -1, smallest = -1;  ///< positions in rows; -1: none
  int fits = 0;
};

/// Ranks every GPU for the scenario's workload (scenario.gpu is ignored), or every model for scenario.gpu when the
/// scenario names a GPU and no model. Errors: those of resolve().
Result<Ranking> rank(const Catalog& catalog, const Scenario& scenario, RankBy by);

/// The ranking as JSON text.
std::string rank_text(const Ranking& ranking);

}  // namespace whichgpu
