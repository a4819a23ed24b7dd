#include "decode.hpp"

#include <algorithm>

#include "whichgpu/math.hpp"

namespace whichgpu::speed {
namespace {
constexpr double kLogMilli = -6.907755278982137;  // log 1e-3
constexpr double kCapSharpness = 8;               // how sharply the share of the bandwidth bends to its limit of 1

/// Bytes of the routed experts that one token uses.
double active_expert_bytes(const Setup& s) { return s.experts > 0 ? s.expert_bytes * s.experts_per_token / s.experts : 0; }
}  // namespace

const DomainSpec& decode_spec() {
  static const DomainSpec spec = {
      "decode",
      kLevelNames,
      {
          {"read_efficiency", -0.29, 0.5, {{kFamily, .2}, {kEngine, .2}, {kFamilyFormat, .2}, {kEngineFormat, .15}, {kGeneration, .2}, {kFamilyGeneration, .15}, {kEngineGeneration, .12}, {kFormatGeneration, .15}, {kGpu, .1}}},
          {"era", 0.03, 0.05, {{kFamily, .1}, {kEngine, .1}}},
          {"expert_efficiency", -0.36, 0.5, {{kFamily, .3}, {kEngine, .2}, {kGeneration, .2}}},
          {"cache_efficiency", -0.7, 1.0, {{kFamily, .5}, {kEngine, .4}, {kGeneration, .4}}},
          {"layer_ms", -3.5, 1.0, {{kFamily, .6}, {kEngine, .5}, {kGeneration, .5}, {kEngineGeneration, .3}, {kGpu, .2}}},
          {"moe_layer", -0.36, 0.7, {{kFamily, .4}, {kEngine, .3}}},
          {"recurrent_layer", -0.7, 0.7, {{kFamily, .5}, {kEngine, .3}}},
          {"fixed_ms", -1.2, 1.0, {{kFamily, .6}, {kEngine, .6}}},
          {"all_reduce_ms", -4.2, 1.0, {{kEngine, .5}, {kGeneration, .4}}},
          {"all_reduce_growth", 0.3, 0.3, {}},
          {"slow_link", 0.4, 0.4, {}},
          {"layer_split", 0.05, 0.1, {{kEngine, .15}}},
          {"speculative", 0.4, 0.3, {{kEngine, .2}}},
          {"power_cap", 0.1, 0.15, {{kGeneration, .1}}},
          {"host_efficiency", 0.0, 0.7, {{kEngine, .5}}},
      },
      {kFamily, kEngine, kGeneration, kEngineGeneration},
  };
  return spec;
}

double host_weights(const Setup& s) { return (s.layer_bytes + s.output_bytes) * s.host_share + active_expert_bytes(s) * s.host_expert_share; }

DecodeTerms decode_terms(const Setup& s, double context, bool speculative, bool power_capped, CoefficientView c) {
  DecodeTerms t;
  const double card = s.hardware.bytes_per_s, rate = card / c.soft_max(1, c.exp(-c[kReadEfficiency]), kCapSharpness);
  const double active_experts = active_expert_bytes(s);
  t.weights = (s.layer_bytes + s.output_bytes) / s.tensor * (1 - s.host_share) / rate;
  if (active_experts > 0) t.experts = active_experts / s.tensor * (1 - s.host_expert_share) / (rate * c.exp(c[kExperts]));
  t.cache = s.cache_bytes(context) / s.tensor / (card * c.exp(c[kCache]));
  double kernels = s.layers;
  if (s.moe_layers > 0) kernels += s.moe_layers * c.exp(c[kMoeLayer]);
  if (s.recurrent_layers > 0) kernels += s.recurrent_layers * c.exp(c[kRecurrentLayer]);
  t.layers = kernels * c.exp(c[kLayer] + kLogMilli);
  t.fixed = c.exp(c[kFixed] + kLogMilli);
  if (s.tensor > 1) {
    // Two all-reduces a layer: a start that grows with the cards, and the activations over the link.
    const double start = c.exp(c[kAllReduce] + kLogMilli + c[kAllReduceGrowth] * c.log(s.tensor / 2) + (s.hardware.fast_link ? 0.0 : c[kSlowLink]));
    t.exchange = 2 * s.layers * start + 2 * s.layers * s.hidden * 2 * 2 * (s.tensor - 1) / s.tensor / s.hardware.link_bytes_per_s;
  }
  const double host_bytes = host_weights(s);
  if (host_bytes > 0) t.host = host_bytes / (s.hardware.host_bytes_per_s * c.exp(c[kHost]));
  double scale = -c[kEra] * s.years;
  if (s.cards_in_a_row > 1) scale += c[kSplit] * c.log(s.cards_in_a_row);
  if (speculative) scale -= c[kSpeculativeGain];
  if (power_capped) scale += c[kDecodePowerCap];
  const double factor = c.exp(scale);
  for (double* part : {&t.weights, &t.experts, &t.cache, &t.layers, &t.fixed, &t.exchange}) *part *= factor;
  t.total = t.weights + t.experts + t.cache + t.layers + t.fixed + t.exchange + t.host;
  return t;
}

}  // namespace whichgpu::speed
