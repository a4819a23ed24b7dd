#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "memory/inference.hpp"
#include "whichgpu/domain.hpp"
#include "whichgpu/estimate.hpp"
#include "whichgpu/math.hpp"

namespace whichgpu {
namespace {

using memory::Parts;
using memory::Plan;
using memory::Sizes;
using memory::Style;

constexpr double kTightShare = 0.05;      // below 5 % free is "tight" (the contract)
constexpr double kContextGib = 0.4;       // CUDA or ROCm context, where the fitted overhead is torch's own peak, without it
constexpr double kLargestContext = 134217728;  // 2^27: where the search for the largest context ends
constexpr int kLargestGpuCount = 1024;

/// What a question needs for some sizes, all terms of one GPU in bytes.
struct Need {
  Parts parts, draft;
  double context = 0;
  double total = 0;
};

class Room {
 public:
  Room(const Question& q) : q_(q), plan_(memory::plan_of(*q.model, *q.quant, q.engine)) {
    if (q.draft_model && q.quant) draft_ = memory::plan_of(*q.draft_model, *q.quant, q.engine);
    const DomainCalibration& calibration = q.catalog->calibration.domain(memory::spec().name);
    names_ = memory::key_names_of(q.engine, q.quant, q.gpu, "peak_vram");
    keys_ = memory::keys_of(names_);
    coefficients_ = calibration.resolve(memory::spec(), keys_);
    activations_ = exp(coefficients_.value[memory::kActivationsFactor]);
    logits_ = exp(coefficients_.value[memory::kLogitsFactor]);
    overhead_ = exp(coefficients_.value[memory::kOverheadGib]);
    const Scenario& s = q.scenario;
    sizes_.tokens = q.kv_tokens();
    sizes_.prompt = s.prompt_tokens;
    sizes_.sequences = std::ceil(s.concurrency / std::max(1, s.parallelism.data));  // of one copy of the model
    sizes_.kv_bits = kv_bits(s.precision.kv_cache).value_or(16);
    sizes_.tensor = std::max(1, s.parallelism.tensor);
    sizes_.stages = std::max(1, s.parallelism.pipeline);
    sizes_.expert = std::max(1, s.parallelism.expert);
    sizes_.gpu_gib = memory::capacity_gib(*q.gpu);
    sizes_.unified = memory::has_unified_memory(*q.gpu);
    if (plan_.style == Style::kGguf) sizes_.prompt = std::max(sizes_.prompt, 512.0);  // the graph is reserved for a full micro-batch
    const bool discrete = q.gpu->vendor == "NVIDIA" || q.gpu->vendor == "AMD";
    if (plan_.style == Style::kTorch && discrete) context_ = kContextGib * kBytesPerGib;
  }

  const Plan& plan() const { return plan_; }
  const Sizes& sizes() const { return sizes_; }
  const double* factors() const { return coefficients_.value; }

  Need need(const Sizes& s) const {
    Need n;
    n.parts = memory::parts_of(plan_, s, false);
    n.context = context_;
    n.total = total(n.parts) + n.context;
    if (draft_.model) {
      Sizes own = s;
      own.tower = false;
      n.draft = memory::parts_of(draft_, own, false);
      n.draft.gpus = 0;  // one runtime serves both
      n.total += total(n.draft);
    }
    return n;
  }

  /// memory::total_bytes with the exponentials taken once: the searches below ask a hundred times.
  double total(const Parts& p) const {
    return p.weights + p.towers + p.cache + p.cache_padding + p.state + p.mask + p.activations * activations_ + p.logits * logits_ +
           p.gpus * kBytesPerGib * overhead_;
  }

  /// p10 and p90 of the need, in bytes.
  LogInterval interval(const Sizes& s) const {
    const Need n = need(s);
    const auto predict = [&](CoefficientView c) {
      double total = memory::total_bytes(n.parts, c) + n.context;
      if (draft_.model) total += memory::total_bytes(n.draft, c);
      return log(total);
    };
    const Predicted p = predict_with_interval(q_.catalog->calibration.domain(memory::spec().name), memory::spec(), keys_, predict);
    return {p.p10, p.p90};
  }

 private:
  const Question& q_;
  Plan plan_, draft_;
  memory::KeyNames names_;
  Keys keys_;
  Coefficients coefficients_;
  Sizes sizes_;
  double context_ = 0, activations_ = 1, logits_ = 1, overhead_ = 0;
};

/// Largest whole x in [1, limit] for which `fits(x)`, which must not become true again once false; 0 when none.
template <class Fits>
double largest(double limit, Fits&& fits) {
  if (!fits(1.0)) return 0;
  double low = 1, high = 2;
  while (high < limit && fits(high)) {
    low = high;
    high *= 2;
  }
  if (high >= limit) {
    if (fits(limit)) return limit;
    high = limit;
  }
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

std::string gib(double bytes) { return format_number(bytes / kBytesPerGib, 4) + " GiB"; }
std::string times(double factor) { return std::abs(factor - 1) < 5e-4 ? "" : " × " + format_number(factor, 4); }

void add_terms(const Room& room, const Need& n, const Sizes& s, bool explain, MemoryEstimate& out) {
  const double* c = room.factors();
  const Plan& plan = room.plan();
  const Model& m = *plan.model;
  const double activations = exp(c[memory::kActivationsFactor]), logits = exp(c[memory::kLogitsFactor]);
  const auto add = [&](const char* name, double bytes, auto&& formula) {
    if (bytes <= 0) return;
    out.terms.push_back({name, bytes / kBytesPerGib, "GiB", explain ? formula() : std::string()});
  };
  const std::string split = s.tensor > 1 ? " / " + std::to_string(s.tensor) + " GPUs" : s.stages > 1 ? " of the fullest of " + std::to_string(s.stages) + " GPUs" : "";
  add("weights", n.parts.weights, [&] {
    const WeightBytes& w = plan.weights;
    return "(layers " + gib(w.layers) + (w.experts > 0 ? " + experts " + gib(w.experts) : "") + " + output matrix " + gib(w.output) +
           (plan.host_weights > 0 ? "; input table " + gib(plan.host_weights) + " in host memory" : w.embedding > 0 ? " + input table " + gib(w.embedding) : "") + ")" + split;
  });
  add("vision_projector", n.parts.towers, [&] { return std::string("vision and audio parts at 16 bit"); });
  add("kv_cache", n.parts.cache, [&] {
    const double growing = plan.cache.growing_elements_per_token(), windowed = plan.cache.windowed_elements_per_token();
    std::string text = format_number(s.sequences) + " sequences × (" + format_number(growing) + " elements × " + format_number(s.tokens) + " tokens";
    if (windowed > 0) text += " + " + format_number(windowed) + " × up to " + format_number(m.sliding_window) + " tokens of the window";
    return text + ") × " + format_number(s.kv_bits) + " bits" + split;
  });
  add("kv_cache_padding", n.parts.cache_padding, [&] { return std::string("windowed layers also keep one micro-batch of 512 tokens, in pads of 256"); });
  add("recurrent_state", n.parts.state, [&] { return format_number(s.sequences) + " sequences × " + gib(plan.cache.state_bytes_per_sequence()) + split; });
  add("activations", n.parts.activations * activations + n.parts.mask, [&] { return "widest layer of one batch of tokens: feed-forward " + format_number(plan.ffn_width) + ", hidden " + format_number(m.hidden_size) + times(activations); });
  add("logits", n.parts.logits * logits, [&] { return "vocabulary " + format_number(m.vocab_size) + " for the tokens whose logits are kept" + times(logits); });
  add("overhead", n.parts.gpus * kBytesPerGib * exp(c[memory::kOverheadGib]), [] { return std::string("runtime, kernels, graphs and workspace, fitted by engine and vendor"); });
  add("runtime_context", n.context, [] { return std::string("driver context of a discrete GPU"); });
  add("draft_model", n.draft.weights > 0 ? room.total(n.draft) : 0, [] { return std::string("weights, cache and working memory of the draft model"); });
}

}  // namespace

MemoryEstimate estimate_memory(const Question& q, std::vector<Warning>& warnings) {
  MemoryEstimate out;
  if (!q.model || !q.quant || !q.gpu || !q.model->has_layers()) {
    warnings.push_back({"memory-unknown", "The memory of this model cannot be computed: its architecture is not in the catalog."});
    return out;
  }
  const Scenario& s = q.scenario;
  const Room room(q);
  const Sizes& sizes = room.sizes();
  const double reserved = s.host.vram_reserved_gib * kBytesPerGib;
  const double capacity = memory::capacity_gib(*q.gpu) * kBytesPerGib - reserved;
  Need n = room.need(sizes);
  const LogInterval interval = room.interval(sizes);

  out.capacity_gib = capacity / kBytesPerGib;
  out.per_gpu_gib = Quantity::between(n.total / kBytesPerGib, interval.p10 / kBytesPerGib, interval.p90 / kBytesPerGib, "GiB");
  if (q.explain) add_terms(room, n, sizes, q.explain, out);
  if (memory::capacity_gib(*q.gpu) <= 0) {
    warnings.push_back({"memory-unknown", "The memory of " + q.gpu->name + " is not known."});
    return out;
  }

  // A mixed box: engines that split by layers give each card layers by its memory; the sum must hold the model.
  if (q.box.size() > 1 && sizes.tensor == 1) {
    double room_bytes = 0;
    int cards = 0;
    for (const auto& [gpu, count] : q.box) {
      room_bytes += count * std::max(0.0, memory::capacity_gib(*gpu) * kBytesPerGib - reserved);
      cards += count;
    }
    const Parts all = memory::parts_of(room.plan(), sizes, true);
    const double total = memory::total_bytes(all, room.factors()) + n.context * cards;
    const double layer = room.plan().weights.largest_layer;  // each card may miss up to one layer of its share
    const double need = total + layer * cards;
    out.verdict = need > room_bytes ? Verdict::kDoesNotFit : need > (1 - kTightShare) * room_bytes ? Verdict::kTight : Verdict::kFits;
  } else {
    out.verdict = n.total > capacity ? Verdict::kDoesNotFit : n.total > (1 - kTightShare) * capacity ? Verdict::kTight : Verdict::kFits;
  }

  // Limits, all else equal.
  const auto fits = [&](const Sizes& x) { return room.need(x).total <= capacity; };
  if (!room.plan().cache.encoder)
    out.max_context_tokens = largest(kLargestContext, [&](double tokens) {
      Sizes x = sizes;
      x.tokens = tokens;
      x.prompt = std::min(x.prompt, std::max(tokens, 1.0));
      return fits(x);
    });
  out.max_concurrency = std::max(1, s.parallelism.data) * largest(1048576, [&](double sequences) {
    Sizes x = sizes;
    x.sequences = sequences;
    return fits(x);
  });
  out.max_batch = out.max_concurrency;
  const bool layers = sizes.tensor == 1 && (room.plan().style == Style::kGguf || room.plan().style == Style::kExl || room.plan().style == Style::kTorch);
  for (int count = 1; count <= kLargestGpuCount; count = layers ? count + 1 : count * 2) {
    Sizes x = sizes;
    const int node = std::min(count, 8);  // tensor parallelism within a node of at most eight
    x.tensor = layers ? 1 : node;
    x.stages = layers ? count : count / node;
    if (layers && count > q.model->num_layers + 1) break;
    if (room.need(x).total <= capacity) {
      out.min_gpu_count = count;
      break;
    }
  }

  // Offload: the share of the weights (with the cache of those layers) that must live in host memory.
  if (out.verdict == Verdict::kDoesNotFit && (s.offload == OffloadKind::kCpu || s.offload == OffloadKind::kExperts)) {
    const double over = n.total - capacity;
    const WeightBytes& w = room.plan().weights;
    const double gpus = double(sizes.tensor) * sizes.stages;
    const bool experts = s.offload == OffloadKind::kExperts && w.experts > 0;
    const double share_of_layers = std::max(1.0, std::ceil((q.model->num_layers + 1.0) / sizes.stages)) / std::max(1, q.model->num_layers);
    // What may move, on the fullest GPU: routed experts, or whole layers with their cache.
    const double movable_weights = (experts ? w.experts : w.layers + w.experts) * std::min(1.0, share_of_layers) / sizes.tensor;
    const double movable_cache = experts ? 0 : n.parts.cache + n.parts.cache_padding + n.parts.state;
    const double movable = movable_weights + movable_cache;
    const double granule = movable / std::max(1.0, std::floor(q.model->num_layers * std::min(1.0, share_of_layers)));
    const double moved = std::ceil(over / granule - 1e-9) * granule;  // whole layers
    const double host = moved * gpus + room.plan().host_weights;
    if (moved <= movable + 1 && host <= s.host.ram_gib * kBytesPerGib) {
      out.verdict = Verdict::kOffload;
      out.offloaded_gib = moved * gpus / kBytesPerGib;
      out.offloaded_layers = std::round(moved / granule) * sizes.stages;
      const double moved_weights = moved * movable_weights / movable * gpus;
      const double read = w.read_per_step(std::max(1.0, s.concurrency));
      const double moved_read = experts ? moved_weights * (w.num_experts > 0 ? w.experts_used(std::max(1.0, s.concurrency)) / w.num_experts : 1)
                                        : moved_weights / std::max(1.0, w.layers + w.experts) * (read - w.output);
      out.offloaded_share = read > 0 ? std::min(1.0, moved_read / read) : 0;
      warnings.push_back({"offload", format_number(out.offloaded_gib, 3) + " GiB stay in host memory; its bandwidth sets the pace."});
    } else if (host > s.host.ram_gib * kBytesPerGib) {
      warnings.push_back({"host-memory", "Offloading needs " + format_number(host / kBytesPerGib, 3) + " GiB of host memory; the scenario has " + format_number(s.host.ram_gib, 3) + " GiB."});
    }
  }
  return out;
}

}  // namespace whichgpu
