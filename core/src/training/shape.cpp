#include <algorithm>

#include "training/setup.hpp"
#include "whichgpu/model_math.hpp"

namespace whichgpu::training {

std::optional<Shape> shape_of(const Model& model) {
  if (!model.has_layers() || model.hidden_size <= 0 || model.num_layers <= 0) return std::nullopt;
  Shape s;
  s.parameters = model.params_total;
  s.hidden = model.hidden_size;
  s.layers = model.num_layers;
  s.vocabulary = model.vocab_size;
  s.heads = model.num_attention_heads > 0 ? model.num_attention_heads : std::max(1.0, s.hidden / 64);
  const double head_size = model.head_dim > 0 ? model.head_dim : s.hidden / s.heads;
  s.kv_width = (model.num_kv_heads > 0 ? model.num_kv_heads : s.heads) * head_size;
  s.attention_width = s.heads * head_size;
  if (model.mla)
    s.attention_width = s.heads * (model.mla->qk_nope_head_dim + model.mla->qk_rope_head_dim + model.mla->v_head_dim) / 2.0;
  s.window = model.sliding_window;
  s.gated = model.ffn_kind.find("glu") != std::string::npos;
  s.causal = model.kind != "embedding";
  s.ffn_width = s.ffn_active = model.intermediate_size;
  for (const LayerGroup& group : model.layer_groups) {
    switch (group.mixer) {
      case Mixer::kAttention: case Mixer::kCross: case Mixer::kMla: case Mixer::kV4: s.full_attention_layers += group.count; break;
      case Mixer::kSliding: case Mixer::kChunked: s.sliding_layers += group.count; break;
      default: break;
    }
    if (group.ffn == Ffn::kMoe || group.ffn == Ffn::kDenseAndMoe) s.expert_layers += group.count;
  }
  const double matmul = model.params_active_matmul > 0 ? model.params_active_matmul : model.params_active;
  if (model.moe) {
    const Moe& moe = *model.moe;
    s.moe = true;
    s.experts = moe.num_experts;
    s.experts_per_token = moe.experts_per_token;
    s.expert_parameters = count_params(model).experts;
    s.expert_matmul = s.expert_parameters * s.experts_per_token / std::max(1.0, s.experts);
    s.ffn_active = ((s.experts_per_token + moe.num_shared_experts) * moe.expert_intermediate_size * s.expert_layers +
                    (s.layers - s.expert_layers) * model.intermediate_size) / s.layers;
  }
  const double table = s.hidden * s.vocabulary;
  // Encoders predict only the masked tokens: 15 % of them (Devlin et al. 2018, section 3.1).
  s.head_matmul = s.causal ? table : 0.15 * table;
  s.dense_matmul = std::max(1.0, s.causal ? matmul - table - s.expert_matmul : matmul - table);
  s.embedding_parameters = table * (model.tie_embeddings ? 1 : 2);
  return s;
}

Shape gpt_shape(double parameters) {
  constexpr double kVocabulary = 50257;  // the GPT-2 tokenizer
  Shape s;
  double hidden = 64, layers = 6;
  for (;; hidden += 64) {
    // Table 2.1 of the GPT-3 paper: 12 layers at 768, 24 at 1024 to 2048, 32 at 2560 to 4096, 40 at 5140, 96 at 12288.
    layers = hidden < 2048 ? static_cast<int>(hidden / 64 + 0.5) : static_cast<int>(hidden / 110 + 8.5);
    layers = std::max(hidden >= 768 ? 12.0 : 6.0, layers);
    if (12 * layers * hidden * hidden + kVocabulary * hidden >= parameters || hidden > 65536) break;
  }
  s.parameters = parameters;
  s.hidden = hidden;
  s.layers = s.full_attention_layers = layers;
  s.vocabulary = kVocabulary;
  s.heads = std::max(1.0, hidden / 64);
  s.kv_width = s.attention_width = hidden;
  s.ffn_width = s.ffn_active = 4 * hidden;
  s.head_matmul = s.embedding_parameters = kVocabulary * hidden;
  s.dense_matmul = std::max(1.0, parameters - s.head_matmul);
  return s;
}

}  // namespace whichgpu::training
