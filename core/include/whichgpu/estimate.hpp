#pragma once
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "whichgpu/scenario.hpp"
#include "whichgpu/units.hpp"

/// The answer: one struct per section of the contract. A section that the workload does not have stays nullopt; a
/// quantity that cannot be known stays nullopt with a warning that says why.
namespace whichgpu {

enum class Verdict { kFits, kTight, kOffload, kDoesNotFit, kUnsupported, kUnknown };
const char* to_word(Verdict verdict);
enum class Bound { kUnknown, kBandwidth, kCompute, kInterconnect, kOverhead, kCapacity };
const char* to_word(Bound bound);

struct Warning { std::string code, message; };

/// One term of a sum or maximum that the page explains. `formula` has the values put in; empty when not asked for.
struct Term { std::string name; double value = 0; const char* unit = ""; std::string formula; };

struct MemoryEstimate {
  Quantity per_gpu_gib;              ///< what the fullest GPU needs
  double capacity_gib = 0;           ///< what that GPU offers
  Verdict verdict = Verdict::kUnknown;
  std::vector<Term> terms;           ///< in GiB, add up to per_gpu_gib
  Figure max_context_tokens, max_concurrency, max_batch, min_gpu_count;
  double offloaded_gib = 0;          ///< weights (or states) kept in host memory
  double offloaded_layers = 0;       ///< layers (or layers' experts) that this is
  double offloaded_share = 0;        ///< share of the weights' bytes read per token that live in host memory
};

struct SpeedEstimate {
  std::optional<Quantity> decode_tokens_per_s, prefill_tokens_per_s, ttft_s, tpot_s, latency_s, throughput_tokens_per_s, requests_per_s;
  Bound bound_by = Bound::kUnknown;
  std::vector<Term> terms;           ///< seconds of one decode step, then of the prefill; names say which
  const char* distance = "far";      ///< "same" measured on this GPU and engine, "near" same generation, "far" extrapolated
  Figure requests_per_s_within_latency, concurrency_within_latency;  ///< rag: what meets the latency wish
};

struct TrainingEstimate {
  std::optional<Quantity> tokens_per_s, mfu, step_s, hours, gpu_hours;
  Bound bound_by = Bound::kUnknown;
  std::vector<Term> terms;           ///< seconds of one optimizer step
  std::vector<std::pair<std::string, std::string>> plan;  ///< micro_batch, gradient_accumulation, sharding, checkpointing, parallelism …
  const char* distance = "far";
};

struct VisionEstimate { std::optional<Quantity> images_per_s, hours; Bound bound_by = Bound::kUnknown; double batch = 0; std::vector<Term> terms; const char* distance = "far"; };
struct ImageEstimate { std::optional<Quantity> seconds_per_image, images_per_hour, seconds_per_image_typical; std::vector<Term> terms; Bound bound_by = Bound::kUnknown; const char* distance = "far"; };
struct HpcEstimate { std::optional<Quantity> tflops, gb_per_s, seconds; Bound bound_by = Bound::kUnknown; std::vector<Term> terms; const char* distance = "far"; };
struct EnergyEstimate { std::optional<Quantity> average_w, joules_per_token, kwh, kg_co2e; };
struct OfferUsed { std::string provider, instance, region, kind, price_date; int gpu_count = 0; bool stale = false; std::vector<std::string> labels; };
struct CostEstimate {
  std::optional<Quantity> usd_per_hour, usd_per_million_output_tokens, usd_per_million_input_tokens, usd_total, usd_per_1000_images;
  std::optional<Quantity> redone_hours;  ///< of a run whose machines are taken away: work that is expected to be done again
  std::optional<OfferUsed> offer;
  Figure market_low_usd_per_hour, market_high_usd_per_hour;  ///< where the offer's provider is a marketplace: the span of its listed prices
  Figure usd_per_1000_requests, api_usd_per_1000_requests;   ///< where the price of an API is typed in
  Figure break_even_requests_per_month;                      ///< above this, the machine rented all month is cheaper than the API; none: it cannot serve that many
  std::vector<Term> terms;
};
struct EvidenceRow { std::string id, metric, unit, source, measured, gpu, model, software, precision, conditions, distance; double value = 0, ratio = 0; };

struct Estimate {
  Scenario scenario;
  std::optional<MemoryEstimate> memory;
  std::optional<SpeedEstimate> speed;
  std::optional<TrainingEstimate> training;
  std::optional<VisionEstimate> vision;
  std::optional<ImageEstimate> image_generation;
  std::optional<HpcEstimate> hpc;
  std::optional<EnergyEstimate> energy;
  std::optional<CostEstimate> cost;
  std::vector<EvidenceRow> evidence;
  std::vector<Warning> warnings;
};

// ---- the rooms; each is a pure function, implemented in core/src/<room>/ ----
/// Inference memory: core/src/memory/.
MemoryEstimate estimate_memory(const Question& question, std::vector<Warning>& warnings);
/// Chat, serving, RAG: core/src/speed/. `memory` tells what is offloaded and the concurrency that fits.
SpeedEstimate estimate_speed(const Question& question, const MemoryEstimate& memory, std::vector<Warning>& warnings);
/// Fine-tuning and pretraining: core/src/training/. Fills `memory` too (the plan decides what is in memory).
/// The `hours` of estimate_training() alone, a third of the work; nothing when the run does not fit or is not known.
std::optional<Quantity> training_hours(const Question& question);
TrainingEstimate estimate_training(const Question& question, MemoryEstimate& memory, std::vector<Warning>& warnings);
/// Vision training and inference: core/src/vision/.
VisionEstimate estimate_vision(const Question& question, MemoryEstimate& memory, std::vector<Warning>& warnings);
/// Image and video generation: core/src/image_generation/.
ImageEstimate estimate_image_generation(const Question& question, MemoryEstimate& memory, std::vector<Warning>& warnings);
/// HPC kernels: core/src/hpc/.
HpcEstimate estimate_hpc(const Question& question, std::vector<Warning>& warnings);
/// Energy and cost: core/src/cost/.
EnergyEstimate estimate_energy(const Question& question, const Estimate& so_far);
CostEstimate estimate_cost(const Question& question, const Estimate& so_far, std::vector<Warning>& warnings);

/// The whole answer to a resolved question.
Estimate estimate(const Question& question);

nlohmann::json to_json(const Estimate& estimate);

}  // namespace whichgpu
