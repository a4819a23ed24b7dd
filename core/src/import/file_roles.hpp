#pragma once
#include <string>
#include <string_view>

namespace whichgpu {

/// Where a tensor belongs. The roles of both formats are those of GGUF: "attn_q", "ffn_down_exps", "attn_q.bias".
struct Role {
  int layer = -1;        ///< -1 outside the layers
  std::string role;      ///< empty: not known here
  int expert = -1;       ///< where every expert has a tensor of its own
  bool tower = false;    ///< of a vision or audio tower or its projector
  bool predictor = false;///< of multi-token prediction
};

Role gguf_role(std::string_view tensor);
Role huggingface_role(std::string_view tensor);

/// One of embedding, output, attention, feed-forward, experts, shared experts, router, recurrent, norms, towers, prediction, other.
const char* class_of(const Role& role);

}  // namespace whichgpu
