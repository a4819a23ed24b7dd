#pragma once
#include <cstdint>
#include <vector>

#include "whichgpu/catalog.hpp"
#include "whichgpu/units.hpp"

/// The arithmetic of a model: its weights by tensor class, the bytes they take in a format, the bytes and floating-point
/// operations of a token, and the state that a sequence keeps. One source for memory, speed and training.
namespace whichgpu {

/// Classes of tensors that formats treat alike. Order groups them: outside the layers, mixers, feed-forward, towers.
enum class TensorClass : std::uint8_t {
  kTokenEmbedding, kPositions, kOutput, kNorm,
  kAttentionQ, kAttentionK, kAttentionV, kAttentionOutput, kAttentionGate,
  kLatentQ, kLatentKv, kIndexer,
  kRecurrentIn, kRecurrentOut, kRecurrentSmall,
  kFfnGateUp, kFfnDown, kRouter, kExpertGateUp, kExpertDown, kExpertBias, kSharedGateUp, kSharedDown, kExpertLatent,
  kExtra, kOther, kVision, kAudio, kLookup
};

/// The tensors of one class in `layers` equal layers (1 for those outside the layers).
struct Tensor {
  TensorClass kind = TensorClass::kNorm;
  double params = 0;           ///< weights in one layer, all experts together
  double row_width = 0;        ///< length of a row: what a block of a format must divide
  double layers = 1;
  int group = -1;              ///< index of the layer group; -1 outside the layers
  double active_share = 1;     ///< share of the weights that one token uses (experts: experts_per_token / num_experts)
};

/// Every weight of a model that has layer groups; empty for the others (vision, diffusion).
/// Adds up to params_total within 0.5 % (1 % for mixtures of experts and hybrids); a test holds that for the catalog.
std::vector<Tensor> tensors_of(const Model& model);

/// Weights by part.
struct ParamCount {
  double total = 0;            ///< towers and look-up tables included
  double active = 0;           ///< used for one token, both embedding matrices counted, towers and tables not
  double active_matmul = 0;    ///< `active` without the input table, unless that is also the output matrix
  double embedding = 0, output = 0, attention = 0, recurrent = 0, dense_ffn = 0, experts = 0, shared_experts = 0, router = 0,
         norms = 0, vision = 0, audio = 0, lookup = 0, other = 0;
};
ParamCount count_params(const Model& model);

/// What the weights take in a format, and what of them a decode step reads.
struct WeightBytes {
  double total = 0;            ///< bytes, towers included
  double embedding = 0;        ///< the input table, read one row a token; 0 when it is tied to the output matrix
  double output = 0;           ///< the output matrix (the tied table counts here)
  double layers = 0;           ///< everything in the layers but routed experts
  double experts = 0;          ///< routed experts
  double lookup = 0;           ///< per-layer embedding tables: looked up, never multiplied
  double towers = 0;           ///< vision and audio
  double positions = 0;        ///< learned positions and token types
  double num_experts = 0, experts_per_token = 0;
  double num_layers = 0, moe_layers = 0;
  double largest_layer = 0;    ///< bytes of one layer, experts included, in the heaviest group
  /// Bytes of weights that one step over `tokens` tokens reads: all but the input table, and of the experts those that
  /// at least one token chose: E·(1 − (1 − k/E)^tokens), as if tokens chose independently.
  double read_per_step(double tokens) const;
  /// The number of distinct experts of a layer that `tokens` tokens use.
  double experts_used(double tokens) const;
};
WeightBytes weight_bytes(const Model& model, const Quant& quant);
/// Average bits of a weight of a class in a format (block scales included).
double bits_of(const Model& model, const Quant& quant, const Tensor& tensor);

/// The memory that some layers of one kind keep, and what attending to it costs. All layers of the kind together.
struct CacheKind {
  Mixer mixer = Mixer::kAttention;
  double layers = 0;
  double elements_per_token = 0;        ///< cache elements a token adds: keys and values, or latent and rope part
  double index_elements_per_token = 0;  ///< keys of a sparse indexer
  double window = 0;                    ///< tokens kept and seen; 0: all
  double stride = 1;                    ///< tokens that one cache entry stands for (compressed caches)
  double top_k = 0;                     ///< entries that a sparse layer attends to; 0: all
  double flops_per_position_prefill = 0;  ///< scores and weighted sum, for one token and one position seen
  double flops_per_position_decode = 0;   ///< the same with the latent form (MLA); equal for the others
  double index_flops_per_position = 0;
  double state_bytes = 0;               ///< fixed state of a sequence (recurrent layers)
  double state_flops_per_token = 0;     ///< updating and reading that state
};

struct ModelCache {
  std::vector<CacheKind> kinds;
  double cross_layers = 0, cross_elements_per_position = 0;  ///< cross attention: per image or audio position
  bool encoder = false;                                      ///< no cache at all
  /// Cache elements one token adds in the layers that grow without bound, and in windowed ones.
  double growing_elements_per_token() const;
  double windowed_elements_per_token() const;
  double state_bytes_per_sequence() const;
  /// Elements a sequence of `tokens` holds when windowed layers keep at most `window + window_extra` tokens
  /// (window_extra < 0: windowed layers keep all tokens).
  double elements(double tokens, double window_extra = 0) const;
  /// Elements that decoding one token at `context` reads.
  double elements_read(double context) const;
  /// Attention FLOPs of one token that sees `context` tokens (decode form).
  double decode_flops(double context) const;
  /// Attention FLOPs of a causal prefill of `tokens` new tokens after `past` tokens, summed over the tokens.
  double prefill_flops(double tokens, double past = 0) const;
};
ModelCache cache_of(const Model& model);

/// FLOPs of one token outside attention scores: 2 per active weight that is multiplied.
struct TokenFlops {
  double layers = 0;   ///< matrices in the layers
  double output = 0;   ///< the output matrix
  double total() const { return layers + output; }
};
TokenFlops token_flops(const Model& model);

}  // namespace whichgpu
