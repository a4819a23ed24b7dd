#include "speed/serving.hpp"

#include <algorithm>
#include <cmath>

#include "whichgpu/math.hpp"

namespace whichgpu {
namespace {

enum Coefficient {
  kMemory, kCache, kCompute, kPrefill, kPrefillSmall, kLayer, kMoeLayer, kExperts, kStep, kSequence, kHop, kLink, kBatchMax, kServerShare, kInteractiveShare,
  kMlperf, kSetSize, kBurstShare, kDrain, kSpeculation, kInterruption, kCacheRoom, kSlotWait, kFirstFixed, kFirstSteps, kRound, kChunkShare, kChunkTokens,
  kOpenQueue, kOpenBusy, kOpenRequests, kOpenWait, kOnce, kFirstRatio, kCoefficients
};

/// A minimum with a soft corner, so that the fit sees both sides.
double soft_min(double a, double b) {
  const double x = 1 / (a * a), y = 1 / (b * b);
  return 1 / std::sqrt(std::sqrt(x * x + y * y));
}

struct Rates {
  double e[kCoefficients];
  explicit Rates(const double* c) {
    for (int i = 0; i < kCoefficients; ++i) set(i, c[i]);
  }
  void set(int i, double c) { e[i] = exp(std::clamp(c, -40.0, 40.0)); }
  double operator[](Coefficient i) const { return e[i]; }
};

struct Step { double weights, compute, cache, layers, link, host, fixed, total; };

constexpr double kPassTokens = 8192;  // prompt tokens in one pass over the weights (serving engines' default budget of a step)

Step decode_step(const ServingFeatures& f, const Rates& r, double batch) {
  // Pipeline stages work on different parts of the batch at the same time.
  const double b = std::max(1.0, std::max(1.0, batch) / f.pipeline);
  const double experts = f.log_miss < 0 ? 1 - exp(b * f.log_miss) : 0;
  Step s;
  const double read = f.dense_bytes + f.expert_bytes * experts * r[kExperts];
  s.weights = read * (1 - f.host_share) / (f.bandwidth * r[kMemory]);
  s.compute = b * f.flops_per_token / (f.peak * r[kCompute]);
  s.cache = b * f.cache_bytes / (f.bandwidth * r[kCache]);
  s.layers = (f.layers + f.moe_layers * r[kMoeLayer]) * r[kLayer];
  s.link = f.hops > 0 ? 2 * f.layers * (r[kHop] * f.hops + b * f.message_seconds / r[kLink]) : 0;
  s.host = read * f.host_share / f.host_bytes_per_s;
  s.fixed = r[kStep] + b * r[kSequence];
  s.total = std::sqrt(s.weights * s.weights + s.compute * s.compute) + s.cache + s.layers + s.link + s.host + s.fixed;
  return s;
}

double prompt_seconds(const ServingFeatures& f, const Rates& r) {
  constexpr double kAttentionShare = 0.6;  // attention kernels against matrix products, FlashAttention-2 paper (2023), forward pass
  return f.prompt_flops * (1 + r[kPrefillSmall] / f.prompt) / (f.peak * r[kPrefill]) + f.attention_flops / (f.peak_16bit * r[kPrefill] * kAttentionShare) +
         (f.hops > 0 ? 2 * f.layers * f.prompt * f.message_seconds / r[kLink] : 0) +
         (f.dense_bytes + f.expert_bytes) * f.host_share / f.host_bytes_per_s * f.prompt / kPassTokens;
}

bool is_mlperf(Load l) { return l == Load::kOffline || l == Load::kServer || l == Load::kInteractive; }

ServingParts parts_at(const ServingFeatures& f, const Rates& r) {
  ServingParts p;
  const double prompt = prompt_seconds(f, r), out = f.output;
  p.prompt_s = prompt;
  const double asked = std::max(1.0, f.streams) / f.replicas;  // of one replica
  const double room = std::max(1.0, f.cache_sequences * r[kCacheRoom]);
  const double engine_max = r[kBatchMax];
  double batch = asked;
  switch (f.load) {
    case Load::kClosed: break;
    case Load::kMax: case Load::kOffline: batch = engine_max; break;
    case Load::kServer: batch = engine_max * r[kServerShare]; break;
    case Load::kInteractive: batch = engine_max * r[kInteractiveShare]; break;
    case Load::kSet: batch = std::max(f.streams, r[kSetSize]) / f.replicas; break;
    case Load::kBurst: batch = std::min(asked, 256.0) * r[kBurstShare]; break;  // vLLM's default max_num_seqs
    case Load::kOpen: break;
  }
  const double capacity = soft_min(engine_max, room);
  const double full_cycle = out * decode_step(f, r, capacity).total + capacity * prompt;
  const double full_rate = capacity / full_cycle;  // requests/s of one replica that runs full
  const double offered = f.offered / f.replicas;
  double running;
  if (f.load == Load::kOpen) {
    // Little's law: running = rate · time in the system, which depends on how many run. A run has so many requests.
    const double most = soft_min(capacity, 0.8 * r[kOpenRequests] / f.replicas);
    running = std::min(std::max(offered * out * 0.02, 0.5), most);
    for (int i = 0; i < 12; ++i) {
      const double token = decode_step(f, r, running).total + running / out * prompt;
      running = std::sqrt(running * soft_min(std::max(offered * out * token, 0.3), most));
    }
  } else {
    running = f.static_batch ? batch : std::max(soft_min(batch, room), std::min(batch, 1.0));
  }
  p.batch = running;
  p.limited_by_cache = !f.static_batch && running < 0.95 * batch && room < batch;
  const Step step = decode_step(f, r, running);
  p.weights_s = step.weights;
  p.compute_s = step.compute;
  p.cache_s = step.cache;
  p.layers_s = step.layers;
  p.link_s = step.link;
  p.host_s = step.host;
  p.fixed_s = step.fixed;
  p.step_s = step.total / (f.speculative ? r[kSpeculation] : 1.0);
  p.tpot_s = p.step_s + r[kInterruption] * std::max(running - 1, 0.0) / out * prompt;
  const double cycle = out * step.total + running * prompt;
  double rate = running / (out * p.step_s + running * prompt + r[kOnce]) * f.replicas;
  if (f.load == Load::kOpen) rate = soft_min(f.offered > 0 ? f.offered : 1e-9, full_rate * f.replicas);
  if (f.load == Load::kSet) rate *= r[kDrain];
  if (is_mlperf(f.load)) rate *= r[kMlperf];
  p.throughput_tokens_per_s = rate * out;
  p.capacity_requests_per_s = full_rate * f.replicas;
  p.prefill_tokens_per_s = running * f.prompt / (running * prompt + f.layers * r[kLayer] + r[kStep]);

  const double base = r[kFirstFixed] + step.total * r[kFirstSteps] + prompt + f.layers * r[kLayer];
  if (out <= 1) {
    p.ttft_s = r[kFirstFixed] + f.layers * r[kLayer] + running * prompt;  // the whole batch's prompts in one pass
  } else if (f.load == Load::kOpen || f.load == Load::kServer) {
    // Prompts queue for the computing unit as in M/D/1, then for a place in the batch; a run of so many requests bounds
    // both queues beyond capacity.
    const double requests = r[kOpenRequests] / f.replicas, busy = offered * prompt * r[kOpenBusy];
    const double queue = prompt * std::min(busy, 1.0) / (std::max(1 - busy, 0.0) + 2 / requests) * r[kOpenQueue];
    const double left = std::max(requests * std::max(1 - full_rate / std::max(offered, 1e-9), 0.0) - capacity, 0.0);
    const double place = 0.5 * left / full_rate * r[kOpenWait];
    p.ttft_s = base + std::sqrt(queue * queue + place * place);
  } else if (f.load == Load::kBurst) {
    // Those that find no place, by number or for want of cache, wait for the ones before them.
    const double places = std::min(256.0, room);  // vLLM's default max_num_seqs
    p.ttft_s = base + 0.5 * asked * prompt + std::max(asked - places, 0.0) / places * cycle * 0.5;
  } else {
    // All streams start at once, so in the first round each waits for the prompts before it; and prompts that share a
    // chunk end together in every round. Streams beyond the cache's room wait for a place; the room is known within kRoomMargin.
    constexpr double kRoomMargin = 1.3;  // the spread of the fitted cache_room: nobody is said to wait inside it
    const double others = std::max(running - 1, 0.0), chunk = std::max(r[kChunkTokens] / f.prompt, 1.0);
    const double wait = f.load == Load::kClosed && !f.static_batch ? std::max(asked - kRoomMargin * room, 0.0) / room * cycle * r[kSlotWait] : 0;
    p.ttft_s = base + prompt * (r[kRound] * others + r[kChunkShare] * others * chunk / (others + chunk)) + wait;
  }
  p.ttft_s *= r[kFirstRatio];
  return p;
}

}  // namespace

ServingParts serving_parts(const ServingFeatures& f, const double* coefficient) { return parts_at(f, Rates(coefficient)); }

void serving_parts_moved(const ServingFeatures& f, const double* coefficient, double step, ServingParts* out) {
  Rates r(coefficient);
  out[0] = parts_at(f, r);
  for (int i = 0; i < kCoefficients; ++i) {
    const double kept = r.e[i];
    r.set(i, coefficient[i] + step);
    out[1 + i] = parts_at(f, r);
    r.e[i] = kept;
  }
}

double serving_log(const ServingFeatures& f, ServingMetric metric, const double* coefficient) {
  const ServingParts p = serving_parts(f, coefficient);
  switch (metric) {
    case ServingMetric::kTpot: return log(1e3 * p.tpot_s);
    case ServingMetric::kTtft: return log(1e3 * p.ttft_s);
    case ServingMetric::kThroughputOut: return log(p.throughput_tokens_per_s);
    case ServingMetric::kThroughputTotal: return log(p.throughput_tokens_per_s * (f.prompt + f.output) / f.output);
    case ServingMetric::kDecodeTotal: return log(p.batch / p.step_s * f.replicas);
    case ServingMetric::kDecodePerUser: return -log(p.tpot_s);
    case ServingMetric::kPrefill: return log(p.prefill_tokens_per_s);
    case ServingMetric::kLatency: return log(f.output <= 1 ? p.ttft_s : p.ttft_s + f.output * p.tpot_s);
    case ServingMetric::kRequests: return log(p.throughput_tokens_per_s / f.output);
  }
  return 0;
}

std::optional<ServingMetric> serving_metric(std::string_view name) {
  struct Named { const char* name; ServingMetric metric; };
  static constexpr Named kNamed[] = {{"tpot_ms", ServingMetric::kTpot}, {"ttft_ms", ServingMetric::kTtft}, {"throughput_out_tok_s", ServingMetric::kThroughputOut},
      {"throughput_total_tok_s", ServingMetric::kThroughputTotal}, {"decode_tok_s_total", ServingMetric::kDecodeTotal}, {"decode_tok_s_per_user", ServingMetric::kDecodePerUser},
      {"prefill_tok_s", ServingMetric::kPrefill}, {"latency_s", ServingMetric::kLatency}, {"requests_s", ServingMetric::kRequests}};
  for (const Named& n : kNamed)
    if (name == n.name) return n.metric;
  return std::nullopt;
}

const DomainSpec& serving_spec() {
  static const DomainSpec spec = [] {
    DomainSpec s;
    s.name = "serving";
    s.levels = {"engine", "era", "generation", "gpu", "format", "generation_format", "vendor", "link", "load", "model_kind", "capped", "metric"};
    s.spread_levels = {kSvMetric};
    const auto add = [&s](const char* name, double base, double sd, std::vector<LevelUse> levels) { s.coefficients.push_back({name, log(base), sd, std::move(levels)}); };
    // Prior means are round figures of the kernels' usual share of peak and of launch times; the spreads were chosen by
    // leaving out cells, GPUs, models and sources.
    add("memory_efficiency", 0.7, 0.3, {{kSvVendor, 0.15}, {kSvEra, 0.08}, {kSvEngine, 0.15}, {kSvGeneration, 0.15}, {kSvGpu, 0.12}, {kSvFormat, 0.15}});
    add("cache_efficiency", 0.5, 0.5, {{kSvVendor, 0.2}, {kSvEngine, 0.3}, {kSvEra, 0.15}, {kSvGeneration, 0.25}, {kSvGpu, 0.15}});
    add("decode_compute_efficiency", 0.45, 0.5, {{kSvVendor, 0.25}, {kSvEra, 0.15}, {kSvEngine, 0.25}, {kSvGeneration, 0.25}, {kSvGpu, 0.2}, {kSvFormat, 0.25}, {kSvGenerationFormat, 0.2}, {kSvCapped, 0.3}});
    add("prefill_compute_efficiency", 0.5, 0.5, {{kSvVendor, 0.25}, {kSvEra, 0.2}, {kSvEngine, 0.25}, {kSvGeneration, 0.25}, {kSvGpu, 0.2}, {kSvFormat, 0.25}, {kSvGenerationFormat, 0.2}, {kSvModelKind, 0.3}, {kSvCapped, 0.3}});
    add("prefill_small_tokens", 60, 1.0, {});
    add("layer_seconds", 30e-6, 0.7, {{kSvVendor, 0.3}, {kSvEngine, 0.5}, {kSvGeneration, 0.3}, {kSvEra, 0.3}});
    add("moe_layer_ratio", 1.0, 1.0, {{kSvEngine, 0.4}});
    add("expert_read_ratio", 1.2, 0.3, {{kSvEngine, 0.2}, {kSvFormat, 0.2}});
    add("step_seconds", 2e-3, 0.8, {{kSvEngine, 0.6}, {kSvEra, 0.5}});
    add("sequence_seconds", 20e-6, 1.0, {{kSvEngine, 0.8}, {kSvEra, 0.6}, {kSvLoad, 0.7}});
    add("hop_seconds", 8e-6, 0.7, {{kSvLink, 0.7}, {kSvEngine, 0.4}});
    add("link_efficiency", 0.5, 0.5, {{kSvLink, 0.5}, {kSvGeneration, 0.3}});
    add("engine_batch", 400, 0.7, {{kSvEngine, 0.5}, {kSvLoad, 0.3}});
    add("server_share", 0.6, 0.5, {});
    add("interactive_share", 0.15, 0.7, {});
    add("mlperf_ratio", 1.0, 0.3, {{kSvEngine, 0.2}});
    add("set_size", 100, 0.2, {});
    add("burst_share", 0.6, 0.3, {});
    add("drain_ratio", 0.85, 0.2, {});
    add("speculation_ratio", 1.5, 0.4, {{kSvEngine, 0.3}});
    add("prompt_interruption", 0.8, 0.3, {{kSvEngine, 0.3}, {kSvEra, 0.2}});
    add("cache_room", 1.0, 0.4, {{kSvEngine, 0.3}});
    add("slot_wait", 1.0, 0.5, {{kSvEngine, 0.3}});
    add("first_token_seconds", 0.03, 1.0, {{kSvEngine, 0.8}, {kSvEra, 0.5}, {kSvGpu, 0.3}, {kSvModelKind, 0.3}});
    add("first_token_steps", 1.5, 0.6, {{kSvEngine, 0.4}, {kSvEra, 0.4}, {kSvGeneration, 0.3}, {kSvModelKind, 0.3}, {kSvFormat, 0.3}});
    add("round_share", 0.07, 0.7, {{kSvEngine, 0.5}, {kSvEra, 0.4}, {kSvGeneration, 0.3}, {kSvModelKind, 0.3}});
    add("chunk_share", 0.4, 0.7, {{kSvEngine, 0.5}, {kSvEra, 0.4}, {kSvGeneration, 0.3}, {kSvModelKind, 0.3}});
    add("chunk_tokens", 8192, 0.5, {{kSvEngine, 0.3}, {kSvEra, 0.3}});
    add("open_queue", 1.0, 0.7, {});
    add("open_busy", 1.2, 0.2, {});
    add("open_requests", 120, 0.5, {});
    add("open_wait", 1.0, 0.4, {});
    add("once_seconds", 0.01, 1.0, {{kSvEngine, 0.5}});
    add("first_token_ratio", 1.0, 0.02, {{kSvEngine, 0.2}, {kSvEra, 0.2}, {kSvGeneration, 0.2}, {kSvGpu, 0.15}, {kSvFormat, 0.2}, {kSvGenerationFormat, 0.15}, {kSvModelKind, 0.2}, {kSvLoad, 0.1}});
    return s;
  }();
  return spec;
}

}  // namespace whichgpu
