#include "import/file_roles.hpp"

#include <array>
#include <optional>

#include "base/text.hpp"

namespace whichgpu {
namespace {

bool is_digits(std::string_view t) {
  if (t.empty() || t.size() > 5) return false;
  for (const char c : t)
    if (c < '0' || c > '9') return false;
  return true;
}

int to_int(std::string_view digits) {
  int v = 0;
  for (const char c : digits) v = 10 * v + (c - '0');
  return v;
}

/// Cuts `text` at its first dot; the rest stays in `text`.
std::string_view first_part(std::string_view& text) {
  const std::size_t dot = text.find('.');
  const std::string_view part = text.substr(0, dot);
  text = dot == std::string_view::npos ? std::string_view() : text.substr(dot + 1);
  return part;
}

/// "attn_q.weight" -> "attn_q", "attn_q.bias" stays.
std::string without_weight(std::string_view t) {
  constexpr std::string_view kWeight = ".weight";
  if (t.size() > kWeight.size() && t.substr(t.size() - kWeight.size()) == kWeight) t.remove_suffix(kWeight.size());
  return std::string(t);
}

struct Translation { std::string_view theirs, ours; };
/// Names in Hugging Face's files. Source: the modelling classes of transformers 4.57.
constexpr std::array<Translation, 79> kTranslations = {{
    {"self_attn.q_proj", "attn_q"}, {"self_attn.k_proj", "attn_k"}, {"self_attn.v_proj", "attn_v"}, {"self_attn.o_proj", "attn_output"}, {"self_attn.out_proj", "attn_output"}, {"self_attn.dense", "attn_output"},
    {"self_attn.qkv_proj", "attn_qkv"}, {"self_attn.W_pack", "attn_qkv"}, {"self_attn.query_key_value", "attn_qkv"}, {"self_attention.query_key_value", "attn_qkv"}, {"attention.query_key_value", "attn_qkv"}, {"attn.Wqkv", "attn_qkv"},
    {"self_attention.dense", "attn_output"}, {"attention.dense", "attn_output"}, {"attn.out_proj", "attn_output"},
    {"self_attn.q_norm", "attn_q_norm"}, {"self_attn.k_norm", "attn_k_norm"}, {"self_attn.sinks", "attn_sinks"}, {"self_attn.q_a_proj", "attn_q_a"}, {"self_attn.q_a_layernorm", "attn_q_a_norm"}, {"self_attn.q_b_proj", "attn_q_b"},
    {"self_attn.kv_a_proj_with_mqa", "attn_kv_a_mqa"}, {"self_attn.kv_a_layernorm", "attn_kv_a_norm"}, {"self_attn.kv_b_proj", "attn_kv_b"},
    {"self_attn.indexer.wq_b", "indexer.attn_q_b"}, {"self_attn.indexer.wk", "indexer.attn_k"}, {"self_attn.indexer.weights_proj", "indexer.proj"}, {"self_attn.indexer.k_norm", "indexer.k_norm"},
    {"mlp.gate_proj", "ffn_gate"}, {"mlp.up_proj", "ffn_up"}, {"mlp.down_proj", "ffn_down"}, {"mlp.gate_up_proj", "ffn_up"}, {"mlp.fc1", "ffn_up"}, {"mlp.fc2", "ffn_down"}, {"mlp.c_fc", "ffn_up"}, {"mlp.dense_h_to_4h", "ffn_up"}, {"mlp.dense_4h_to_h", "ffn_down"},
    {"fc1", "ffn_up"}, {"fc2", "ffn_down"}, {"feed_forward.gate_proj", "ffn_gate"}, {"feed_forward.up_proj", "ffn_up"}, {"feed_forward.down_proj", "ffn_down"},
    {"mlp.gate", "ffn_gate_inp"}, {"mlp.router", "ffn_gate_inp"}, {"mlp.router.gate", "ffn_gate_inp"}, {"feed_forward.router", "ffn_gate_inp"}, {"block_sparse_moe.gate", "ffn_gate_inp"}, {"block_sparse_moe.router.layer", "ffn_gate_inp"},
    {"mlp.gate.e_score_correction_bias", "exp_probs_b.bias"}, {"block_sparse_moe.e_score_correction_bias", "exp_probs_b.bias"}, {"mlp.router.bias", "ffn_gate_inp.bias"},
    {"mlp.experts.gate_up_proj", "ffn_gate_up_exps"}, {"mlp.experts.down_proj", "ffn_down_exps"}, {"feed_forward.experts.gate_up_proj", "ffn_gate_up_exps"}, {"feed_forward.experts.down_proj", "ffn_down_exps"},
    {"mlp.experts.gate_up_proj_bias", "ffn_gate_up_exps.bias"}, {"mlp.experts.down_proj_bias", "ffn_down_exps.bias"},
    {"mlp.shared_experts.gate_proj", "ffn_gate_shexp"}, {"mlp.shared_experts.up_proj", "ffn_up_shexp"}, {"mlp.shared_experts.down_proj", "ffn_down_shexp"},
    {"mlp.shared_expert.gate_proj", "ffn_gate_shexp"}, {"mlp.shared_expert.up_proj", "ffn_up_shexp"}, {"mlp.shared_expert.down_proj", "ffn_down_shexp"}, {"feed_forward.shared_expert.gate_proj", "ffn_gate_shexp"},
    {"feed_forward.shared_expert.up_proj", "ffn_up_shexp"}, {"feed_forward.shared_expert.down_proj", "ffn_down_shexp"}, {"mlp.shared_expert_gate", "ffn_gate_inp_shexp"},
    {"input_layernorm", "attn_norm"}, {"post_attention_layernorm", "ffn_norm"}, {"pre_feedforward_layernorm", "ffn_norm"}, {"post_feedforward_layernorm", "post_ffw_norm"}, {"self_attn_layer_norm", "attn_norm"}, {"final_layer_norm", "ffn_norm"},
    {"linear_attn.in_proj_qkvz", "ssm_in"}, {"linear_attn.in_proj_ba", "ssm_ba"}, {"linear_attn.conv1d", "ssm_conv1d"}, {"linear_attn.out_proj", "ssm_out"}, {"linear_attn.norm", "ssm_norm"}}};

constexpr std::array<Translation, 15> kOutside = {{{"embed_tokens", "token_embd"}, {"wte", "token_embd"}, {"word_embeddings", "token_embd"}, {"embed_in", "token_embd"}, {"tok_embeddings", "token_embd"}, {"embedding", "token_embd"},
    {"lm_head", "output"}, {"embed_out", "output"}, {"norm", "output_norm"}, {"final_layernorm", "output_norm"}, {"ln_f", "output_norm"}, {"final_layer_norm", "output_norm"}, {"norm_f", "output_norm"}, {"wpe", "position_embd"}, {"embed_positions", "position_embd"}}};

struct OneOfMany { std::string_view before, gate, up, down; };
constexpr std::array<OneOfMany, 3> kExperts = {{{"mlp.experts.", "gate_proj", "up_proj", "down_proj"}, {"block_sparse_moe.experts.", "w1", "w3", "w2"}, {"feed_forward.experts.", "gate_proj", "up_proj", "down_proj"}}};

}  // namespace

Role gguf_role(std::string_view tensor) {
  Role r;
  std::string_view rest = tensor;
  const std::string_view first = first_part(rest);
  if (first == "v" || first == "mm" || first == "a" || first == "resampler" || first == "model" || first == "adapter") {
    r.tower = true;
    r.role = without_weight(tensor);
    return r;
  }
  if (first != "blk") {
    r.role = without_weight(tensor);
    return r;
  }
  const std::string_view number = first_part(rest);
  if (!is_digits(number)) return r;
  r.layer = to_int(number);
  if (starts_with(rest, "nextn.")) r.predictor = true;
  // Old files have a tensor for every expert: "ffn_gate.7.weight".
  for (const std::string_view role : {"ffn_gate", "ffn_up", "ffn_down"})
    if (starts_with(rest, role) && rest.size() > role.size() && rest[role.size()] == '.') {
      std::string_view tail = rest.substr(role.size() + 1);
      const std::string_view expert = first_part(tail);
      if (is_digits(expert)) {
        r.expert = to_int(expert);
        r.role = std::string(role) + "_exps";
        return r;
      }
    }
  r.role = without_weight(rest);
  return r;
}

Role huggingface_role(std::string_view tensor) {
  Role r;
  for (const std::string_view tower : {"visual", "vision", "image_newline", "multi_modal_projector", "mm_projector", "audio", "embed_vision", "embed_audio", "mlp1", "aligner"})
    if (starts_with(tensor, tower) || contains(tensor, "." + std::string(tower))) {
      r.tower = true;
      r.role = std::string(tensor);
      return r;
    }
  if (starts_with(tensor, "mtp.")) r.predictor = true;
  for (const std::string_view between : {"layers.", "h.", "blocks.", "layer."}) {
    std::size_t at = starts_with(tensor, between) ? 0 : tensor.find("." + std::string(between));
    if (at == std::string_view::npos) continue;
    std::string_view rest = tensor.substr(at + (at > 0 || tensor[0] == '.' ? 1 : 0) + between.size());
    const std::string_view number = first_part(rest);
    if (!is_digits(number) || rest.empty()) continue;
    r.layer = to_int(number);
    const std::string plain = without_weight(rest);
    for (const OneOfMany& e : kExperts)
      if (starts_with(plain, e.before)) {
        std::string_view tail = std::string_view(plain).substr(e.before.size());
        const std::string_view expert = first_part(tail);
        if (!is_digits(expert)) continue;
        r.expert = to_int(expert);
        r.role = tail == e.gate ? "ffn_gate_exps" : tail == e.up ? "ffn_up_exps" : tail == e.down ? "ffn_down_exps" : std::string("experts.").append(tail);
        return r;
      }
    for (const Translation& t : kTranslations) {
      if (plain == t.theirs) r.role = std::string(t.ours);
      else if (starts_with(plain, t.theirs) && plain.size() > t.theirs.size() && plain[t.theirs.size()] == '.') r.role = std::string(t.ours) + plain.substr(t.theirs.size());
      else continue;
      if (plain == t.theirs) break;  // the exact name beats one that only begins alike
    }
    if (r.role.empty()) r.role = plain;
    return r;
  }
  const std::string plain = without_weight(tensor);
  std::string_view last = plain;
  if (const std::size_t dot = plain.rfind('.'); dot != std::string::npos) last = std::string_view(plain).substr(dot + 1);
  for (const Translation& t : kOutside)
    if (last == t.theirs) {
      r.role = std::string(t.ours);
      return r;
    }
  r.role = plain;
  return r;
}

const char* class_of(const Role& r) {
  const std::string& t = r.role;
  if (r.tower) return "towers";
  if (r.predictor) return "prediction";
  if (r.layer < 0) {
    if (starts_with(t, "token_embd") || starts_with(t, "position_embd") || starts_with(t, "per_layer_token_embd") || starts_with(t, "token_types")) return contains(t, "norm") ? "norms" : "embedding";
    if (contains(t, "norm")) return "norms";
    return t == "output" || t == "output.bias" || starts_with(t, "output.") ? "output" : "other";
  }
  if (contains(t, "_exps") || starts_with(t, "experts.")) return "experts";
  if (contains(t, "shexp")) return t == "ffn_gate_inp_shexp" ? "router" : "shared experts";
  if (starts_with(t, "ffn_gate_inp") || starts_with(t, "exp_probs_b")) return "router";
  if (contains(t, "norm")) return "norms";
  if (starts_with(t, "ssm_") || starts_with(t, "shortconv") || starts_with(t, "time_mix") || starts_with(t, "channel_mix") || contains(t, "linear_attn") || contains(t, "mixer.")) return "recurrent";
  if (starts_with(t, "attn_") || starts_with(t, "indexer") || starts_with(t, "cross_attn")) return "attention";
  if (starts_with(t, "ffn_")) return "feed-forward";
  return "other";
}

}  // namespace whichgpu
