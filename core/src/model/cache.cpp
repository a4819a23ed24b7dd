#include <algorithm>

#include "whichgpu/model_math.hpp"

namespace whichgpu {
namespace {

constexpr double kStateBytes = 4;  // recurrent states are kept in fp32 …
constexpr double kConvBytes = 2;   // … and the last inputs of the short convolution in 16 bit

/// Layers of a group that keep a cache of their own.
double own_layers(const Model& m, const LayerGroup& g, bool groups_mark_sharing) {
  if (g.kv_shared) return 0;
  if (groups_mark_sharing || m.num_kv_shared_layers <= 0 || m.num_layers <= 0) return g.count;
  // Only the number of sharing layers is known: spread over the groups (exact where they alternate, as in Gemma 3n).
  return g.count - g.count * double(m.num_kv_shared_layers) / m.num_layers;
}

CacheKind attention_kind(const Model& m, const LayerGroup& g, double own) {
  CacheKind k;
  const double nh = g.num_heads > 0 ? g.num_heads : m.num_attention_heads, nkv = g.num_kv_heads > 0 ? g.num_kv_heads : m.num_kv_heads;
  const double hd = g.head_dim > 0 ? g.head_dim : m.head_dim, vd = g.v_head_dim > 0 ? g.v_head_dim : hd;
  k.elements_per_token = own * nkv * (hd + vd);  // keys and values are both kept, also where they come from one matrix
  if (g.mixer != Mixer::kAttention) k.window = m.sliding_window;
  k.flops_per_position_prefill = k.flops_per_position_decode = 2 * nh * (hd + vd) * g.count;
  return k;
}

CacheKind latent_kind(const Model& m, const LayerGroup& g) {
  CacheKind k;
  const Mla& a = *m.mla;
  const double nh = g.num_heads > 0 ? g.num_heads : m.num_attention_heads, n = g.count;
  k.elements_per_token = n * (a.kv_lora_rank + a.qk_rope_head_dim);
  k.flops_per_position_prefill = 2 * nh * (a.qk_nope_head_dim + a.qk_rope_head_dim + a.v_head_dim) * n;
  k.flops_per_position_decode = 2 * nh * (2.0 * a.kv_lora_rank + a.qk_rope_head_dim) * n;
  if (m.sparse_indexer) {
    const SparseIndexer& x = *m.sparse_indexer;
    k.top_k = x.topk;
    if (g.indexer) {  // layers without an indexer of their own take the choice of an earlier one
      k.index_elements_per_token = n * x.head_dim;
      k.index_flops_per_position = 2.0 * x.num_heads * x.head_dim * n;
    }
  }
  return k;
}

void compressed_kinds(const Model& m, const LayerGroup& g, std::vector<CacheKind>& out) {
  const V4& v = *m.v4;
  const double nh = g.num_heads > 0 ? g.num_heads : m.num_attention_heads, hd = m.head_dim, n = g.count;
  CacheKind near;  // every layer sees its last `sliding_window` tokens in full
  near.mixer = Mixer::kV4;
  near.layers = n;
  near.elements_per_token = n * hd;
  near.window = m.sliding_window;
  near.flops_per_position_prefill = near.flops_per_position_decode = 4 * nh * hd * n;
  out.push_back(near);
  if (g.compress_ratio <= 0) return;
  CacheKind far = near;  // and, compressed, all the tokens before
  far.layers = 0;        // the same layers: counted once
  far.window = 0;
  far.stride = g.compress_ratio;
  if (g.compress_ratio == 4) {
    far.index_elements_per_token = n * v.index_head_dim;
    far.index_flops_per_position = 2.0 * v.index_num_heads * v.index_head_dim * n;
    far.top_k = v.index_topk;
  }
  out.push_back(far);
}

CacheKind recurrent_kind(const Model& m, const LayerGroup& g) {
  CacheKind k;
  const Ssm& s = *m.ssm;
  double state = 0, conv = 0;
  const double kept = std::max(0, s.conv_kernel - 1);
  switch (g.mixer) {
    case Mixer::kGatedDeltaNet:
      state = double(s.num_value_heads) * s.key_head_dim * s.value_head_dim;
      conv = (2.0 * s.num_key_heads * s.key_head_dim + double(s.num_value_heads) * s.value_head_dim) * kept;
      break;
    case Mixer::kMamba2:
      state = double(s.num_heads) * s.head_dim * s.state_size;
      conv = (double(s.num_heads) * s.head_dim + 2.0 * s.n_groups * s.state_size) * kept;
      break;
    case Mixer::kMamba1:
      state = s.expand * m.hidden_size * s.state_size;
      conv = s.expand * m.hidden_size * kept;
      break;
    case Mixer::kKda:
      state = double(s.num_heads) * s.head_dim * s.head_dim;
      conv = 3.0 * s.num_heads * s.head_dim * kept;
      break;
    case Mixer::kLightning: state = double(s.num_heads) * s.head_dim * s.head_dim; break;
    case Mixer::kShortConv: conv = m.hidden_size * kept; break;
    default: break;
  }
  k.state_bytes = g.count * (state * kStateBytes + conv * kConvBytes);
  k.state_flops_per_token = g.count * 6 * state;  // decay, rank-one update, read-out: a multiply-add an element each
  return k;
}

}  // namespace

ModelCache cache_of(const Model& m) {
  ModelCache cache;
  cache.encoder = m.kind == "embedding" && !m.has_layers();
  bool groups_mark_sharing = false;
  for (const LayerGroup& g : m.layer_groups) groups_mark_sharing |= g.kv_shared;
  for (const LayerGroup& g : m.layer_groups) {
    CacheKind k;
    switch (g.mixer) {
      case Mixer::kAttention:
      case Mixer::kSliding:
      case Mixer::kChunked: k = attention_kind(m, g, own_layers(m, g, groups_mark_sharing)); break;
      case Mixer::kCross: {
        const CacheKind cross = attention_kind(m, g, g.count);
        cache.cross_layers += g.count;
        cache.cross_elements_per_position += cross.elements_per_token;
        continue;
      }
      case Mixer::kMla:
        if (!m.mla) continue;
        k = latent_kind(m, g);
        break;
      case Mixer::kV4:
        if (m.v4) compressed_kinds(m, g, cache.kinds);
        continue;
      case Mixer::kNone: continue;
      default:
        if (!m.ssm) continue;
        k = recurrent_kind(m, g);
    }
    k.mixer = g.mixer;
    k.layers = g.count;
    cache.kinds.push_back(k);
  }
  // Encoders attend to a sequence once and keep nothing. Embedding models that are decoders run the same way.
  if (m.kind == "embedding") {
    cache.encoder = true;
    for (CacheKind& k : cache.kinds) k.elements_per_token = 0;
  }
  return cache;
}

double ModelCache::growing_elements_per_token() const {
  double n = 0;
  for (const CacheKind& k : kinds)
    if (k.window <= 0) n += (k.elements_per_token + k.index_elements_per_token) / k.stride;
  return n;
}

double ModelCache::windowed_elements_per_token() const {
  double n = 0;
  for (const CacheKind& k : kinds)
    if (k.window > 0) n += k.elements_per_token;
  return n;
}

double ModelCache::state_bytes_per_sequence() const {
  double n = 0;
  for (const CacheKind& k : kinds) n += k.state_bytes;
  return n;
}

double ModelCache::elements(double tokens, double window_extra) const {
  double n = 0;
  for (const CacheKind& k : kinds) {
    const double kept = k.window > 0 && window_extra >= 0 ? std::min(tokens, k.window + window_extra) : tokens;
    n += (k.elements_per_token + k.index_elements_per_token) * kept / k.stride;
  }
  return n;
}

double ModelCache::elements_read(double context) const {
  double n = 0;
  for (const CacheKind& k : kinds) {
    double seen = (k.window > 0 ? std::min(context, k.window) : context) / k.stride;
    n += k.index_elements_per_token * seen;
    if (k.top_k > 0) seen = std::min(seen, k.top_k);
    n += k.elements_per_token * seen;
  }
  return n;
}

double ModelCache::decode_flops(double context) const {
  double f = 0;
  for (const CacheKind& k : kinds) {
    double seen = (k.window > 0 ? std::min(context, k.window) : context) / k.stride;
    f += k.index_flops_per_position * seen + k.state_flops_per_token;
    if (k.top_k > 0) seen = std::min(seen, k.top_k);
    f += k.flops_per_position_decode * seen;
  }
  return f;
}

double ModelCache::prefill_flops(double tokens, double past) const {
  // The i-th new token sees past + i positions, at most `limit`: the sum over i in closed form.
  const auto positions_seen = [&](double limit) {
    const double first = past, last = past + tokens;
    if (limit <= 0 || last <= limit) return tokens * (first + last) / 2;
    if (first >= limit) return tokens * limit;
    return (limit - first) * (first + limit) / 2 + (last - limit) * limit;
  };
  double f = 0;
  for (const CacheKind& k : kinds) {
    const double all = positions_seen(k.window) / k.stride;
    const double seen = k.top_k > 0 ? positions_seen(k.top_k * k.stride) / k.stride : all;
    f += k.index_flops_per_position * all + k.flops_per_position_prefill * seen + k.state_flops_per_token * tokens;
  }
  return f;
}

}  // namespace whichgpu
