#include <algorithm>
#include <cmath>
#include <string_view>

#include "whichgpu/math.hpp"
#include "whichgpu/model_math.hpp"

namespace whichgpu {
namespace {

// ---- GGUF: block types and the rules by which a mix chooses them (llama.cpp, src/llama-quant.cpp) ----

enum class Type { F32, F16, Q8_0, Q6_K, Q5_K, Q5_1, Q5_0, Q4_K, Q4_1, Q4_0, Q3_K, Q2_K, IQ4_NL, IQ4_XS, IQ3_S, IQ3_XXS, IQ2_S, IQ2_XS, IQ2_XXS, IQ1_M, IQ1_S, TQ2_0, TQ1_0, MXFP4 };

struct TypeInfo { double bits; int block; Type fallback; };
// Bits of a weight with its scales (ggml-common.h block layouts), weights in a block, and the type that rows of other
// widths fall back to.
TypeInfo info_of(Type t) {
  switch (t) {
    case Type::F32: return {32, 1, Type::F32};
    case Type::F16: return {16, 1, Type::F16};
    case Type::Q8_0: return {8.5, 32, Type::F16};
    case Type::Q6_K: return {6.5625, 256, Type::Q8_0};
    case Type::Q5_K: return {5.5, 256, Type::Q5_1};
    case Type::Q5_1: return {6, 32, Type::F16};
    case Type::Q5_0: return {5.5, 32, Type::F16};
    case Type::Q4_K: return {4.5, 256, Type::Q5_0};
    case Type::Q4_1: return {5, 32, Type::F16};
    case Type::Q4_0: return {4.5, 32, Type::F16};
    case Type::Q3_K: return {3.4375, 256, Type::Q4_0};
    case Type::Q2_K: return {2.625, 256, Type::Q4_0};
    case Type::IQ4_NL: return {4.5, 32, Type::F16};
    case Type::IQ4_XS: return {4.25, 256, Type::IQ4_NL};
    case Type::IQ3_S: return {3.4375, 256, Type::IQ4_NL};
    case Type::IQ3_XXS: return {3.0625, 256, Type::IQ4_NL};
    case Type::IQ2_S: return {2.5625, 256, Type::IQ4_NL};
    case Type::IQ2_XS: return {2.3125, 256, Type::IQ4_NL};
    case Type::IQ2_XXS: return {2.0625, 256, Type::IQ4_NL};
    case Type::IQ1_M: return {1.75, 256, Type::IQ4_NL};
    case Type::IQ1_S: return {1.5625, 256, Type::IQ4_NL};
    case Type::TQ2_0: return {2.0625, 256, Type::Q4_0};
    case Type::TQ1_0: return {1.6875, 256, Type::Q4_0};
    case Type::MXFP4: return {4.25, 32, Type::F16};
  }
  return {16, 1, Type::F16};
}

double bits_in_rows(Type t, double width) {
  const TypeInfo i = info_of(t);
  if (i.block > 1 && std::floor(width / i.block) * i.block != width) return bits_in_rows(i.fallback, width);
  return i.bits;
}

enum class Mix { F32, F16, Q8_0, Q6_K, Q5_K_M, Q5_K_S, Q5_1, Q5_0, Q4_K_M, Q4_K_S, Q4_1, Q4_0, IQ4_NL, IQ4_XS, Q3_K_L, Q3_K_M, Q3_K_S, IQ3_M, IQ3_S, IQ3_XS, IQ3_XXS, Q2_K, Q2_K_S, IQ2_M, IQ2_S, IQ2_XS, IQ2_XXS, IQ1_M, IQ1_S, TQ2_0, TQ1_0, MXFP4_MOE, Unknown };
struct MixName { std::string_view id; Mix mix; Type base; bool large_tables = false; };  // tables: input and output matrix in Q8_0
constexpr MixName kMixes[] = {
    {"f32", Mix::F32, Type::F32}, {"f16", Mix::F16, Type::F16}, {"bf16", Mix::F16, Type::F16}, {"q8_0", Mix::Q8_0, Type::Q8_0},
    {"q6_k", Mix::Q6_K, Type::Q6_K}, {"q5_k_m", Mix::Q5_K_M, Type::Q5_K}, {"q5_k_s", Mix::Q5_K_S, Type::Q5_K},
    {"q5_1", Mix::Q5_1, Type::Q5_1}, {"q5_0", Mix::Q5_0, Type::Q5_0}, {"q4_k_m", Mix::Q4_K_M, Type::Q4_K},
    {"q4_k_s", Mix::Q4_K_S, Type::Q4_K}, {"q4_1", Mix::Q4_1, Type::Q4_1}, {"q4_0", Mix::Q4_0, Type::Q4_0},
    {"iq4_nl", Mix::IQ4_NL, Type::IQ4_NL}, {"iq4_xs", Mix::IQ4_XS, Type::IQ4_XS}, {"q3_k_l", Mix::Q3_K_L, Type::Q3_K},
    {"q3_k_m", Mix::Q3_K_M, Type::Q3_K}, {"q3_k_s", Mix::Q3_K_S, Type::Q3_K}, {"iq3_m", Mix::IQ3_M, Type::IQ3_S},
    {"iq3_s", Mix::IQ3_S, Type::IQ3_S}, {"iq3_xs", Mix::IQ3_XS, Type::IQ3_S}, {"iq3_xxs", Mix::IQ3_XXS, Type::IQ3_XXS},
    {"q2_k", Mix::Q2_K, Type::Q2_K}, {"q2_k_s", Mix::Q2_K_S, Type::Q2_K}, {"iq2_m", Mix::IQ2_M, Type::IQ2_S},
    {"iq2_s", Mix::IQ2_S, Type::IQ2_XS}, {"iq2_xs", Mix::IQ2_XS, Type::IQ2_XS}, {"iq2_xxs", Mix::IQ2_XXS, Type::IQ2_XXS},
    {"iq1_m", Mix::IQ1_M, Type::IQ1_M}, {"iq1_s", Mix::IQ1_S, Type::IQ1_S}, {"tq2_0", Mix::TQ2_0, Type::TQ2_0},
    {"tq1_0", Mix::TQ1_0, Type::TQ1_0}, {"mxfp4-moe", Mix::MXFP4_MOE, Type::MXFP4},
    {"q3_k_xl", Mix::Q3_K_L, Type::Q3_K, true}, {"q4_k_l", Mix::Q4_K_M, Type::Q4_K, true}, {"q5_k_l", Mix::Q5_K_M, Type::Q5_K, true},
    {"q6_k_l", Mix::Q6_K, Type::Q6_K, true}, {"q2_k_l", Mix::Q2_K, Type::Q2_K, true}};

const MixName* mix_named(std::string_view name) {
  for (const MixName& m : kMixes)
    if (m.id == name) return &m;
  return nullptr;
}

/// The mix of a format's id. Unsloth's dynamic mixes (UD-…) choose types tensor by tensor, from the plain mix of their
/// name: they follow its rules, scaled to their own average.
const MixName* mix_of(const Quant& q, bool* dynamic) {
  *dynamic = false;
  std::string_view id = q.id;
  if (q.family != "gguf" || id.substr(0, 5) != "gguf-") return nullptr;
  id.remove_prefix(5);
  if (id.substr(0, 3) != "ud-") return mix_named(id);
  id.remove_prefix(3);
  *dynamic = true;
  struct Known { std::string_view dynamic, plain; };
  for (const Known& k : {Known{"q2_k_xl", "q2_k"}, Known{"q3_k_xl", "q3_k_m"}, Known{"q4_k_xl", "q4_k_m"}, Known{"q5_k_xl", "q5_k_m"}, Known{"q6_k_xl", "q6_k"}, Known{"q8_k_xl", "q8_0"}})
    if (k.dynamic == id) return mix_named(k.plain);
  return mix_named(id);
}

/// Average bits of the plain mixes over Llama-3.1-8B, the model for which the catalog gives the dynamic ones' averages.
double reference_average(Mix mix) {
  switch (mix) {  // data/quants.json, bpw_llama31_8b
    case Mix::Q8_0: return 8.5008;
    case Mix::Q6_K: return 6.5633;
    case Mix::Q5_K_M: return 5.7036;
    case Mix::Q4_K_M: return 4.8944;
    case Mix::Q3_K_M: return 3.996;
    case Mix::Q3_K_S: return 3.6429;
    case Mix::Q2_K: return 3.1593;
    case Mix::IQ4_NL: return 4.6818;
    case Mix::IQ4_XS: return 4.4597;
    case Mix::IQ3_XXS: return 3.2548;
    case Mix::IQ2_M: return 2.9294;
    case Mix::IQ2_XXS: return 2.3824;
    case Mix::IQ1_M: return 2.146;
    case Mix::IQ1_S: return 2.0042;
    default: return 0;
  }
}

bool is_any(Mix mix, std::initializer_list<Mix> list) { return std::find(list.begin(), list.end(), mix) != list.end(); }

/// Share of `n` layers that a mix gives more bits: the first and last eighth and every third between.
double more_bits_share(int n) {
  int count = 0;
  for (int i = 0; i < n; ++i) count += i < n / 8 || i >= 7 * n / 8 || (i - n / 8) % 3 == 2;
  return n > 0 ? double(count) / n : 0;
}
double first_share(int n, int first) { return n > 0 ? double(std::min(first, n)) / n : 0; }

/// Models whose queries, keys and values are one matrix in GGUF files.
bool has_fused_qkv(const Model& m) {
  for (const std::string_view family : {"phi", "phi-3", "phi-3.5", "phi-4", "mpt", "falcon", "pythia", "gpt-neox", "bloom", "gpt-2", "qwen", "chatglm", "dbrx"})
    if (m.family == family) return m.family == "dbrx" || !m.is_moe();
  return m.id.rfind("starcoder-", 0) == 0 || m.id.rfind("starcoderbase", 0) == 0 || m.id == "glm-4-9b";
}

/// Some checkpoints store a copy of a tied table as output matrix (Hugging Face's total shows it), and GGUF files keep
/// both. Gemma's converter leaves the copy out.
bool stores_both_tables(const Model& m) {
  if (!m.tie_embeddings || m.no_lm_head || m.family.rfind("gemma", 0) == 0 || !m.hf_safetensors_total) return false;
  const double surplus = (*m.hf_safetensors_total - m.params_total) / (m.vocab_size * m.hidden_size);
  return surplus > 0.99 && surplus < 1.01;
}

class GgufMix {
 public:
  GgufMix(const Model& model, const MixName& mix) : m_(model), mix_(mix.mix), base_(mix.base), large_tables_(mix.large_tables) {
    experts_ = model.moe ? model.moe->num_experts : 1;
    gqa_ = model.num_kv_heads > 0 ? model.num_attention_heads / model.num_kv_heads : 1;
    falcon_ = model.family == "falcon" && !model.is_hybrid();
    type_70b_ = model.num_layers == 80 && model.num_kv_heads > 0 && model.num_kv_heads != model.num_attention_heads;
    native_mxfp4_ = model.native_dtype.find("mxfp4") != std::string::npos;
    for (const LayerGroup& g : model.layer_groups)
      if (g.mixer == Mixer::kAttention || g.mixer == Mixer::kSliding || g.mixer == Mixer::kChunked) attention_layers_ += g.count;
  }

  double base_bits(const Tensor& t) const { return bits_in_rows(base_, t.row_width); }

  double bits(const Tensor& t) const {
    const double w = t.row_width;
    switch (t.kind) {
      case TensorClass::kNorm: case TensorClass::kRouter: case TensorClass::kPositions: case TensorClass::kRecurrentSmall:
      case TensorClass::kExpertBias: return 32;
      case TensorClass::kVision: case TensorClass::kAudio: return mix_ == Mix::F32 ? 32 : 16;  // the projector file is F16
      default: break;
    }
    if (is_any(mix_, {Mix::F32, Mix::F16, Mix::Q8_0})) return bits_in_rows(base_, w);
    const bool expert = t.kind == TensorClass::kExpertGateUp || t.kind == TensorClass::kExpertDown;
    if (expert && native_mxfp4_) return bits_in_rows(Type::MXFP4, w);  // trained at 4 bits: kept as they are by every mix
    // A table that serves as output matrix too takes the output's type, and so do the per-layer tables beside it.
    const bool tied_table = (t.kind == TensorClass::kTokenEmbedding || t.kind == TensorClass::kLookup) && m_.tie_embeddings && !stores_both_tables(m_);
    if (t.kind == TensorClass::kOutput || tied_table) return bits_in_rows(output_type(w), w);
    if (mix_ == Mix::MXFP4_MOE) return bits_in_rows(expert ? Type::MXFP4 : Type::Q8_0, w);
    switch (t.kind) {
      case TensorClass::kTokenEmbedding: case TensorClass::kLookup: return bits_in_rows(table_type(), w);
      case TensorClass::kAttentionV: return value_bits(w);
      case TensorClass::kAttentionK: return fused_ ? fused_bits(w) : key_bits(w);
      case TensorClass::kAttentionQ: return fused_ ? fused_bits(w) : bits_in_rows(is_any(mix_, {Mix::IQ3_XS}) ? Type::IQ3_XXS : mix_ == Mix::IQ3_XXS ? Type::IQ2_S : base_, w);
      case TensorClass::kAttentionOutput: return bits_in_rows(attention_output_type(), w);
      case TensorClass::kFfnDown: case TensorClass::kExpertDown: case TensorClass::kSharedDown: return down_bits(w);
      case TensorClass::kRecurrentIn: return recurrent_in_bits(w);
      case TensorClass::kRecurrentOut: return m_.ssm && m_.ssm->type == "gated_delta_net" ? fused_bits(w) : bits_in_rows(base_, w);
      case TensorClass::kFfnGateUp: case TensorClass::kExpertGateUp: case TensorClass::kSharedGateUp: return gate_up_bits(w);
      case TensorClass::kExtra: case TensorClass::kOther: return t.params > 4 * m_.hidden_size ? bits_in_rows(base_, w) : 32;
      default: return bits_in_rows(base_, w);
    }
  }

 private:
  Type output_type(double width) const {
    const int block = info_of(base_).block;
    if (large_tables_ || mix_ == Mix::MXFP4_MOE || falcon_ || std::floor(width / block) * block != width) return Type::Q8_0;
    if (is_any(mix_, {Mix::IQ2_XXS, Mix::IQ2_XS, Mix::IQ3_XXS, Mix::IQ1_S, Mix::IQ2_S, Mix::IQ2_M, Mix::IQ1_M})) return Type::Q5_K;
    return Type::Q6_K;
  }
  Type table_type() const {
    if (large_tables_) return Type::Q8_0;
    if (is_any(mix_, {Mix::IQ2_XXS, Mix::IQ2_XS, Mix::IQ1_S, Mix::IQ1_M})) return Type::Q2_K;
    if (is_any(mix_, {Mix::IQ2_S, Mix::IQ2_M, Mix::IQ3_XXS})) return Type::IQ3_S;
    if (is_any(mix_, {Mix::TQ1_0, Mix::TQ2_0})) return Type::Q4_K;
    return base_;
  }
  bool two_bit_family() const { return is_any(mix_, {Mix::IQ2_XXS, Mix::IQ2_XS, Mix::IQ1_S, Mix::IQ2_S, Mix::IQ2_M, Mix::IQ1_M}); }

  double blend(Type special, double share, double width, Type other) const {
    return share * bits_in_rows(special, width) + (1 - share) * bits_in_rows(other, width);
  }

  double fused_bits(double w) const {
    Type t = base_;
    if (is_any(mix_, {Mix::Q3_K_M, Mix::Q3_K_L, Mix::IQ3_M})) t = Type::Q4_K;
    else if (mix_ == Mix::Q4_K_M) t = Type::Q5_K;
    else if (mix_ == Mix::Q5_K_M) t = Type::Q6_K;
    return bits_in_rows(t, w);
  }

  /// Gated delta net: queries, keys and values are one matrix, which takes the type of a fused one; the gate the base's.
  double recurrent_in_bits(double w) const {
    if (!m_.ssm || m_.ssm->type != "gated_delta_net") return bits_in_rows(base_, w);
    const double k = double(m_.ssm->num_key_heads) * m_.ssm->key_head_dim, v = double(m_.ssm->num_value_heads) * m_.ssm->value_head_dim;
    const double share = (2 * k + v) / (2 * k + 2 * v);
    return share * fused_bits(w) + (1 - share) * bits_in_rows(base_, w);
  }

  double key_bits(double w) const {
    if (two_bit_family()) return bits_in_rows(experts_ == 8 ? Type::Q4_K : base_, w);
    if (experts_ == 8) return bits_in_rows(Type::Q8_0, w);
    return bits_in_rows(mix_ == Mix::IQ3_XS ? Type::IQ3_XXS : mix_ == Mix::IQ3_XXS ? Type::IQ2_S : base_, w);
  }

  double value_bits(double w) const {
    if (fused_) return fused_bits(w);
    if (two_bit_family()) {
      if (gqa_ >= 4 || experts_ >= 4) return bits_in_rows(Type::Q4_K, w);
      return bits_in_rows(is_any(mix_, {Mix::IQ2_S, Mix::IQ2_M}) ? Type::IQ3_S : Type::Q2_K, w);
    }
    if (experts_ == 8) return bits_in_rows(Type::Q8_0, w);
    const auto at_least_q5 = [&](Type t) { return type_70b_ && (t == Type::Q3_K || t == Type::Q4_K) ? Type::Q5_K : t; };
    const int n = attention_layers_;
    Type t = base_, special = base_;
    double share = 0;
    switch (mix_) {
      case Mix::Q2_K: t = gqa_ >= 4 ? Type::Q4_K : Type::Q3_K; break;
      case Mix::Q2_K_S: if (gqa_ >= 4) t = Type::Q4_K; break;
      case Mix::IQ3_XXS: case Mix::IQ3_XS: case Mix::IQ3_S: if (gqa_ >= 4) t = Type::Q4_K; break;
      case Mix::IQ3_M: t = Type::Q4_K; break;
      case Mix::Q3_K_M: t = Type::Q4_K; special = Type::Q5_K; share = first_share(n, 2); break;
      case Mix::Q3_K_L: t = Type::Q5_K; break;
      case Mix::IQ4_NL: case Mix::IQ4_XS: if (gqa_ >= 4) t = Type::Q5_K; break;
      case Mix::Q4_K_M: case Mix::Q5_K_M: special = Type::Q6_K; share = more_bits_share(n); break;
      case Mix::Q4_K_S: special = Type::Q5_K; share = first_share(n, 4); break;
      default: break;
    }
    return blend(at_least_q5(special), share, w, at_least_q5(t));
  }

  Type attention_output_type() const {
    if (two_bit_family()) {
      if (experts_ == 8) return Type::Q5_K;
      if (is_any(mix_, {Mix::IQ1_S, Mix::IQ1_M})) return Type::IQ2_XXS;
      if (is_any(mix_, {Mix::IQ2_S, Mix::IQ2_M})) return Type::IQ3_S;
      return base_;
    }
    if (falcon_) return mix_ == Mix::Q3_K_L ? Type::Q4_K : base_;
    if (experts_ == 8) {
      if (is_any(mix_, {Mix::Q2_K, Mix::IQ3_XS, Mix::IQ3_XXS, Mix::Q3_K_S, Mix::Q3_K_M, Mix::IQ4_NL, Mix::Q4_K_S, Mix::Q4_K_M, Mix::IQ3_S, Mix::IQ3_M, Mix::IQ4_XS})) return Type::Q5_K;
      return base_;
    }
    switch (mix_) {
      case Mix::Q2_K: return Type::Q3_K;
      case Mix::IQ3_XXS: case Mix::IQ3_XS: return Type::IQ3_S;
      case Mix::Q3_K_M: case Mix::IQ3_M: return Type::Q4_K;
      case Mix::Q3_K_L: return Type::Q5_K;
      default: return base_;
    }
  }

  double down_bits(double w) const {
    const int n = m_.num_layers;
    if (two_bit_family()) return blend(is_any(mix_, {Mix::IQ2_S, Mix::IQ2_M}) ? Type::IQ3_S : Type::Q2_K, first_share(n, n / 8), w, base_);
    Type t = base_, special = base_;
    double share = 0;
    switch (mix_) {
      case Mix::Q2_K: t = Type::Q3_K; break;
      case Mix::Q2_K_S: special = Type::Q4_K; share = first_share(n, n / 8); break;
      case Mix::Q3_K_M:
        special = Type::Q5_K;
        share = first_share(n, n / 16);
        t = Type::Q4_K;
        break;
      case Mix::IQ3_M: special = Type::Q4_K; share = experts_ == 8 ? more_bits_share(n) : first_share(n, n / 8); break;
      case Mix::Q3_K_L: t = falcon_ ? Type::Q4_K : Type::Q5_K; break;
      case Mix::Q4_K_M:
        special = falcon_ ? Type::Q5_K : Type::Q6_K;
        share = more_bits_share(n);
        break;
      case Mix::Q5_K_M: special = Type::Q6_K; share = more_bits_share(n); break;
      case Mix::IQ4_NL: case Mix::IQ4_XS: case Mix::Q4_K_S:
        if (!(falcon_ && mix_ == Mix::Q4_K_S)) { special = Type::Q5_K; share = first_share(n, n / 8); }
        break;
      default: break;
    }
    return blend(special, share, w, t);
  }

  double gate_up_bits(double w) const {
    if (mix_ != Mix::IQ3_XS) return bits_in_rows(base_, w);
    const int n = m_.num_layers;
    return blend(Type::IQ3_XXS, n > 0 ? double(7 * n / 8 - n / 8) / n : 0, w, base_);
  }

  const Model& m_;
  Mix mix_;
  Type base_;
  bool large_tables_;
  int experts_ = 1, gqa_ = 1, attention_layers_ = 0;
  bool falcon_ = false, type_70b_ = false, native_mxfp4_ = false;
  bool fused_ = has_fused_qkv(m_);
};

// ---- the other formats: matrices of the layers at the format's bits, the rest at 16 ----

// Meta-Llama-3.1-8B, for which the catalog gives each format's average: matrices of the layers, one embedding matrix, norms.
constexpr double kReferenceLinear = 6979321856, kReferenceTable = 525336576, kReferenceNorms = 266240;

/// Bits of a quantised matrix with its scales, from the format's average over the reference model.
double linear_bits(const Quant& q) {
  const double nominal = q.bits_nominal.value_or(16);
  const Figure average = q.bpw_llama31_8b ? q.bpw_llama31_8b : q.bits_effective;
  if (!average) return nominal;
  const double table = q.embedding_bits.value_or(16), head = q.output_head_bits.value_or(table);
  const double bits = (*average * (kReferenceLinear + 2 * kReferenceTable + kReferenceNorms) - (table + head) * kReferenceTable - 16 * kReferenceNorms) / kReferenceLinear;
  return std::max(bits, 0.5 * nominal);
}

bool is_quantised_matrix(TensorClass k) {
  switch (k) {
    case TensorClass::kAttentionQ: case TensorClass::kAttentionK: case TensorClass::kAttentionV: case TensorClass::kAttentionOutput:
    case TensorClass::kAttentionGate: case TensorClass::kLatentQ: case TensorClass::kLatentKv: case TensorClass::kIndexer:
    case TensorClass::kRecurrentIn: case TensorClass::kRecurrentOut: case TensorClass::kFfnGateUp: case TensorClass::kFfnDown:
    case TensorClass::kExpertGateUp: case TensorClass::kExpertDown: case TensorClass::kSharedGateUp: case TensorClass::kSharedDown:
    case TensorClass::kExpertLatent: return true;
    default: return false;
  }
}
bool is_routed_expert(TensorClass k) { return k == TensorClass::kExpertGateUp || k == TensorClass::kExpertDown; }

/// Resolves the bits of a model's tensors in one format; built once per model and format.
class Bits {
 public:
  Bits(const Model& model, const Quant& quant) : m_(model), q_(quant), mix_(mix_of(quant, &dynamic_)), plain_(quant.family == "plain") {
    if (dynamic_ && mix_ && quant.bits_effective && reference_average(mix_->mix) > 0) dynamic_scale_ = *quant.bits_effective / reference_average(mix_->mix);
    plain_bits_ = quant.bits_nominal.value_or(16);
    linear_ = plain_ ? plain_bits_ : linear_bits(quant);
    // Four-bit float formats and Kimi's own int4 quantise the routed experts of a mixture only (the published
    // checkpoints' `ignore` lists); the rest keeps the model's own type.
    const bool four_bit_float = quant.family == "nvfp4" || quant.id == "mxfp4";
    const bool own_int4 = model.native_dtype.find("int4 experts") != std::string::npos && (quant.family == "gptq" || quant.family == "awq" || quant.family == "int4");
    experts_only_ = model.is_moe() && (four_bit_float || own_int4);
    rest_bits_ = model.native_dtype.rfind("fp8", 0) == 0 ? 8 : 16;
  }

  double of(const Tensor& t) const {
    if (mix_) {
      const GgufMix mix(m_, *mix_);
      if (dynamic_ && is_routed_expert(t.kind) && m_.native_dtype.find("mxfp4") == std::string::npos) return mix.base_bits(t);  // what they save, they save here
      const double bits = mix.bits(t);
      return bits < 16 && !(is_routed_expert(t.kind) && m_.native_dtype.find("mxfp4") != std::string::npos) ? std::min(16.0, bits * dynamic_scale_) : bits;
    }
    if (plain_) return plain_bits_;
    if (q_.family == "gguf") {  // a mix whose rules we do not have: its average
      if (t.kind == TensorClass::kNorm || t.kind == TensorClass::kRouter) return 32;
      if (t.kind == TensorClass::kVision || t.kind == TensorClass::kAudio) return 16;
      if (is_routed_expert(t.kind) && m_.native_dtype.find("mxfp4") != std::string::npos && linear_ < 8) return 4.25;
      return q_.bits_effective.value_or(plain_bits_);
    }
    switch (t.kind) {
      case TensorClass::kTokenEmbedding:
        return m_.tie_embeddings ? std::max(q_.embedding_bits.value_or(16), q_.output_head_bits.value_or(16)) : q_.embedding_bits.value_or(16);
      case TensorClass::kLookup: return q_.embedding_bits.value_or(16);
      case TensorClass::kOutput: return q_.output_head_bits.value_or(16);
      default: break;
    }
    if (!is_quantised_matrix(t.kind)) return 16;
    // GPTQ and AWQ leave recurrent layers alone.
    if ((t.kind == TensorClass::kRecurrentIn || t.kind == TensorClass::kRecurrentOut) && (q_.family == "gptq" || q_.family == "awq")) return rest_bits_;
    if (experts_only_ && !is_routed_expert(t.kind)) return rest_bits_;
    return linear_;
  }

 private:
  const Model& m_;
  const Quant& q_;
  bool dynamic_ = false;
  const MixName* mix_;
  double dynamic_scale_ = 1;
  bool plain_, experts_only_ = false;
  double plain_bits_ = 16, linear_ = 16, rest_bits_ = 16;
};

}  // namespace

double bits_of(const Model& model, const Quant& quant, const Tensor& tensor) { return Bits(model, quant).of(tensor); }

namespace {

/// A model that was read from a file takes what the file's tensors take: files differ in how they choose types, and the
/// rules above only know the usual choice. Experts, which a step reads in part, have their own figure.
void follow_file(const Model& m, WeightBytes& w) {
  const bool split = m.stored_expert_bytes > 0 && m.stored_expert_bytes < m.stored_bytes && w.experts > 0 && w.experts < w.total;
  const double others = split ? (m.stored_bytes - m.stored_expert_bytes) / (w.total - w.experts) : m.stored_bytes / w.total;
  w.largest_layer *= m.stored_bytes / w.total;
  w.experts = split ? m.stored_expert_bytes : w.experts * others;
  for (double* part : {&w.embedding, &w.output, &w.layers, &w.lookup, &w.towers, &w.positions}) *part *= others;
  w.total = m.stored_bytes;
}

}  // namespace

WeightBytes weight_bytes(const Model& model, const Quant& quant) {
  WeightBytes w;
  const Bits bits(model, quant);
  w.num_layers = model.num_layers;
  if (!model.has_layers()) {
    w.layers = w.total = model.params_total * quant.bits_effective.value_or(quant.bits_nominal.value_or(16)) / 8;
    return w;
  }
  if (model.moe) {
    w.num_experts = model.moe->num_experts;
    w.experts_per_token = model.moe->experts_per_token;
  }
  std::vector<double> per_layer(model.layer_groups.size(), 0.0);
  for (const LayerGroup& g : model.layer_groups)
    if (g.ffn == Ffn::kMoe || g.ffn == Ffn::kDenseAndMoe) w.moe_layers += g.count;
  for (const Tensor& t : tensors_of(model)) {
    const double one = t.params * bits.of(t) / 8, n = one * t.layers;
    w.total += n;
    if (t.group >= 0) per_layer[static_cast<std::size_t>(t.group)] += one;
    switch (t.kind) {
      case TensorClass::kTokenEmbedding:
        if (model.tie_embeddings && !model.no_lm_head) w.output += n;
        else w.embedding += n;
        if (quant.family == "gguf" && stores_both_tables(model)) {  // bits are those of the input table: the copy is the output matrix
          const Tensor copy{TensorClass::kOutput, t.params, t.row_width, 1, -1, 1};
          const double output = copy.params * bits.of(copy) / 8;
          w.embedding += n;
          w.output += output - n;
          w.total += output;
        }
        break;
      case TensorClass::kOutput: w.output += n; break;
      case TensorClass::kExpertGateUp: case TensorClass::kExpertDown: case TensorClass::kExpertBias: w.experts += n; break;
      case TensorClass::kVision: case TensorClass::kAudio: w.towers += n; break;
      case TensorClass::kLookup: w.lookup += n; break;
      case TensorClass::kPositions: w.positions += n; break;
      default: w.layers += n;
    }
  }
  for (const double bytes : per_layer) w.largest_layer = std::max(w.largest_layer, bytes);
  if (model.stored_bytes > 0 && w.total > 0 && quant.id == model.stored_format) follow_file(model, w);
  return w;
}

double WeightBytes::experts_used(double tokens) const {
  if (num_experts <= 0) return 0;
  const double unused = 1 - experts_per_token / num_experts;
  if (unused <= 0) return num_experts;
  return num_experts * (1 - pow(unused, std::max(tokens, 0.0)));
}

double WeightBytes::read_per_step(double tokens) const {
  double n = output + layers;
  if (num_experts > 0) n += experts * experts_used(tokens) / num_experts;
  return n;
}

}  // namespace whichgpu
