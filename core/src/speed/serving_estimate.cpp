#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "speed/serving.hpp"
#include "speed/step.hpp"
#include "whichgpu/domain.hpp"
#include "whichgpu/math.hpp"

namespace whichgpu {
namespace {

using speed::EngineKind, speed::engine_kind, speed::host_bytes_per_s;

/// The parts of an answer, and how they move with each coefficient: what every quantity's interval is made from.
class Answer {
 public:
  Answer(const DomainCalibration& calibration, const ServingFeatures& f) : calibration_(calibration), keys_(f.keys), coefficients_(calibration.resolve(serving_spec(), f.keys)) {
    serving_parts_moved(f, coefficients_.value, kStep, parts_);
  }
  const ServingParts& parts() const { return parts_[0]; }
  const Coefficients& coefficients() const { return coefficients_; }
  /// A quantity that follows from the parts; its residual spread is that of the metric it is measured as.
  template <class Value>
  Quantity quantity(const char* metric_name, const char* unit, Value&& value) const {
    const double base = log(value(parts_[0]));
    double variance = 0;
    for (std::size_t i = 0; i < serving_spec().coefficients.size(); ++i) {
      if (coefficients_.variance[i] <= 0) continue;
      const double share = (log(value(parts_[1 + i])) - base) / kStep;
      variance += share * share * coefficients_.variance[i];
    }
    Keys keys = keys_;
    keys.at[kSvMetric] = key_of(metric_name);
    const LogInterval interval = interval_of(base, calibration_.residual_sd(serving_spec(), keys), variance, calibration_.interval_scale);
    return Quantity::between(exp(base), interval.p10, interval.p90, unit);
  }

 private:
  static constexpr double kStep = 1e-3;
  const DomainCalibration& calibration_;
  Keys keys_;
  Coefficients coefficients_;
  ServingParts parts_[1 + kMaxCoefficients];
};

Bound bound_of(const ServingParts& p) {
  if (p.limited_by_cache) return Bound::kCapacity;
  // Reading (weights and cache) against computing (tokens and prompts), links and what does not shrink with the card.
  const double read = p.weights_s + p.cache_s, compute = p.compute_s, fixed = p.layers_s + p.fixed_s;
  const double most = std::max(std::max(read, compute), std::max(p.link_s, fixed));
  if (p.host_s > most) return Bound::kCapacity;
  if (most == p.link_s && p.link_s > 0) return Bound::kInterconnect;
  if (most == fixed) return Bound::kOverhead;
  return most == compute ? Bound::kCompute : Bound::kBandwidth;
}

}  // namespace

RowEstimate estimate_serving_row(const Conditions& c) {
  const std::optional<ServingMetric> metric = serving_metric(c.metric);
  if (!metric) return RowEstimate::not_modelled("metric not modelled for serving");
  std::string why;
  std::optional<ServingFeatures> f = serving_features(c, why);
  if (!f) return RowEstimate::not_modelled(why);
  f->keys.at[kSvMetric] = key_of(c.metric);
  const Predicted p = predict_with_interval(c.catalog->calibration.domain("serving"), serving_spec(), f->keys,
                                            [&](CoefficientView coefficient) { return serving_log(*f, *metric, coefficient.data()); });
  RowEstimate out;
  out.modelled = true;
  out.value = p.value;
  out.p10 = p.p10;
  out.p90 = p.p90;
  return out;
}

SpeedEstimate estimate_serving_speed(const Question& q, const MemoryEstimate& memory, std::vector<Warning>& warnings) {
  SpeedEstimate out;
  if (!q.gpu || !q.model || !q.quant || !q.engine) return out;
  const Scenario& s = q.scenario;
  if (q.gpu->bandwidth_gb_per_s.value_or(0) <= 0) {
    warnings.push_back({"missing-data", "The catalog has no memory bandwidth for " + q.gpu->id + ", so there is no speed."});
    return out;
  }
  const DomainCalibration& calibration = q.catalog->calibration.domain("serving");
  const bool rag = s.workload == Workload::kRag;
  ServingFeatures f = serving_features(q, s.concurrency, rag ? s.rag.requests_per_s : 0);
  if (f.peak <= 0) {
    warnings.push_back({"missing-data", "The catalog has no arithmetic rate for " + q.gpu->id + ", so there is no speed."});
    return out;
  }
  if (memory.offloaded_gib > 0) {
    f.host_share = memory.offloaded_share;
    const EngineKind kind = engine_kind(q.engine->id, q.engine);
    const double gpus = std::max(1.0, double(s.gpu_count) / std::max(1, s.nodes));
    f.host_bytes_per_s = host_bytes_per_s(std::string_view(kind.family) == "llama", s.host.ram_gb_per_s, s.host.pcie_gb_per_s, gpus) / gpus;
    warnings.push_back({"offload-unmeasured", "No measurement of many users on offloaded weights stands behind this speed: it is the rate of the host's memory and slot."});
  }
  // The memory room counts the cache exactly; its answer bounds how many sequences run at once.
  if (memory.max_concurrency && *memory.max_concurrency >= 1) f.cache_sequences = *memory.max_concurrency / f.replicas;
  const Answer answer(calibration, f);
  const Coefficients& c = answer.coefficients();
  const ServingParts& p = answer.parts();

  out.tpot_s = answer.quantity("tpot_ms", "s", [](const ServingParts& x) { return x.tpot_s; });
  out.ttft_s = answer.quantity("ttft_ms", "s", [](const ServingParts& x) { return x.ttft_s; });
  out.decode_tokens_per_s = answer.quantity("tpot_ms", "tokens/s", [](const ServingParts& x) { return 1 / x.tpot_s; });
  out.prefill_tokens_per_s = answer.quantity("prefill_tok_s", "tokens/s", [](const ServingParts& x) { return x.prefill_tokens_per_s; });
  out.latency_s = answer.quantity("latency_s", "s", [&](const ServingParts& x) { return x.ttft_s + std::max(f.output - 1, 0.0) * x.tpot_s; });
  // A closed load obeys Little's law with the latency that is printed: streams = requests/s · latency.
  const auto rate = [&](const ServingParts& x) {
    if (f.load == Load::kOpen) return x.throughput_tokens_per_s / f.output;
    return f.streams / (x.ttft_s + std::max(f.output - 1, 0.0) * x.tpot_s);
  };
  out.requests_per_s = answer.quantity("throughput_out_tok_s", "requests/s", rate);
  out.throughput_tokens_per_s = answer.quantity("throughput_out_tok_s", "tokens/s", [&](const ServingParts& x) { return rate(x) * f.output; });
  out.bound_by = bound_of(p);

  const auto seconds = [&](const char* name, double value, auto&& formula) { out.terms.push_back({name, value, "s", q.explain ? std::string(formula()) : std::string()}); };
  const auto n = [](double v) { return format_number(v, 4); };
  const double memory_share = exp(c.value[0]), cache_share = exp(c.value[1]);
  seconds("decode: weights", p.weights_s, [&] { return "(" + n(f.dense_bytes / 1e9) + " GB" + (f.expert_bytes > 0 ? " + experts used of " + n(f.expert_bytes / 1e9) + " GB" : "") + ") / (" + n(f.bandwidth / 1e9) + " GB/s * " + n(memory_share) + ")"; });
  seconds("decode: arithmetic", p.compute_s, [&] { return n(p.batch) + " sequences * " + n(f.flops_per_token / 1e9) + " GFLOP / reachable rate; with the weights as sqrt(weights^2 + arithmetic^2)"; });
  seconds("decode: cache", p.cache_s, [&] { return n(p.batch) + " sequences * " + n(f.cache_bytes / 1e6) + " MB / (" + n(f.bandwidth / 1e9) + " GB/s * " + n(cache_share) + ")"; });
  seconds("decode: layers", p.layers_s, [&] { return n(f.layers) + " layers * launch time"; });
  if (p.link_s > 0) seconds("decode: interconnect", p.link_s, [&] { return "2 * " + n(f.layers) + " all-reduces of " + n(p.batch) + " tokens"; });
  if (p.host_s > 0) seconds("decode: host memory", p.host_s, [&] { return n(100 * f.host_share) + " % of the weights / " + n(f.host_bytes_per_s / 1e9) + " GB/s for each GPU"; });
  seconds("decode: fixed", p.fixed_s, [&] { return "step + " + n(p.batch) + " sequences * host time"; });
  seconds("prefill: one prompt", p.prompt_s, [&] { return n(f.prompt) + " tokens: (" + n(f.prompt_flops / 1e12) + " + " + n(f.attention_flops / 1e12) + ") TFLOP / reachable rate"; });

  if (p.limited_by_cache) warnings.push_back({"cache-limits-concurrency", "The cache's memory holds about " + n(std::floor(p.batch * f.replicas)) + " sequences at once; further ones wait."});
  if (rag) {
    if (s.rag.requests_per_s > p.capacity_requests_per_s)
      warnings.push_back({"overloaded", "The offered " + n(s.rag.requests_per_s) + " requests/s are more than the " + n(p.capacity_requests_per_s) + " that this hardware can serve; the queue grows without end."});
    // The highest rate whose latency meets the wish, and how many then run at once (bisection: latency grows with the rate).
    const auto latency_at = [&](double offered) {
      ServingFeatures g = f;
      g.offered = offered;
      const ServingParts x = serving_parts(g, c.value);
      return std::pair{x.ttft_s + std::max(g.output - 1, 0.0) * x.tpot_s, x.batch * g.replicas};
    };
    double low = 0, high = 0.98 * p.capacity_requests_per_s;
    if (latency_at(high).first <= s.rag.latency_s) low = high;
    for (int i = 0; i < 40 && low < high; ++i) {
      const double middle = (low + high) / 2;
      if (latency_at(middle).first <= s.rag.latency_s) low = middle;
      else high = middle;
    }
    out.requests_per_s_within_latency = low;
    out.concurrency_within_latency = low > 0 ? std::floor(std::max(1.0, latency_at(low).second)) : 0.0;
    if (low < s.rag.requests_per_s)
      warnings.push_back({"latency-not-met", "At " + n(s.rag.requests_per_s) + " requests/s the latency wish of " + n(s.rag.latency_s) + " s is not met; it holds up to about " + n(low) + " requests/s."});
  }
  const int gpu_rows = calibration.rows_seen(kSvGpu, f.keys.at[kSvGpu]), engine_rows = calibration.rows_seen(kSvEngine, f.keys.at[kSvEngine]);
  out.distance = gpu_rows > 0 && engine_rows > 0 ? "same" : calibration.rows_seen(kSvGeneration, f.keys.at[kSvGeneration]) > 0 ? "near" : "far";
  return out;
}

}  // namespace whichgpu
