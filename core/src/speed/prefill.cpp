#include "prefill.hpp"

#include <algorithm>
#include <cmath>

#include "whichgpu/math.hpp"

namespace whichgpu::speed {
namespace {
constexpr double kLogMilli = -6.907755278982137;  // log 1e-3: the base of times is given in ms below
constexpr double kReferenceHidden = 4096;         // hidden size at which the size effect is 1
}  // namespace

const DomainSpec& prefill_spec() {
  // Bases are weak prior means (log): usual shares of peak, one-figure magnitudes of overheads; the fit moves them.
  static const DomainSpec spec = {
      "prefill",
      kLevelNames,
      {
          {"efficiency", -0.9, 0.5, {{kFamily, .4}, {kEngine, .3}, {kFamilyFormat, .3}, {kGeneration, .3}, {kFamilyGeneration, .3}, {kEngineGeneration, .2}, {kFormatGeneration, .2}, {kGpu, .15}, {kKind, .1}}},
          {"hidden_slope", 0.2, 0.3, {{kFamily, .15}}},
          {"half_tokens", 3.4, 1.0, {{kFamily, .5}, {kGeneration, .4}}},
          {"expert_efficiency", -0.5, 1.0, {{kFamily, .4}, {kEngine, .3}, {kGeneration, .3}}},
          {"expert_half_tokens", 2.1, 1.0, {{kFamily, .5}}},
          {"read_efficiency", -0.5, 0.3, {{kFamily, .3}, {kGeneration, .2}}},
          {"attention_efficiency", -1.2, 1.0, {{kFamily, .5}, {kEngine, .3}, {kGeneration, .4}, {kEngineGeneration, .3}}},
          {"layer_ms", -3.2, 1.5, {{kFamily, .5}, {kEngine, .5}, {kGeneration, .4}}},
          {"recurrent", 0.0, 2.0, {{kFamily, .5}, {kGeneration, .4}}},
          {"link_efficiency", -0.7, 0.5, {{kEngine, .3}}},
          {"fixed_ms", 1.1, 1.5, {{kEngine, .7}, {kFirstToken, .7}}},
          {"power_cap", 0.1, 0.2, {}},
          {"host_efficiency", 0.0, 0.7, {{kEngine, .5}}},
      },
      {kFamily, kEngine},
  };
  return spec;
}

PrefillWork prefill_work(const Setup& s, double tokens, double past) {
  PrefillWork w;
  w.tokens = std::max(tokens, 1.0);
  w.chunks = std::ceil(w.tokens / s.micro_batch_tokens);
  const double per_chunk = w.tokens / w.chunks;
  w.dense_flops = s.layer_flops * w.tokens / s.tensor;
  w.dense_token_flops = s.layer_flops / s.tensor * w.chunks;
  const double used = s.experts_used(per_chunk);
  if (s.experts > 0) {
    const double one_expert = s.expert_flops / s.experts / s.tensor;
    w.expert_flops = one_expert * s.experts_per_token * w.tokens;
    w.expert_token_flops = one_expert * used * w.chunks;
  }
  const double expert_bytes = s.experts > 0 ? s.expert_bytes * used / s.experts : 0;
  w.read_bytes = (s.layer_bytes * (1 - s.host_share) + expert_bytes * (1 - s.host_expert_share)) / s.tensor * w.chunks + s.output_bytes / s.tensor;
  w.host_bytes = (s.layer_bytes * s.host_share + expert_bytes * s.host_expert_share) * w.chunks;
  w.attention_flops = s.cache.prefill_flops(w.tokens, past) / s.tensor;
  w.recurrent_units = s.recurrent_layers * s.hidden * w.tokens / s.tensor;
  if (s.tensor > 1) w.exchange_bytes = 2 * s.layers * w.tokens * s.hidden * 2 * 2 * (s.tensor - 1) / s.tensor;  // two ring all-reduces of 16-bit activations a layer
  return w;
}

PrefillTerms prefill_terms(const Setup& s, const PrefillWork& w, bool power_capped, CoefficientView c) {
  PrefillTerms t;
  const double efficiency = c.exp(c[kPrefillEfficiency] + c[kHiddenSlope] * c.log(s.hidden / kReferenceHidden));
  const double rate = s.hardware.matmul_flops * efficiency;
  t.matmul = (w.dense_flops + w.dense_token_flops * c.exp(c[kHalfTokens])) / rate;
  if (w.expert_flops > 0) t.matmul += (w.expert_flops + w.expert_token_flops * c.exp(c[kExpertHalfTokens])) / (rate * c.exp(c[kPrefillExperts]));
  t.read = w.read_bytes / (s.hardware.bytes_per_s * c.exp(c[kPrefillRead]));
  t.layers = w.chunks * (s.layers + s.recurrent_layers) * c.exp(c[kPrefillLayer] + kLogMilli);
  t.attention = w.attention_flops / (s.hardware.attention_flops * c.exp(c[kAttention]));
  if (w.recurrent_units > 0) t.recurrent = w.recurrent_units * 1e-12 * c.exp(c[kRecurrent]);
  if (w.exchange_bytes > 0) t.exchange = w.exchange_bytes / (s.hardware.link_bytes_per_s * c.exp(c[kLink]));
  if (w.host_bytes > 0) t.host = w.host_bytes / (s.hardware.host_bytes_per_s * c.exp(c[kPrefillHost]));
  t.fixed = c.exp(c[kPrefillFixed] + kLogMilli);
  t.total = c.soft_max(t.matmul, t.read, 3) + t.layers + t.attention + t.recurrent + t.exchange + t.host + t.fixed;
  if (power_capped) t.total *= c.exp(c[kPrefillPowerCap]);
  return t;
}

}  // namespace whichgpu::speed
