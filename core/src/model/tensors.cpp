#include <string_view>

#include "whichgpu/model_math.hpp"

// Shapes as in the published reference implementations (Hugging Face transformers); check: tests/core/model_math_test.cpp
// recomputes params_total of every catalog model that has layer groups.
namespace whichgpu {
namespace {

bool is_gated(std::string_view ffn) { return ffn == "swiglu" || ffn == "geglu" || ffn == "swiglu_oai" || ffn == "situ"; }

double norm_size(const Model& m) {
  if (m.norm_kind == "layernorm") return 2 * m.hidden_size;  // weight and bias
  if (m.norm_kind == "nonparametric") return 0;
  return m.hidden_size;
}

class Builder {
 public:
  explicit Builder(const Model& model) : m_(model), h_(model.hidden_size), matrices_(is_gated(model.ffn_kind) ? 3 : 2) {}

  std::vector<Tensor> build() {
    outside_layers();
    for (std::size_t i = 0; i < m_.layer_groups.size(); ++i) {
      group_ = static_cast<int>(i);
      layers_ = m_.layer_groups[i].count;
      layer(m_.layer_groups[i]);
    }
    group_ = -1;
    layers_ = 1;
    if (m_.v4) {  // head of the hyper-connections
      const double c = m_.v4->hc_mult;
      add(TensorClass::kExtra, c * c * h_ + c + 1, h_);
    }
    add(TensorClass::kVision, m_.vision_params.value_or(0), h_);
    add(TensorClass::kAudio, m_.audio_params.value_or(0), h_);
    add(TensorClass::kLookup, m_.lookup_params.value_or(0), m_.per_layer_embedding_dim > 0 ? m_.per_layer_embedding_dim : h_);
    for (const auto& other : m_.other_params) add(TensorClass::kOther, other.second, h_);
    return std::move(out_);
  }

 private:
  void add(TensorClass kind, double params, double row_width, double active_share = 1) {
    if (params > 0 && layers_ > 0) out_.push_back({kind, params, row_width, layers_, group_, active_share});
  }

  void outside_layers() {
    const double e = m_.embedding_size > 0 ? m_.embedding_size : h_;
    add(TensorClass::kTokenEmbedding, m_.vocab_size * e, e);
    if (e != h_) add(TensorClass::kOther, 2 * h_ * e, e);  // projections in and out
    add(TensorClass::kPositions, (m_.learned_positions + m_.token_types) * h_, h_);
    if (!m_.tie_embeddings && !m_.no_lm_head) add(TensorClass::kOutput, m_.vocab_size * h_, h_);
    if (m_.lm_head_bias) add(TensorClass::kNorm, m_.vocab_size, m_.vocab_size);
    add(TensorClass::kNorm, (m_.final_norms < 0 ? 1 : m_.final_norms) * norm_size(m_), h_);
  }

  void layer(const LayerGroup& g) {
    const int norms = m_.norms_per_layer >= 0 ? m_.norms_per_layer : (g.mixer != Mixer::kNone) + (g.ffn != Ffn::kNone);
    add(TensorClass::kNorm, norms * norm_size(m_), h_);
    add(TensorClass::kExtra, g.extra_per_layer, h_);
    switch (g.mixer) {
      case Mixer::kAttention:
      case Mixer::kSliding:
      case Mixer::kChunked:
      case Mixer::kCross: attention(g); break;
      case Mixer::kMla: latent_attention(g); break;
      case Mixer::kV4: compressed_attention(g); break;
      case Mixer::kMamba1:
      case Mixer::kMamba2:
      case Mixer::kGatedDeltaNet:
      case Mixer::kKda:
      case Mixer::kLightning:
      case Mixer::kShortConv:
        if (m_.ssm) recurrent(g.mixer, *m_.ssm);
        break;
      case Mixer::kNone: break;
    }
    if (g.ffn == Ffn::kDense || g.ffn == Ffn::kDenseAndMoe) {
      const double i = g.intermediate_size > 0 ? g.intermediate_size : m_.intermediate_size;
      add(TensorClass::kFfnGateUp, (matrices_ - 1) * h_ * i, h_);
      add(TensorClass::kFfnDown, h_ * i, i);
      if (m_.mlp_bias) add(TensorClass::kNorm, (matrices_ - 1) * i + h_, h_);
    }
    if (m_.moe && (g.ffn == Ffn::kMoe || g.ffn == Ffn::kDenseAndMoe)) experts(*m_.moe);
  }

  double heads(const LayerGroup& g) const { return g.num_heads > 0 ? g.num_heads : m_.num_attention_heads; }

  void attention(const LayerGroup& g) {
    const double nh = heads(g), nkv = g.num_kv_heads > 0 ? g.num_kv_heads : m_.num_kv_heads;
    const double hd = g.head_dim > 0 ? g.head_dim : m_.head_dim, vd = g.v_head_dim > 0 ? g.v_head_dim : hd;
    const double q = nh * hd, k = g.kv_shared ? 0 : nkv * hd, v = g.kv_shared ? 0 : nkv * vd;
    add(TensorClass::kAttentionQ, h_ * q * (m_.attn_output_gate == "elementwise" ? 2 : 1), h_);
    if (m_.attn_output_gate == "head") add(TensorClass::kAttentionGate, h_ * nh, h_);
    add(TensorClass::kAttentionK, h_ * k, h_);
    if (!g.k_eq_v) add(TensorClass::kAttentionV, h_ * v, h_);
    add(TensorClass::kAttentionOutput, nh * vd * h_, nh * vd);
    double small = 0;
    if (m_.qkv_bias) small += q + k + v;
    if (m_.attn_out_bias) small += h_;
    if (m_.qk_norm == "head") small += g.kv_shared && g.extra_per_layer > 0 ? hd : 2 * hd;  // Gemma's sharing layers have no key norm
    if (m_.qk_norm == "full") small += (nh + nkv) * hd;
    if (m_.attn_sinks) small += nh;
    add(TensorClass::kNorm, small, h_);
  }

  void latent_attention(const LayerGroup& g) {
    if (!m_.mla) return;
    const Mla& a = *m_.mla;
    const double nh = heads(g), r = a.kv_lora_rank, rope = a.qk_rope_head_dim, nope = a.qk_nope_head_dim, vd = a.v_head_dim, q = a.q_lora_rank;
    if (q > 0) {
      add(TensorClass::kLatentQ, h_ * q, h_);
      add(TensorClass::kLatentQ, q * nh * (nope + rope), q);
    } else {
      add(TensorClass::kAttentionQ, h_ * nh * (nope + rope), h_);
    }
    add(TensorClass::kLatentKv, h_ * (r + rope), h_);
    add(TensorClass::kLatentKv, r * nh * (nope + vd), r);
    add(TensorClass::kAttentionOutput, nh * vd * h_, nh * vd);
    if (a.output_gate) add(TensorClass::kAttentionGate, h_ * nh * vd, h_);
    double small = q + r;
    if (m_.sparse_indexer && g.indexer) {
      const SparseIndexer& x = *m_.sparse_indexer;
      add(TensorClass::kIndexer, q * x.num_heads * x.head_dim + h_ * x.head_dim + h_ * x.num_heads, h_);
      small += 2 * x.head_dim;
    }
    add(TensorClass::kNorm, small, h_);
  }

  void compressed_attention(const LayerGroup& g) {  // DeepSeek V4
    if (!m_.v4) return;
    const V4& v = *m_.v4;
    const double nh = heads(g), hd = m_.head_dim, q = v.q_lora_rank, c = v.hc_mult;
    add(TensorClass::kLatentQ, h_ * q, h_);
    add(TensorClass::kLatentQ, q * nh * hd, q);
    add(TensorClass::kLatentKv, h_ * hd, h_);
    add(TensorClass::kAttentionOutput, nh * hd * v.o_lora_rank + v.o_groups * v.o_lora_rank * h_, h_);
    double small = q + hd + nh;
    if (g.compress_ratio > 0) {
      const double overlap = g.compress_ratio == 4 ? 2 : 1;  // the fine compressor looks at two windows
      add(TensorClass::kIndexer, 2 * h_ * overlap * hd, h_);
      small += g.compress_ratio * overlap * hd + hd;
      if (g.compress_ratio == 4) {
        const double ih = v.index_head_dim;
        add(TensorClass::kIndexer, q * v.index_num_heads * ih + h_ * v.index_num_heads + 2 * h_ * 2 * ih, h_);
        small += 4 * 2 * ih + ih;
      }
    }
    add(TensorClass::kNorm, small, h_);
    const double mix = (2 + c) * c;  // hyper-connections around the mixer and the feed-forward part
    add(TensorClass::kExtra, 2 * (mix * c * h_ + mix + 3), h_);
  }

  void recurrent(Mixer mixer, const Ssm& s) {
    const double kernel = s.conv_kernel;
    if (mixer == Mixer::kGatedDeltaNet) {
      const double k = double(s.num_key_heads) * s.key_head_dim, v = double(s.num_value_heads) * s.value_head_dim;
      add(TensorClass::kRecurrentIn, h_ * 2 * (k + v), h_);
      add(TensorClass::kRecurrentSmall, h_ * 2 * s.num_value_heads + (2 * k + v) * kernel + 2 * s.num_value_heads + s.value_head_dim, h_);
      add(TensorClass::kRecurrentOut, v * h_, v);
    } else if (mixer == Mixer::kMamba2) {
      const double d = double(s.num_heads) * s.head_dim, gs = double(s.n_groups) * s.state_size;
      add(TensorClass::kRecurrentIn, h_ * (2 * d + 2 * gs + s.num_heads), h_);
      add(TensorClass::kRecurrentSmall, (d + 2 * gs) * (kernel + 1) + 3 * s.num_heads + d, h_);
      add(TensorClass::kRecurrentOut, d * h_, d);
    } else if (mixer == Mixer::kMamba1) {
      const double d = s.expand * h_, st = s.state_size, dt = s.dt_rank;
      add(TensorClass::kRecurrentIn, h_ * 2 * d, h_);
      add(TensorClass::kRecurrentSmall, d * kernel + d * (dt + 2 * st) + dt * d + 3 * d + d * st + (s.dt_bc_norm ? dt + 2 * st : 0), h_);
      add(TensorClass::kRecurrentOut, d * h_, d);
    } else if (mixer == Mixer::kKda) {
      const double hd = s.head_dim, d = s.num_heads * hd, low_rank = h_ * hd + hd * d;
      add(TensorClass::kRecurrentIn, 3 * h_ * d + low_rank + (s.full_rank_gate ? h_ * d : low_rank), h_);
      add(TensorClass::kRecurrentSmall, 3 * d * kernel + s.num_heads + d + hd + h_ * s.num_heads, h_);
      add(TensorClass::kRecurrentOut, d * h_, d);
    } else if (mixer == Mixer::kLightning) {
      const double d = double(s.num_heads) * s.head_dim;
      add(TensorClass::kRecurrentIn, 4 * h_ * d, h_);
      add(TensorClass::kRecurrentSmall, d, h_);
      add(TensorClass::kRecurrentOut, d * h_, d);
    } else if (mixer == Mixer::kShortConv) {
      add(TensorClass::kRecurrentIn, 3 * h_ * h_, h_);
      add(TensorClass::kRecurrentSmall, h_ * kernel, h_);
      add(TensorClass::kRecurrentOut, h_ * h_, h_);
    }
  }

  void experts(const Moe& e) {
    const double n = e.num_experts, ei = e.expert_intermediate_size, width = e.latent_size > 0 ? e.latent_size : h_;
    const double share = n > 0 ? e.experts_per_token / n : 1;
    add(TensorClass::kRouter, h_ * n, h_);
    add(TensorClass::kExpertGateUp, (matrices_ - 1) * width * ei * n, width, share);
    add(TensorClass::kExpertDown, width * ei * n, ei, share);
    if (e.expert_bias) add(TensorClass::kExpertBias, n * ((matrices_ - 1) * ei + h_), h_, share);
    if (width != h_) add(TensorClass::kExpertLatent, 2 * h_ * width, h_);
    const double shared = e.shared_expert_intermediate_size > 0 ? e.shared_expert_intermediate_size : e.num_shared_experts * ei;
    add(TensorClass::kSharedGateUp, (matrices_ - 1) * h_ * shared, h_);
    add(TensorClass::kSharedDown, h_ * shared, shared);
    add(TensorClass::kNorm, (e.router_bias ? n : 0) + e.router_extra + (e.shared_gate ? h_ : 0), h_);
  }

  const Model& m_;
  double h_;
  double matrices_;  // of a feed-forward block: gated 3, plain 2
  int group_ = -1;
  double layers_ = 1;
  std::vector<Tensor> out_;
};

}  // namespace

std::vector<Tensor> tensors_of(const Model& model) {
  if (!model.has_layers()) return {};
  return Builder(model).build();
}

ParamCount count_params(const Model& model) {
  ParamCount c;
  for (const Tensor& t : tensors_of(model)) {
    const double n = t.params * t.layers;
    c.total += n;
    bool active = true;
    switch (t.kind) {
      case TensorClass::kTokenEmbedding: c.embedding += n; break;
      case TensorClass::kOutput: c.output += n; break;
      case TensorClass::kNorm: c.norms += n; break;
      case TensorClass::kAttentionQ: case TensorClass::kAttentionK: case TensorClass::kAttentionV: case TensorClass::kAttentionOutput:
      case TensorClass::kAttentionGate: case TensorClass::kLatentQ: case TensorClass::kLatentKv:
      case TensorClass::kIndexer: c.attention += n; break;
      case TensorClass::kRecurrentIn: case TensorClass::kRecurrentOut: case TensorClass::kRecurrentSmall: c.recurrent += n; break;
      case TensorClass::kFfnGateUp: case TensorClass::kFfnDown: c.dense_ffn += n; break;
      case TensorClass::kRouter: c.router += n; break;
      case TensorClass::kExpertGateUp: case TensorClass::kExpertDown: case TensorClass::kExpertBias: c.experts += n; break;
      case TensorClass::kSharedGateUp: case TensorClass::kSharedDown: case TensorClass::kExpertLatent: c.shared_experts += n; break;
      case TensorClass::kVision: c.vision += n; active = false; break;
      case TensorClass::kAudio: c.audio += n; active = false; break;
      case TensorClass::kLookup: c.lookup += n; active = false; break;
      case TensorClass::kPositions: case TensorClass::kExtra: case TensorClass::kOther: c.other += n; break;
    }
    if (active) c.active += n * t.active_share;
  }
  c.active_matmul = c.active - (model.tie_embeddings ? 0 : c.embedding);
  return c;
}

TokenFlops token_flops(const Model& model) {
  TokenFlops f;
  if (!model.has_layers()) {
    f.layers = 2 * model.params_active_matmul;
    return f;
  }
  for (const Tensor& t : tensors_of(model)) {
    const double n = t.params * t.layers * t.active_share;
    switch (t.kind) {
      case TensorClass::kTokenEmbedding:
        if (model.tie_embeddings && !model.no_lm_head) f.output += 2 * n;
        break;
      case TensorClass::kOutput: f.output += 2 * n; break;
      case TensorClass::kPositions: case TensorClass::kNorm: case TensorClass::kExpertBias: case TensorClass::kVision:
      case TensorClass::kAudio: case TensorClass::kLookup: break;
      default: f.layers += 2 * n;
    }
  }
  return f;
}

}  // namespace whichgpu
