#include <algorithm>

#include "base/text.hpp"
#include "chat.hpp"
#include "whichgpu/domain.hpp"
#include "whichgpu/math.hpp"

namespace whichgpu {
namespace {

using namespace speed;

double year_of_date(std::string_view date) {
  const auto year = to_number(date.substr(0, 4)), month = date.size() >= 7 ? to_number(date.substr(5, 2)) : std::nullopt;
  return year ? *year + (month ? (*month - 0.5) / 12 : 0.5) : 0;
}

std::string number(double v) { return format_number(v, 4); }

Bound bound_of(const DecodeTerms& t) {
  const double bandwidth = t.weights + t.experts + t.cache, overhead = t.layers + t.fixed;
  if (t.host > bandwidth && t.host > overhead && t.host > t.exchange) return Bound::kCapacity;
  if (t.exchange > bandwidth && t.exchange > overhead) return Bound::kInterconnect;
  return bandwidth >= overhead ? Bound::kBandwidth : Bound::kOverhead;
}

Quantity inverse(const Quantity& q, const char* unit) { return Quantity::between(1 / q.value, 1 / q.p90, 1 / q.p10, unit); }

}  // namespace

SpeedEstimate estimate_chat_speed(const Question& q, const MemoryEstimate& memory, std::vector<Warning>& warnings) {
  SpeedEstimate out;
  const Scenario& sc = q.scenario;
  if (!q.model || !q.quant || !q.gpu) {
    warnings.push_back({"speed-unknown", "Speed needs a model, a format and a GPU."});
    return out;
  }
  SetupInput in;
  in.model = q.model;
  in.quant = q.quant;
  in.gpu = q.gpu;
  in.engine = engine_kind(q.engine ? q.engine->id : "", q.engine);
  in.gpu_count = std::max(1, sc.gpu_count / std::max(1, sc.parallelism.data));  // one copy of the model answers one person
  in.tensor = in.engine.layer_split ? 1 : std::max(1, sc.parallelism.tensor);
  in.kv_bits = kv_bits(sc.precision.kv_cache).value_or(16.0);
  in.year = year_of_date(sc.as_of);
  std::string why;
  auto setup = make_setup(in, why);
  if (!setup) {
    warnings.push_back({"speed-unknown", "Speed is not known: " + why + "."});
    return out;
  }
  if (memory.offloaded_gib > 0 && setup->total_bytes > 0) {
    setup->hardware.host_bytes_per_s = host_bytes_per_s(std::string_view(in.engine.family) == "llama", sc.host.ram_gb_per_s, sc.host.pcie_gb_per_s, setup->tensor);
    const double bytes = memory.offloaded_gib * kBytesPerGib;
    if (sc.offload == OffloadKind::kExperts && setup->expert_bytes > 0) setup->host_expert_share = std::min(1.0, bytes / setup->expert_bytes);
    else setup->host_share = setup->host_expert_share = std::min(1.0, bytes / setup->total_bytes);
  }
  NamedKeys keys = make_keys(in, false);
  const double prompt = std::max(1.0, sc.prompt_tokens), output = std::max(1.0, sc.output_tokens), context = prompt + output / 2;
  const bool speculative = q.draft_model != nullptr;
  const DomainCalibration& prefill_fit = q.catalog->calibration.domain("prefill");
  const DomainCalibration& decode_fit = q.catalog->calibration.domain("decode");

  const Coefficients cd = decode_fit.resolve(decode_spec(), keys.keys);
  const Predicted step = predict_with_interval(decode_fit, decode_spec(), keys.keys, cd, [&](CoefficientView c) { return log(decode_seconds(*setup, context, speculative, false, c)); });
  const PrefillWork work = prefill_work(*setup, prompt);
  const auto prompt_log = [&](CoefficientView c) { return log(prefill_seconds(*setup, work, false, c)); };
  const Predicted reading = predict_with_interval(prefill_fit, prefill_spec(), keys.keys, prompt_log);
  keys.keys.at[kFirstToken] = key_of(in.engine.name, "ttft");
  const Coefficients cp = prefill_fit.resolve(prefill_spec(), keys.keys);
  const Predicted first = predict_with_interval(prefill_fit, prefill_spec(), keys.keys, cp, prompt_log);

  const Quantity tpot = Quantity::between(step.value, step.p10, step.p90, "s");
  out.tpot_s = tpot;
  out.decode_tokens_per_s = inverse(tpot, "tokens/s");
  out.throughput_tokens_per_s = out.decode_tokens_per_s;
  out.ttft_s = Quantity::between(first.value, first.p10, first.p90, "s");
  out.prefill_tokens_per_s = Quantity::between(prompt / reading.value, prompt / reading.p90, prompt / reading.p10, "tokens/s");
  // Prompt and generation err almost independently; their spreads add in squares.
  const double latency = first.value + output * step.value;
  const auto side = [&](double a, double b) {
    const double da = a - first.value, db = output * (b - step.value), wide = whichgpu::pow(da * da + db * db + 1e-300, 0.5);
    return wide;
  };
  out.latency_s = Quantity::between(latency, std::max(latency - side(first.p10, step.p10), latency * 0.01), latency + side(first.p90, step.p90), "s");
  out.requests_per_s = Quantity::between(1 / latency, 1 / out.latency_s->p90, 1 / out.latency_s->p10, "requests/s");

  const DecodeTerms d = decode_terms(*setup, context, speculative, false, cd.value);
  out.bound_by = bound_of(d);
  const bool seen_here = decode_fit.rows_seen(kGpu, keys.keys.at[kGpu]) > 0, engine_here = decode_fit.rows_seen(kEngineGeneration, keys.keys.at[kEngineGeneration]) > 0;
  out.distance = seen_here && engine_here ? "same" : decode_fit.rows_seen(kGeneration, keys.keys.at[kGeneration]) > 0 ? "near" : "far";

  const auto add = [&](const char* name, double seconds, const std::string& formula) {
    if (seconds > 0) out.terms.push_back({name, seconds, "s", formula});
  };
  const double gb = 1e-9;
  if (q.explain) {
    const PrefillTerms p = prefill_terms(*setup, work, false, cp.value);
    const auto read_at = [&](double bytes, double seconds, double rate) {
      return number(bytes * gb) + " GB / (" + number(rate * gb) + " GB/s · " + number(bytes / (seconds * rate)) + ")";
    };
    const auto read = [&](double bytes, double seconds) { return read_at(bytes, seconds, setup->hardware.bytes_per_s); };
    const double weights = (setup->layer_bytes + setup->output_bytes) / setup->tensor * (1 - setup->host_share);
    const double experts = setup->experts > 0 ? setup->expert_bytes * setup->experts_per_token / setup->experts / setup->tensor * (1 - setup->host_expert_share) : 0;
    const double cache = setup->cache_bytes(context) / setup->tensor;
    add("decode: weights", d.weights, read(weights, d.weights));
    if (d.experts > 0) add("decode: experts", d.experts, read(experts, d.experts));
    if (d.cache > 0) add("decode: cache", d.cache, read(cache, d.cache));
    add("decode: layers", d.layers, number(setup->layers) + " layers, " + number(d.layers / setup->layers * 1e6) + " µs each");
    add("decode: fixed", d.fixed, number(d.fixed * 1e3) + " ms a step");
    add("decode: exchange", d.exchange, "2 · " + number(setup->layers) + " all-reduces over " + number(setup->tensor) + " GPUs, " + number(setup->hardware.link_bytes_per_s * gb) + " GB/s");
    add("decode: host memory", d.host, read_at(host_weights(*setup), d.host, setup->hardware.host_bytes_per_s));
    add("prefill: matrix products", p.matmul, number((work.dense_flops + work.expert_flops) * 1e-12) + " TFLOP at " + number((work.dense_flops + work.expert_flops) / p.matmul * 1e-12) + " of " + number(setup->hardware.matmul_flops * 1e-12) + " TFLOP/s");
    add("prefill: attention", p.attention, number(work.attention_flops * 1e-12) + " TFLOP at " + number(work.attention_flops / std::max(p.attention, 1e-12) * 1e-12) + " TFLOP/s");
    add("prefill: other", p.total - p.matmul - p.attention, "reading weights beyond the products, launches, exchange");
  }
  return out;
}

}  // namespace whichgpu
