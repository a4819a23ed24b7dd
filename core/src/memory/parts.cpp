#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "memory/inference.hpp"
#include "whichgpu/math.hpp"
#include "whichgpu/units.hpp"

namespace whichgpu::memory {
namespace {

bool has(const std::vector<std::string>& words, const char* word) { return std::find(words.begin(), words.end(), word) != words.end(); }

constexpr double kUbatch = 512;           // llama.cpp: default n_ubatch
constexpr double kCellPadding = 256;      // llama.cpp: windowed caches are padded to this many cells
constexpr double kMlxChunk = 512;         // mlx-lm: logits of one chunk of a prompt live at once
constexpr double kPromptChunk = 2048;     // mlx-lm (prefill_step_size) and ExLlama (max_input_len): activations of a chunk
constexpr double kVllmBatch = 8192;       // vLLM: default max_num_batched_tokens of its server on large cards …
constexpr double kVllmSmallBatch = 2048;  // … and on cards below 70 GiB
constexpr double kVllmLargeCardGib = 70;
constexpr double kVllmSequences = 256;    // vLLM: sequences whose logits the profile run holds
constexpr double kWholeWindowsBefore = 2026;      // vLLM 0.13 (December 2025) still kept whole pages for windowed layers
constexpr double kLastLogitsOnlySince = 2024.75;  // Transformers 4.45: logits of the last prompt token only
constexpr double kActivationBytes = 2;            // 16 bit

/// Bytes of activations that live at once per token: the feed-forward part's three vectors beside four of the model's width.
double torch_activations(double ffn, double hidden) { return kActivationBytes * (3 * ffn + 4 * hidden); }

}  // namespace

Style style_of(const Engine* e) {
  if (!e) return Style::kTorch;
  if (starts_with(e->id, "exllama") || e->id == "tabbyapi") return Style::kExl;  // others can load the format too
  if (e->kv_paging_rule == "paged") return Style::kPaged;
  if (has(e->formats, "gguf") && !has(e->formats, "plain")) return Style::kGguf;
  if (has(e->formats, "mlx")) return Style::kMlx;
  return Style::kTorch;
}

Plan plan_of(const Model& m, const Quant& quant, const Engine* engine) {
  Plan p;
  p.model = &m;
  p.style = style_of(engine);
  p.weights = weight_bytes(m, quant);
  p.cache = cache_of(m);
  p.latent = m.mla.has_value();
  for (const LayerGroup& g : m.layer_groups) {
    double width = 0;
    if (g.ffn == Ffn::kDense || g.ffn == Ffn::kDenseAndMoe) width += g.intermediate_size > 0 ? g.intermediate_size : m.intermediate_size;
    if (m.moe && (g.ffn == Ffn::kMoe || g.ffn == Ffn::kDenseAndMoe)) {
      const Moe& e = *m.moe;
      const double shared = e.shared_expert_intermediate_size > 0 ? e.shared_expert_intermediate_size : e.num_shared_experts * e.expert_intermediate_size;
      width += e.experts_per_token * e.expert_intermediate_size + shared;
    }
    p.ffn_width = std::max(p.ffn_width, width);
  }
  const WeightBytes& w = p.weights;
  // llama.cpp and ExLlama look input rows up in host memory; a tied table is on the GPU as the output matrix.
  if (p.style == Style::kGguf || p.style == Style::kExl) p.host_weights = w.embedding + w.lookup;
  p.resident_weights = w.total - w.towers - p.host_weights;
  // gpt-fast quantises the output matrix with the layers, and prints its model's size without the input table.
  p.square_mask = engine && (engine->id == "gpt-fast" || engine->id == "torchao");
  if (p.square_mask && quant.family != "plain" && !m.tie_embeddings) {
    const double layer_bits = bits_of(m, quant, {TensorClass::kFfnGateUp, 1, m.hidden_size, 1, 0, 1});
    const double head_bits = bits_of(m, quant, {TensorClass::kOutput, 1, m.hidden_size, 1, -1, 1});
    if (layer_bits < head_bits) p.resident_weights -= w.output * (1 - layer_bits / head_bits);
  }
  // vLLM pads experts of MXFP4 to the kernels' tiles of 256 in both directions.
  if (p.style == Style::kPaged && m.moe && quant.family == "mxfp4") {
    const auto padded = [](double n) { return n > 0 ? std::ceil(n / 256) * 256 / n : 1; };
    const double extra = w.experts * (padded(m.hidden_size) * padded(m.moe->expert_intermediate_size) - 1);
    p.resident_weights += extra;
    p.weights.experts += extra;
  }
  return p;
}

Parts parts_of(const Plan& p, const Sizes& s, bool all_gpus) {
  Parts out;
  const Model& m = *p.model;
  const double t = s.tensor, copies = all_gpus ? t * s.stages : 1;
  out.gpus = copies;

  // Layers are whole: the fullest stage has ceil((layers + 1) / stages) of them, where the output matrix counts as one.
  const double layers = std::max(1, m.num_layers);
  const double stage_layers = s.stages > 1 ? std::min(layers, std::ceil((layers + 1) / s.stages)) : layers;
  const double stage_share = all_gpus ? 1 : stage_layers / layers;
  const double in_layers = p.weights.layers + p.weights.experts, outside = std::max(0.0, p.resident_weights - in_layers);
  if (all_gpus || s.stages == 1) {
    out.weights = p.resident_weights / (all_gpus ? 1 : t);
  } else {
    const double last_layers = std::max(0.0, layers - stage_layers * (s.stages - 1));
    out.weights = std::max(in_layers * stage_share, in_layers * last_layers / layers + outside) / t;
  }
  if (s.expert > s.tensor && !all_gpus) out.weights -= p.weights.experts * stage_share * (1 / t - 1.0 / s.expert);
  if (s.unified) out.weights += p.host_weights;
  if (s.tower) out.towers = p.weights.towers * (p.style == Style::kPaged ? copies : 1);  // every tensor-parallel card has a copy

  // Cache heads are shared among `tensor` GPUs; beyond the number of key/value heads, and for latent caches, they are copied.
  const double shares = p.latent ? 1 : std::min(t, double(std::max(1, m.num_kv_heads)));
  const double scale = s.sequences * s.kv_bits / 8 * stage_share / shares * (all_gpus ? t : 1);
  if (!p.cache.encoder) {
    double window_extra = 0;
    if (p.style == Style::kPaged) window_extra = s.year < kWholeWindowsBefore ? -1 : kVllmBatch - 1;
    if (p.style == Style::kExl) window_extra = -1;
    out.cache = p.cache.elements(s.tokens, window_extra) * scale;
    if (p.style == Style::kGguf) {  // windowed layers keep the window and one micro-batch, in whole pads
      double padding = 0;
      for (const CacheKind& k : p.cache.kinds) {
        if (k.window <= 0 || s.tokens <= k.window) continue;
        const double cells = std::ceil((k.window + kUbatch) / kCellPadding) * kCellPadding;
        padding += k.elements_per_token / k.stride * (std::min(s.tokens, cells) - k.window);
      }
      out.cache_padding = padding * scale;
    }
    out.state = p.cache.state_bytes_per_sequence() * s.sequences * stage_share / (all_gpus ? 1 : t);
  }

  // Working memory.
  const double h = m.hidden_size, f = p.ffn_width, heads = std::max(1, m.num_attention_heads), prompt = std::max(s.prompt, 1.0);
  const bool encoder = m.kind == "embedding";
  const double out_width = m.no_lm_head ? 0 : m.vocab_size;
  switch (p.style) {
    case Style::kGguf: {
      // The graph's buffer, fp32, is reused from stage to stage: its widest stage counts, for one micro-batch, on every card.
      const double u = encoder ? prompt : std::min(kUbatch, prompt);
      const double ffn = 4 * (2 * f + 2 * h);
      const double scores = encoder ? 2 * 4 * heads * u : p.latent ? 2 * 4 * heads * s.tokens : 0;  // where flash attention is not used
      // Scores and mask have exact sizes; the rest of the graph is fitted. Only the widest stage needs room.
      if (scores > ffn && scores > 4 * out_width) out.mask = u * scores * copies;
      else if (4 * out_width > ffn) out.logits = u * 4 * out_width * copies;
      else out.activations = u * ffn * copies;
      out.mask += u * 2 * (encoder ? u : s.tokens) * copies;
      break;
    }
    case Style::kExl:
      out.activations = std::min(kPromptChunk, prompt) * torch_activations(f / t, h) * copies;
      out.logits = 2 * out_width * copies;
      break;
    case Style::kPaged:
      out.activations = (s.gpu_gib >= kVllmLargeCardGib || s.gpu_gib <= 0 ? kVllmBatch : kVllmSmallBatch) * torch_activations(f / t, h) * copies;
      out.logits = kVllmSequences * out_width * 4 * copies;
      break;
    case Style::kMlx:
      out.activations = std::min(kPromptChunk, prompt) * torch_activations(f, h) * copies;
      out.logits = std::min(kMlxChunk, prompt) * out_width * 8 * copies;  // 16 bit, an fp32 copy and its soft-max
      break;
    case Style::kTorch: {
      const double u = prompt * s.sequences;
      out.activations = u * torch_activations(f / t, h) * copies;
      out.logits = (s.year > 0 && s.year < kLastLogitsOnlySince ? u : s.sequences) * out_width * 6;  // 16 bit and an fp32 copy
      if (p.square_mask) out.mask = s.tokens * s.tokens * copies;
      break;
    }
  }
  return out;
}

const DomainSpec& spec() {
  // Weights and caches are arithmetic, so nothing is fitted to them; working memory is known within a factor.
  static const DomainSpec s{
      "inference_memory",
      {"engine", "family", "vendor", "engine_vendor", "metric", "engine_metric"},
      {{"activations_factor", 0.0, 0.4, {{kEngineLevel, 0.6}}},
       {"logits_factor", 0.0, 0.3, {{kEngineLevel, 0.4}}},
       {"overhead_gib", -1.0, 0.6, {{kEngineLevel, 0.6}, {kVendorLevel, 0.3}, {kEngineVendorLevel, 0.3}}},
       {"pool_share", -0.08, 0.04, {{kEngineLevel, 0.03}}}},
      {kEngineLevel, kMetricLevel, kEngineMetricLevel}};
  return s;
}

KeyNames key_names_of(const Engine* engine, const Quant* quant, const Gpu* gpu, const char* metric) {
  KeyNames n;
  if (engine) n.at[kEngineLevel] = engine->id;
  if (quant) n.at[kFamilyLevel] = quant->family;
  if (gpu) n.at[kVendorLevel] = gpu->vendor;
  if (engine && gpu) n.at[kEngineVendorLevel] = engine->id + "|" + gpu->vendor;
  n.at[kMetricLevel] = metric;
  if (engine) n.at[kEngineMetricLevel] = engine->id + "|" + metric;
  return n;
}

Keys keys_of(const KeyNames& names) {
  Keys k;
  for (int level = 0; level < kLevels; ++level) k.at[level] = key_of(names.at[level]);
  return k;
}

double total_bytes(const Parts& p, CoefficientView c) {
  return p.weights + p.towers + p.cache + p.cache_padding + p.state + p.mask +
         p.activations * c.exp(c[kActivationsFactor]) + p.logits * c.exp(c[kLogitsFactor]) + p.gpus * kBytesPerGib * c.exp(c[kOverheadGib]);
}

bool has_unified_memory(const Gpu& gpu) { return gpu.vendor == "Apple"; }

double capacity_gib(const Gpu& gpu) {
  if (gpu.memory_gib_cuda_linux) return *gpu.memory_gib_cuda_linux;
  return gpu.memory_gib_usable.value_or(gpu.memory_gb.value_or(0));
}

}  // namespace whichgpu::memory
