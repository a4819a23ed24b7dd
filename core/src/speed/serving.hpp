#pragma once
#include <optional>
#include <string>

#include "whichgpu/calibration.hpp"
#include "whichgpu/estimate.hpp"
#include "whichgpu/measurement.hpp"

/// Serving many requests at once: continuous batching, where one step advances every running sequence by a token and
/// prompts are computed in between (chunked prefill).
///
///   step(b)   = sqrt(read² + compute²) + cache + layers·t_layer + all-reduces + t_step + b·t_sequence
///   prompt    = flops / (peak·η) + attention flops / (peak·η) + all-reduces
///   cycle     = output·step(b) + b·prompt            time in which b requests finish
///   throughput = b·output / cycle,   TPOT = step + φ·b·prompt/output
///
/// `b` is what the load and the cache's memory let run at once; with an offered rate it follows from Little's law.
namespace whichgpu {

/// How requests arrive.
enum class Load : std::uint8_t {
  kClosed,       ///< a fixed number of streams, each sends the next request when the last one ends
  kMax,          ///< requests queue without end, the engine runs as many as it can
  kOffline,      ///< MLPerf: all at once, throughput alone counts
  kServer,       ///< MLPerf: arrivals at the highest rate that keeps the latency limits
  kInteractive,  ///< MLPerf: the same with tight limits
  kOpen,         ///< arrivals at an offered rate
  kSet,          ///< a set of prompts handed to the engine at once, whatever the client's concurrency says
  kBurst         ///< a stated number of prompts sent to a server at once
};

enum class ServingMetric : std::uint8_t { kTpot, kTtft, kThroughputOut, kThroughputTotal, kDecodeTotal, kDecodePerUser, kPrefill, kLatency, kRequests };
/// The metric of a row, by its name; nullopt for the others.
std::optional<ServingMetric> serving_metric(std::string_view name);

/// What the physics needs, per GPU of one replica unless said otherwise.
struct ServingFeatures {
  double bandwidth = 0, peak = 0, peak_16bit = 0;   ///< bytes/s; FLOP/s of the format's data path and of 16 bit
  double dense_bytes = 0, expert_bytes = 0;         ///< weights that every step reads; experts, all of them
  double log_miss = 0;                              ///< log(1 − k/E): a token passes an expert by; 0 without experts
  double cache_bytes = 0;                           ///< read per sequence and step at the mean context
  double flops_per_token = 0, prompt_flops = 0, attention_flops = 0;  ///< of one token; of one prompt
  double layers = 0, moe_layers = 0;
  double hops = 0;                                  ///< log2 of the GPUs that add up partial results; 0: one GPU
  double message_seconds = 0;                       ///< one token's all-reduce in one layer at the link's full rate
  double prompt = 1, output = 1;
  double cache_sequences = 1;                       ///< sequences whose cache fits the replica
  double streams = 1, offered = 0;                  ///< closed load, requests/s; of the whole system
  double replicas = 1, pipeline = 1;
  double host_share = 0;                            ///< of the weights, offloaded to host memory
  double host_bytes_per_s = 1;                      ///< at which one GPU's part of them is read
  Load load = Load::kClosed;
  bool static_batch = false, speculative = false;
  Keys keys;
};

enum ServingLevel { kSvEngine, kSvEra, kSvGeneration, kSvGpu, kSvFormat, kSvGenerationFormat, kSvVendor, kSvLink, kSvLoad, kSvModelKind, kSvCapped, kSvMetric, kSvLevels };

const DomainSpec& serving_spec();

/// The parts of a prediction, seconds and rates of the whole system.
struct ServingParts {
  double batch = 0;              ///< sequences that run at once, per replica
  double step_s = 0;             ///< one decode step at that batch
  double weights_s = 0, compute_s = 0, cache_s = 0, layers_s = 0, link_s = 0, host_s = 0, fixed_s = 0;  ///< parts of the step
  double prompt_s = 0;           ///< computing one prompt
  double tpot_s = 0, ttft_s = 0, throughput_tokens_per_s = 0, prefill_tokens_per_s = 0, capacity_requests_per_s = 0;
  bool limited_by_cache = false; ///< fewer sequences run than the load asks for
};
ServingParts serving_parts(const ServingFeatures& f, const double* coefficient);
/// The parts, then the parts with each coefficient in turn moved by `step`: `out` holds 1 + coefficients of the spec.
/// One pass serves the intervals of every quantity of an answer.
void serving_parts_moved(const ServingFeatures& f, const double* coefficient, double step, ServingParts* out);

/// Log of the metric in its row's unit (ms for TTFT and TPOT). Pure and continuous.
double serving_log(const ServingFeatures& f, ServingMetric metric, const double* coefficient);

/// Features of a measurement row, or why there are none. `key_names`, when given, gets the text of each level's key.
std::optional<ServingFeatures> serving_features(const Conditions& c, std::string& why_not, std::vector<std::string>* key_names = nullptr);
/// Features of a serving or RAG question at `streams` streams (or `offered` requests/s when above 0).
ServingFeatures serving_features(const Question& q, double streams, double offered);

RowEstimate estimate_serving_row(const Conditions& c);
SpeedEstimate estimate_serving_speed(const Question& q, const MemoryEstimate& memory, std::vector<Warning>& warnings);

}  // namespace whichgpu
