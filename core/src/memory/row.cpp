#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "memory/inference.hpp"
#include "whichgpu/domain.hpp"
#include "whichgpu/math.hpp"
#include "whichgpu/scenario.hpp"
#include "whichgpu/units.hpp"

namespace whichgpu::memory {
namespace {

using Metric = RowQuestion::Metric;

constexpr double kShortRun = 512;         // tokens, where a row does not say: benchmarks' usual prompt
constexpr double kLongestOutput = 2048;   // of a stated context, where a row does not split it: at most half, at most this

/// Bytes of a unit, 0 when it is none.
double bytes_of(const std::string& unit) {
  if (unit == "gib") return kBytesPerGib;
  if (unit == "mib") return kBytesPerGib / 1024;
  if (unit == "gb") return kBytesPerGb;
  if (unit == "mb") return 1e6;
  return 0;
}

bool metric_of(const std::string& name, Metric& out) {
  struct Known { const char* name; Metric metric; };
  for (const Known& k : {Known{"peak_vram", Metric::kPeak}, Known{"weights", Metric::kWeights}, Known{"file_size", Metric::kFile}, Known{"kv_cache", Metric::kCache},
                         Known{"compute_buffer", Metric::kBuffer}, Known{"max_context", Metric::kTokens}, Known{"max_seq_len", Metric::kTokens}, Known{"fits", Metric::kFits}})
    if (name == k.name) {
      out = k.metric;
      return true;
    }
  return false;
}

/// torch.cuda's own peak of one device is what these programs print, whatever the number of GPUs.
bool prints_one_device(const Conditions& c) { return c.engine && c.engine->id == "litgpt"; }

}  // namespace

bool is_memory_metric(const std::string& metric) {
  Metric ignored;
  return metric_of(metric, ignored);
}

bool row_question(const Conditions& c, RowQuestion& q, std::string& why_not) {
  if (!metric_of(c.metric, q.metric)) { why_not = "metric is not inference memory"; return false; }
  if (!c.model) { why_not = "model not in the catalog"; return false; }
  if (!c.model->has_layers()) { why_not = "model without layers"; return false; }
  if (!c.quant) { why_not = "precision not known"; return false; }
  q.unit_bytes = bytes_of(c.unit);
  if (q.unit_bytes <= 0 && q.metric != Metric::kTokens && q.metric != Metric::kFits) { why_not = "unit not known"; return false; }
  q.plan = plan_of(*c.model, *c.quant, c.engine);
  q.names = key_names_of(c.engine, c.quant, c.gpu, c.metric.c_str());
  q.keys = keys_of(q.names);
  if (c.gpu) q.capacity_bytes = capacity_gib(*c.gpu) * kBytesPerGib;
  if (q.metric == Metric::kTokens || q.metric == Metric::kFits)
    if (q.capacity_bytes <= 0) { why_not = "GPU not in the catalog"; return false; }

  Sizes& s = q.sizes;
  const Figure prompt = c.prompt_tokens, output = c.output_tokens;
  if (c.context_tokens) s.tokens = *c.context_tokens;
  else if (prompt || output) s.tokens = prompt.value_or(0) + output.value_or(0) + c.depth_tokens.value_or(0);
  else s.tokens = kShortRun;
  s.prompt = prompt ? *prompt : std::max(1.0, s.tokens - std::min(output.value_or(kLongestOutput), s.tokens / 2));
  if (q.plan.style == Style::kGguf) s.prompt = kShortRun;  // the graph is reserved for a full micro-batch
  s.sequences = c.concurrency.value_or(1);
  if (q.plan.style == Style::kGguf) s.sequences = 1;  // one cache of the stated context, shared by the slots
  const auto bits = kv_bits(c.kv_precision);
  if (!bits) { why_not = "cache precision not known"; return false; }
  s.kv_bits = *bits;
  s.year = c.year;
  if (c.gpu) {
    s.gpu_gib = capacity_gib(*c.gpu);
    s.unified = has_unified_memory(*c.gpu);
  }
  // A paged engine starts when one sequence of the stated length goes in; further ones wait for pages.
  if (q.plan.style == Style::kPaged && (q.metric == Metric::kFits || q.metric == Metric::kTokens)) s.sequences = 1;
  if (q.plan.style == Style::kPaged) s.tensor = c.gpu_count;
  else s.stages = c.gpu_count;
  // Text benchmarks of llama.cpp, ExLlama and MLX do not load the vision part.
  s.tower = q.plan.style == Style::kPaged || q.plan.style == Style::kTorch;
  if (q.metric == Metric::kCache && q.plan.style == Style::kPaged) q.metric = Metric::kPool;
  const bool per_gpu = c.has(kPerGpu) || c.gpu_count == 1 || q.metric == Metric::kFits || q.metric == Metric::kTokens || (prints_one_device(c) && !c.has(kTotal));
  q.parts = parts_of(q.plan, s, !per_gpu);
  if (q.metric == Metric::kPool && q.capacity_bytes <= 0) { why_not = "GPU not in the catalog"; return false; }
  return true;
}

double row_log_value(const RowQuestion& q, CoefficientView c) {
  const Parts& p = q.parts;
  double bytes = 0;
  switch (q.metric) {
    case Metric::kPeak: bytes = total_bytes(p, c); break;
    case Metric::kWeights: bytes = p.weights + p.towers - (q.plan.square_mask ? q.plan.weights.embedding : 0); break;
    case Metric::kFile: bytes = p.weights + (q.sizes.unified ? 0 : q.plan.host_weights); break;
    case Metric::kCache: bytes = p.cache + p.cache_padding + p.state; break;
    case Metric::kBuffer:
      bytes = q.plan.style == Style::kPaged ? p.gpus * kBytesPerGib * exp(c[kOverheadGib]) : p.activations * exp(c[kActivationsFactor]) + p.logits * exp(c[kLogitsFactor]);
      break;
    case Metric::kPool:
    case Metric::kTokens: {
      Parts rest = p;
      rest.cache = rest.cache_padding = rest.state = 0;
      const double pool = q.capacity_bytes * p.gpus * exp(c[kPoolShare]) - total_bytes(rest, c);
      bytes = std::max(pool, 0.01 * q.capacity_bytes);
      if (q.metric == Metric::kTokens) {
        Sizes one = q.sizes;
        one.sequences = 1;
        const Parts full = parts_of(q.plan, one, false);
        const double per_token = (full.cache + full.cache_padding) / one.tokens;
        return log(per_token > 0 ? std::max(1.0, bytes / per_token) : 1.0);
      }
      break;
    }
    case Metric::kFits: return log(total_bytes(p, c) / q.capacity_bytes);
  }
  return log(bytes / q.unit_bytes);
}

RowEstimate estimate_row(const Conditions& c) {
  RowQuestion q;
  std::string why_not;
  if (!row_question(c, q, why_not)) return RowEstimate::not_modelled(why_not);
  const DomainCalibration& calibration = c.catalog->calibration.domain(spec().name);
  const Predicted p = predict_with_interval(calibration, spec(), q.keys, [&](CoefficientView k) { return row_log_value(q, k); });
  RowEstimate e;
  e.modelled = true;
  e.value = p.value;
  e.p10 = p.p10;
  e.p90 = p.p90;
  if (q.metric == Metric::kFits) {
    e.word = p.value <= 1 || c.has(kOffloadFlag) ? "yes" : "no";
  }
  return e;
}

}  // namespace whichgpu::memory
