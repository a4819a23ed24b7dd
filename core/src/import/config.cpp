#include <algorithm>
#include <array>
#include <cmath>

#include "base/json_text.hpp"
#include "base/text.hpp"
#include "catalog/row_reader.hpp"
#include "whichgpu/api.hpp"
#include "whichgpu/import.hpp"
#include "whichgpu/model_math.hpp"

namespace whichgpu {
namespace {

using nlohmann::json;

enum Trait : unsigned {
  kPlain = 1,          ///< two matrices a feed-forward block, no gate
  kLayerNorm = 2,      ///< weight and bias
  kTied = 4,           ///< transformers' default of tie_word_embeddings is true
  kQkvBias = 8,
  kOutBias = 16,
  kMlpBias = 32,
  kHeadNorm = 64,      ///< queries and keys are normed per head
  kFullNorm = 128,     ///< … over all heads
  kFourNorms = 256,
  kOneNorm = 512,      ///< attention and feed-forward side by side
  kGelu = 1024,        ///< gated by GELU
  kEncoder = 2048,
  kNoFieldBias = 4096, ///< attention_bias covers q, k, v alone
  kRouterBias = 8192,  ///< a correction for balancing the experts
  kLearnedPositions = 16384,
  kNonparametric = 32768
};
constexpr unsigned kOldGpt = kPlain | kLayerNorm | kQkvBias | kOutBias | kMlpBias;

/// What the files leave to the code that reads them. Source: the configuration and modelling classes of transformers 4.57.
struct Architecture { const char* type; unsigned traits; };
constexpr std::array<Architecture, 62> kArchitectures = {{
    {"llama", 0}, {"mistral", 0}, {"mistral3", 0}, {"ministral", 0}, {"mixtral", 0}, {"qwen2", kQkvBias}, {"qwen2_moe", kQkvBias}, {"qwen2_vl", kQkvBias}, {"qwen2_5_vl", kQkvBias}, {"qwen3", kHeadNorm},
    {"qwen3_moe", kHeadNorm}, {"qwen3_vl", kHeadNorm}, {"qwen3_vl_moe", kHeadNorm}, {"qwen3_next", kHeadNorm}, {"qwen3_5", kHeadNorm}, {"qwen3_5_moe", kHeadNorm}, {"gemma", kTied | kGelu},
    {"gemma2", kTied | kGelu | kFourNorms}, {"gemma3", kTied | kGelu | kFourNorms | kHeadNorm}, {"gemma3_text", kTied | kGelu | kFourNorms | kHeadNorm},
    {"gemma4", kTied | kGelu | kFourNorms | kHeadNorm}, {"gemma4_text", kTied | kGelu | kFourNorms | kHeadNorm}, {"phi", kOldGpt | kOneNorm}, {"phi3", 0}, {"phimoe", kLayerNorm | kQkvBias | kOutBias},
    {"gpt2", kOldGpt | kTied | kLearnedPositions}, {"gptj", kPlain | kLayerNorm | kMlpBias | kOneNorm}, {"gpt_neox", kOldGpt}, {"gpt_neo", kPlain | kLayerNorm | kOutBias | kMlpBias | kTied | kLearnedPositions},
    {"opt", kOldGpt | kTied | kLearnedPositions}, {"bloom", kOldGpt | kTied}, {"mpt", kPlain | kTied}, {"falcon", kPlain | kLayerNorm | kTied}, {"gpt_bigcode", kOldGpt | kTied | kLearnedPositions},
    {"starcoder2", kOldGpt | kTied}, {"stablelm", kLayerNorm}, {"cohere", kTied | kOneNorm}, {"cohere2", kTied | kOneNorm}, {"olmo", kNonparametric}, {"olmo2", kFullNorm}, {"olmo3", kFullNorm}, {"olmoe", kFullNorm},
    {"granite", kTied}, {"granitemoe", kTied}, {"deepseek_v2", 0}, {"deepseek_v3", kRouterBias}, {"deepseek_v32", kRouterBias}, {"kimi_k2", kRouterBias}, {"glm4", kFourNorms | kNoFieldBias},
    {"glm4_moe", kNoFieldBias | kRouterBias}, {"glm_moe_dsa", kRouterBias}, {"minimax_m2", kFullNorm | kRouterBias}, {"gpt_oss", kRouterBias}, {"nemotron", kPlain | kLayerNorm}, {"nemotron-nas", 0},
    {"llama4", 0}, {"llama4_text", 0}, {"smollm3", kTied}, {"internlm2", 0}, {"exaone", 0}, {"bert", kOldGpt | kEncoder | kTied | kLearnedPositions}, {"mimo", kQkvBias}}};

constexpr double kLargestCount = 1e7, kMostLayers = 4096;

/// Fields of a configuration: the language part first, then the whole; several names for one thing.
class Fields {
 public:
  Fields(const json& whole, const json& text) : whole_(whole), text_(text) {}
  const json* find(const char* key) const {
    for (const json* part : {&text_, &whole_})
      if (const auto it = part->find(key); it != part->end() && !it->is_null()) return &*it;
    return nullptr;
  }
  /// The first of these names that holds a sensible number.
  std::optional<double> number(std::initializer_list<const char*> keys) const {
    for (const char* key : keys)
      if (const json* v = find(key); v && v->is_number()) {
        const double d = v->get<double>();
        if (d >= 0 && d < 1e13) return d;
      }
    return std::nullopt;
  }
  double number(std::initializer_list<const char*> keys, double otherwise) const { return number(keys).value_or(otherwise); }
  std::optional<bool> flag(const char* key) const {
    const json* v = find(key);
    return v && v->is_boolean() ? std::optional(v->get<bool>()) : std::nullopt;
  }
  std::string word(const char* key) const {
    const json* v = find(key);
    return v && v->is_string() ? lower(*v->get_ptr<const std::string*>()) : std::string();
  }
  const json* list(const char* key) const {
    const json* v = find(key);
    return v && v->is_array() && v->size() <= kMostLayers ? v : nullptr;
  }

 private:
  const json& whole_;
  const json& text_;
};

struct Layer {
  std::string mixer = "attn", ffn = "dense";
  double heads = 0, kv_heads = 0, head_dim = 0, v_head_dim = 0, intermediate = 0, extra = 0;
  int compress_ratio = -1;
  bool k_eq_v = false, indexer = true;
  bool operator==(const Layer& o) const = default;
};

bool ends_with_text(std::string_view type) { return type.size() > 5 && type.substr(type.size() - 5) == "_text"; }

Error fault(const char* path, std::string message) { return {ErrorCode::kInvalidInput, path, std::move(message)}; }

std::string quantization_word(const json& q) {
  if (!q.is_object()) return "";
  const auto text = [&](const char* key) { const auto it = q.find(key); return it != q.end() && it->is_string() ? lower(it->get<std::string>()) : std::string(); };
  const auto number = [&](const char* key) { const auto it = q.find(key); return it != q.end() && it->is_number() ? it->get<double>() : 0.0; };
  const std::string method = text("quant_method"), algorithm = text("quant_algo");
  const std::string group = format_number(number("group_size") > 0 ? number("group_size") : 128);
  if (contains(algorithm, "nvfp4") || contains(method, "nvfp4") || text("format") == "nvfp4-pack-quantized") return "nvfp4";
  if (method == "mxfp4" || contains(algorithm, "mxfp4")) return "mxfp4";
  if (method == "fp8" || contains(algorithm, "fp8")) return "fp8";
  if (method == "awq") return "awq-4bit-" + group + "g";
  if (method == "gptq") return "gptq-" + format_number(number("bits") > 0 ? number("bits") : 4) + "bit-" + group + "g";
  if (method == "bitsandbytes") return q.value("load_in_8bit", false) ? "bnb-int8" : "bnb-nf4";
  return "";
}

/// Weights of a plain vision transformer: attention and feed-forward of every block, the patch embedding and a projector.
double vision_weights(const json& v, double text_hidden) {
  const auto number = [&](std::initializer_list<const char*> keys, double otherwise) {
    for (const char* key : keys)
      if (const auto it = v.find(key); it != v.end() && it->is_number() && it->get<double>() > 0 && it->get<double>() < kLargestCount) return it->get<double>();
    return otherwise;
  };
  const double h = number({"hidden_size", "embed_dim", "width"}, 0), layers = number({"depth", "num_hidden_layers", "layers"}, 0);
  if (h <= 0 || layers <= 0) return 0;
  const double inner = number({"intermediate_size"}, h * number({"mlp_ratio"}, 4)), patch = number({"patch_size"}, 14), merge = number({"spatial_merge_size"}, 1);
  const double merged = h * merge * merge, deep = v.contains("deepstack_visual_indexes") && v["deepstack_visual_indexes"].is_array() ? static_cast<double>(v["deepstack_visual_indexes"].size()) : 0;
  const auto kind = v.find("model_type");
  const double matrices = kind != v.end() && kind->is_string() && contains(kind->get<std::string>(), "gemma4") ? 3 : 2;
  return layers * (4 * h * h + matrices * h * inner + 9 * h + inner) + 3 * patch * patch * number({"temporal_patch_size"}, 1) * h + (1 + deep) * (merged * merged + merged * number({"out_hidden_size"}, text_hidden)) + number({"num_position_embeddings"}, 0) * h;
}

}  // namespace

Result<ImportedModel> import_config(const json& config, const std::string& name) {
  if (!config.is_object()) return fault("config", "expected an object, found " + RowReader::describe(config));
  const json* text = &config;
  for (const char* key : {"text_config", "llm_config", "language_config"})
    if (const auto it = config.find(key); it != config.end() && it->is_object()) {
      text = &*it;
      break;
    }
  const Fields f(config, *text);
  ImportedModel out;
  const auto assume = [&](std::string what) { out.assumptions.push_back(std::move(what)); };

  const auto own_type = [](const json& part) { const auto it = part.find("model_type"); return it != part.end() && it->is_string() ? lower(it->get<std::string>()) : std::string(); };
  std::string type = own_type(*text);
  const auto known = [](std::string_view t) { return std::find_if(kArchitectures.begin(), kArchitectures.end(), [&](const Architecture& a) { return t == a.type; }); };
  if (known(type) == kArchitectures.end() && ends_with_text(type)) type = type.substr(0, type.size() - 5);
  if (known(type) == kArchitectures.end() && known(own_type(config)) != kArchitectures.end()) type = own_type(config);
  unsigned traits = 0;
  if (const auto it = known(type); it != kArchitectures.end()) traits = it->traits;
  else if (!contains(type, "mamba") && !contains(type, "nemotron_h") && !contains(type, "jamba") && !contains(type, "lfm2") && !contains(type, "granitemoehybrid") && !contains(type, "falcon_h1") && !contains(type, "step") && !contains(type, "kimi") && !contains(type, "minimax") && !contains(type, "mimo") && !contains(type, "deepseek_v4"))
    assume("architecture \"" + (type.empty() ? std::string("not named") : type) + "\" is not known: read by its fields as a Llama-like decoder");

  const auto hidden = f.number({"hidden_size", "n_embd", "d_model", "dim", "model_dim"});
  if (!hidden || *hidden < 1 || *hidden > kLargestCount) return fault("hidden_size", "expected a hidden size (hidden_size, n_embd or d_model)");
  auto layer_count = f.number({"num_hidden_layers", "n_layer", "n_layers", "num_layers"});
  const std::string pattern = f.word("hybrid_override_pattern");
  if (!layer_count && !pattern.empty()) layer_count = static_cast<double>(pattern.size());
  if (const json* kinds = f.list("layers_block_type"); !layer_count && kinds) layer_count = static_cast<double>(kinds->size());
  if (!layer_count || *layer_count < 1 || *layer_count > kMostLayers) return fault("num_hidden_layers", "expected 1 to 4,096 layers (num_hidden_layers or n_layer)");
  const std::size_t layers = static_cast<std::size_t>(*layer_count);
  const auto vocab = f.number({"vocab_size", "padded_vocab_size"});
  if (!vocab || *vocab < 1) return fault("vocab_size", "expected the size of the vocabulary");
  const double h = *hidden, heads = f.number({"num_attention_heads", "n_head", "n_heads"}, contains(type, "mamba") ? 1 : 0);
  if (heads < 1 || heads > kLargestCount) return fault("num_attention_heads", "expected a number of attention heads (num_attention_heads or n_head)");
  double kv = f.number({"num_key_value_heads", "num_kv_heads", "n_head_kv", "multi_query_group_num", "num_attention_groups"}, heads);
  if (const json* a = f.find("attn_config"); a && a->is_object()) kv = a->value("kv_n_heads", kv);
  if (type == "falcon" && !f.flag("new_decoder_architecture").value_or(false)) kv = f.flag("multi_query").value_or(true) ? 1 : heads;
  if (type == "gpt_bigcode" && f.flag("multi_query").value_or(true)) kv = 1;
  const double head_dim = f.number({"head_dim", "attention_head_dim", "kv_channels"}, h / heads);
  const double context = f.number({"max_position_embeddings", "n_positions", "n_ctx", "max_sequence_length", "seq_length", "max_seq_len", "model_max_length"}, 0);
  if (context <= 0) assume("the longest context is not stated");
  double inner = f.number({"intermediate_size", "n_inner", "ffn_hidden_size", "ffn_dim"}, 0);
  if (inner <= 0) inner = 4 * h;
  if (const auto mlp = f.number({"intermediate_size_mlp"})) inner = *mlp;

  json row = {{"id", "custom-model"}, {"name", name.empty() ? "imported model" : name}, {"hidden_size", h}, {"num_layers", *layer_count}, {"num_attention_heads", heads}, {"num_kv_heads", kv}, {"head_dim", head_dim},
      {"intermediate_size", inner}, {"vocab_size", *vocab}, {"max_context", context}, {"family", type}};
  const bool tied = f.flag("tie_word_embeddings").value_or((traits & kTied) != 0);
  row["tie_embeddings"] = tied;
  if (!f.flag("tie_word_embeddings")) assume(std::string("input and output embeddings are ") + (tied ? "one matrix" : "two matrices") + ", as the architecture has it by default");
  const std::string act = f.word("hidden_act").empty() ? f.word("activation_function") : f.word("hidden_act");
  const bool plain = (traits & kPlain) != 0 || f.word("mlp_hidden_act") == "relu2" || act == "relu2";
  row["ffn_kind"] = plain ? (contains(act, "relu") ? "relu2" : "gelu") : type == "gpt_oss" ? "swiglu_oai" : (traits & kGelu) != 0 ? "geglu" : "swiglu";
  row["norm_kind"] = (traits & kNonparametric) != 0 ? "nonparametric" : (traits & kLayerNorm) != 0 ? "layernorm" : "rmsnorm";
  const bool field_bias = f.flag("attention_bias").value_or(f.flag("qkv_bias").value_or(f.flag("use_bias").value_or(f.flag("bias").value_or((traits & kQkvBias) != 0))));
  row["qkv_bias"] = field_bias || ((traits & kQkvBias) != 0 && !f.flag("attention_bias"));
  row["attn_out_bias"] = (traits & kOutBias) != 0 || (f.flag("attention_bias").value_or(false) && (traits & (kNoFieldBias | kQkvBias)) == 0 && !contains(type, "qwen"));
  row["mlp_bias"] = f.flag("mlp_bias").value_or((traits & kMlpBias) != 0);
  if ((traits & kHeadNorm) != 0 || (contains(type, "glm4_moe") && f.flag("use_qk_norm").value_or(false))) row["qk_norm"] = "head";
  else if ((traits & kFullNorm) != 0 && f.flag("use_qk_norm").value_or(true)) row["qk_norm"] = "full";
  if ((traits & kFourNorms) != 0) row["norms_per_layer"] = 4;
  if ((traits & kOneNorm) != 0 || (type == "falcon" && !f.flag("new_decoder_architecture").value_or(false))) row["norms_per_layer"] = 1;
  if (type == "gpt_oss") row["attn_sinks"] = true;
  if ((traits & kLearnedPositions) != 0) row["learned_positions"] = context;

  // ---- attention and feed-forward of every layer ----
  std::vector<Layer> all(layers);
  const auto rank = f.number({"kv_lora_rank"});
  const bool latent = rank && *rank > 0;
  if (latent) {
    const double rope = f.number({"qk_rope_head_dim"}, 64), nope = f.number({"qk_nope_head_dim"}, 128);
    row["mla"] = {{"kv_lora_rank", *rank}, {"qk_rope_head_dim", rope}, {"qk_nope_head_dim", nope}, {"v_head_dim", f.number({"v_head_dim"}, 128)}, {"q_lora_rank", f.number({"q_lora_rank"}, 0)}};
    row["head_dim"] = rope + nope;
    row["attention"] = "mla";
    if (const auto topk = f.number({"index_topk"}))
      row["sparse_indexer"] = {{"num_heads", f.number({"index_n_heads", "index_num_heads"}, 0)}, {"head_dim", f.number({"index_head_dim"}, 0)}, {"topk", *topk}};
  } else {
    row["attention"] = kv == heads ? "mha" : kv == 1 ? "mqa" : "gqa";
  }
  for (Layer& l : all) l.mixer = latent ? "mla" : "attn";
  double window = f.number({"sliding_window", "sliding_window_size", "attention_chunk_size"}, 0);
  if (f.flag("use_sliding_window") == std::optional(false)) window = 0;
  if (const json* types = f.list("layer_types"); types && types->size() == layers) {
    for (std::size_t i = 0; i < layers; ++i) {
      const std::string t = (*types)[i].is_string() ? lower((*types)[i].get<std::string>()) : "";
      if (contains(t, "sliding")) all[i].mixer = "swa";
      else if (contains(t, "chunked")) all[i].mixer = "chunked";
      else if (contains(t, "linear")) all[i].mixer = "gdn";
      else if (contains(t, "mamba")) all[i].mixer = "mamba2";
      else if (contains(t, "conv")) all[i].mixer = "shortconv";
    }
  } else if (contains(type, "llama4")) {  // every fourth layer sees all, unless a list says which
    const json* each = f.list("no_rope_layers");
    for (std::size_t i = 0; i < layers; ++i) {
      const bool whole = each && each->size() == layers ? (*each)[i].is_number() && (*each)[i].get<double>() == 0 : (i + 1) % 4 == 0;
      all[i].mixer = whole ? "attn" : "chunked";
    }
  } else if (const json* hybrid = f.list("hybrid_layer_pattern"); hybrid && hybrid->size() == layers) {
    for (std::size_t i = 0; i < layers; ++i)
      if ((*hybrid)[i].is_number() && (*hybrid)[i].get<double>() == 1) {
        all[i].mixer = "swa";
        all[i].kv_heads = f.number({"swa_num_key_value_heads"}, 0);
        if (f.flag("add_swa_attention_sink_bias").value_or(false)) all[i].extra = heads;
      }
  } else if (const auto every = f.number({"sliding_window_pattern", "_sliding_window_pattern"}); (every && *every >= 2) || type == "gemma2" || contains(type, "gemma3") || type == "cohere2") {
    const std::size_t step = static_cast<std::size_t>(every.value_or(type == "gemma2" ? 2 : type == "cohere2" ? 4 : 6));
    if (window > 0)
      for (std::size_t i = 0; i < layers; ++i)
        if ((i + 1) % step != 0) all[i].mixer = "swa";
  } else if (window > 0 && window < context && (type == "mistral" || type == "mixtral" || type == "starcoder2")) {
    for (Layer& l : all) l.mixer = "swa";
  } else if (const auto step = f.number({"full_attention_interval"}); step && *step >= 1) {
    for (std::size_t i = 0; i < layers; ++i)
      if ((i + 1) % static_cast<std::size_t>(*step) != 0) all[i].mixer = "gdn";
  }
  if (const auto value_dim = f.number({"v_head_dim"}); value_dim && !latent && *value_dim != head_dim)
    for (Layer& l : all) l.v_head_dim = *value_dim;
  if (const json* kinds = f.list("indexer_types"); kinds && kinds->size() == layers)
    for (std::size_t i = 0; i < layers; ++i) all[i].indexer = !((*kinds)[i].is_string() && (*kinds)[i] == "shared");
  if (contains(type, "gemma4"))
    for (Layer& l : all) {
      l.extra = 1;  // a scale of the layer's output
      if (l.mixer != "attn") continue;
      l.head_dim = f.number({"global_head_dim"}, 0);
      l.kv_heads = f.number({"num_global_key_value_heads"}, 0);
      l.k_eq_v = f.flag("attention_k_eq_v").value_or(false);
    }
  if (contains(type, "step3p")) {
    row["qk_norm"] = "head";
    row["attn_output_gate"] = "head";
  }
  if (const json* other = f.find("attention_other_setting"); other && other->is_object() && other->contains("num_attention_heads") && (*other)["num_attention_heads"].is_number())
    for (Layer& l : all)
      if (l.mixer == "swa") l.heads = (*other)["num_attention_heads"].get<double>();
  // DeepSeek V4: every layer keeps a window, and a compressed cache where its ratio is not 0.
  if (const json* ratios = f.list("compress_ratios"); ratios && ratios->size() >= layers) {
    row["v4"] = {{"q_lora_rank", f.number({"q_lora_rank"}, 0)}, {"o_groups", f.number({"o_groups"}, 1)}, {"o_lora_rank", f.number({"o_lora_rank"}, 0)}, {"hc_mult", f.number({"hc_mult"}, 1)},
        {"index_num_heads", f.number({"index_n_heads"}, 0)}, {"index_head_dim", f.number({"index_head_dim"}, 0)}, {"index_topk", f.number({"index_topk"}, 0)}, {"qk_rope_head_dim", f.number({"qk_rope_head_dim"}, 64)}};
    for (std::size_t i = 0; i < layers; ++i) {
      all[i].mixer = "v4";
      all[i].compress_ratio = (*ratios)[i].is_number() ? static_cast<int>(std::clamp((*ratios)[i].get<double>(), 0.0, 1e6)) : 0;
    }
    if (window > 0) row["sliding_window"] = window;
  }
  if (const json* linear = f.find("linear_attn_config"); linear && linear->is_object()) {
    const auto number = [&](const char* key, double otherwise) { const auto it = linear->find(key); return it != linear->end() && it->is_number() ? it->get<double>() : otherwise; };
    row["ssm"] = {{"type", "kda"}, {"num_heads", number("num_heads", heads)}, {"head_dim", number("head_dim", 128)}, {"conv_kernel", number("short_conv_kernel_size", 4)}, {"full_rank_gate", linear->value("use_full_rank_gate", false)}};
    if (const auto it = linear->find("kda_layers"); it != linear->end() && it->is_array() && it->size() <= kMostLayers)
      for (const json& v : *it)  // counted from 1
        if (v.is_number() && v.get<double>() >= 1 && v.get<double>() <= static_cast<double>(layers)) all[static_cast<std::size_t>(v.get<double>()) - 1].mixer = "kda";
    if (latent && f.flag("mla_use_output_gate").value_or(false)) row["mla"]["output_gate"] = true;
    row["ffn_kind"] = act == "situ" ? "situ" : "swiglu";
  }
  const bool slides = std::any_of(all.begin(), all.end(), [](const Layer& l) { return l.mixer == "swa" || l.mixer == "chunked"; });
  if (slides && window > 0) row["sliding_window"] = window;

  const auto experts = f.number({"num_experts", "n_routed_experts", "num_local_experts", "moe_num_experts"});
  if (experts && *experts > 1) {
    const double expert_inner = f.number({"moe_intermediate_size", "expert_ffn_hidden_size", "moe_ffn_hidden_size"}, f.number({"intermediate_size", "ffn_hidden_size"}, inner));
    const double shared = f.number({"n_shared_experts", "num_shared_experts", "num_shared_expert"}, contains(type, "llama4") ? 1 : 0);
    json moe = {{"num_experts", *experts}, {"experts_per_token", f.number({"num_experts_per_tok", "num_experts_per_token", "moe_topk", "moe_k", "moe_top_k", "top_k_experts", "experts_per_token"}, 2)},
        {"num_shared_experts", shared}, {"expert_intermediate_size", expert_inner}};
    if (const auto s = f.number({"shared_expert_intermediate_size", "moe_shared_expert_intermediate_size", "share_expert_dim", "share_expert_dims", "shared_intermediate_size"}); s && *s > 0) {
      moe["shared_expert_intermediate_size"] = *s;
      if (shared == 0) moe["num_shared_experts"] = 1;
      if (contains(type, "qwen")) moe["shared_gate"] = true;
    }
    moe["router_bias"] = (traits & kRouterBias) != 0 || f.word("topk_method") == "noaux_tc" || f.flag("use_routing_bias").value_or(false) || f.flag("use_router_bias").value_or(false) || f.flag("use_moe_router_bias").value_or(false);
    if (contains(type, "gemma4")) {
      moe["router_extra"] = h + *experts;
      moe["parallel_dense_mlp"] = true;
      row["norms_per_layer"] = 7;
    }
    if (type == "gpt_oss") moe["expert_bias"] = true;
    if (const auto latent_size = f.number({"moe_latent_size", "routed_expert_hidden_size"}); latent_size && *latent_size > 0) moe["latent_size"] = *latent_size;
    const double first = f.number({"first_k_dense_replace", "moe_layer_start_index"}, 0);
    const json* frequency = f.list("moe_layer_freq");
    const json* dense_only = f.list("mlp_only_layers");
    const json* moe_layers = f.list("moe_layers");
    const double step = std::max(1.0, frequency ? 1.0 : f.number({"decoder_sparse_step", "moe_layer_freq", "interleave_moe_layer_step", "expert_layer_period"}, 1));
    for (std::size_t i = 0; i < layers; ++i) {
      const double at = static_cast<double>(i);
      bool sparse = at >= first;
      if (contains(type, "llama4") || contains(type, "qwen")) sparse = sparse && std::fmod(at + 1, step) == 0;
      else sparse = sparse && std::fmod(at, step) == 0;
      if (frequency && i < frequency->size()) sparse = (*frequency)[i].is_number() && (*frequency)[i].get<double>() > 0;
      for (const json* set : {dense_only, moe_layers})
        if (set) {
          const bool named = std::any_of(set->begin(), set->end(), [&](const json& v) { return v.is_number() && v.get<double>() == at; });
          if (set == dense_only ? named : true) sparse = set == moe_layers && named;
        }
      if (const json* kinds = f.list("mlp_layer_types"); kinds && kinds->size() == layers) sparse = (*kinds)[i].is_string() && (*kinds)[i] == "sparse";
      all[i].ffn = contains(type, "gemma4") ? "dense+moe" : sparse ? "moe" : "dense";
    }
    row["moe"] = std::move(moe);
  }

  // ---- recurrent layers ----
  const bool hybrid_pattern = !pattern.empty() && pattern.size() == layers;
  if (hybrid_pattern) {
    for (std::size_t i = 0; i < layers; ++i) {
      all[i].mixer = pattern[i] == 'm' ? "mamba2" : pattern[i] == '*' ? "attn" : "none";
      all[i].ffn = pattern[i] == 'e' ? "moe" : pattern[i] == '-' ? "dense" : "none";
    }
    row["norms_per_layer"] = 1;
  }
  if (const json* kinds = f.list("layers_block_type"); kinds && kinds->size() == layers && contains(type, "nemotron")) {
    for (std::size_t i = 0; i < layers; ++i) {
      const std::string kind = (*kinds)[i].is_string() ? (*kinds)[i].get<std::string>() : "";
      all[i].mixer = kind == "mamba" ? "mamba2" : kind == "attention" ? "attn" : "none";
      all[i].ffn = kind == "moe" ? "moe" : kind == "mlp" ? "dense" : "none";
    }
    row["norms_per_layer"] = 1;
  }
  // Nemotron NAS: attention and feed-forward chosen block by block.
  if (const json* blocks = f.list("block_configs"); blocks && blocks->size() == layers) {
    const auto part = [&](std::size_t i, const char* key) { const json& b = (*blocks)[i]; return b.is_object() && b.contains(key) && b[key].is_object() ? b[key] : json::object(); };
    double widest = 0;
    for (std::size_t i = 0; i < layers; ++i) {
      const json attention = part(i, "attention"), ffn = part(i, "ffn");
      if (attention.value("no_op", false) || attention.value("replace_with_linear", false)) all[i].mixer = "none";
      else if (attention.contains("n_heads_in_group") && attention["n_heads_in_group"].is_number() && attention["n_heads_in_group"].get<double>() >= 1) all[i].kv_heads = heads / attention["n_heads_in_group"].get<double>();
      if (ffn.value("no_op", false)) all[i].ffn = "none";
      else if (ffn.contains("ffn_mult") && ffn["ffn_mult"].is_number()) all[i].intermediate = std::ceil(std::floor(2 * ffn["ffn_mult"].get<double>() * h / 3) / 256) * 256;
      widest = std::max(widest, all[i].intermediate);
      if (all[i].kv_heads > 0) row["num_kv_heads"] = all[i].kv_heads;
    }
    if (widest > 0) row["intermediate_size"] = widest;
    row["attention"] = "gqa";
  }
  if (const auto key_heads = f.number({"linear_num_key_heads"}))
    row["ssm"] = {{"type", "gdn"}, {"conv_kernel", f.number({"linear_conv_kernel_dim"}, 4)}, {"num_key_heads", *key_heads}, {"num_value_heads", f.number({"linear_num_value_heads"}, *key_heads)},
        {"key_head_dim", f.number({"linear_key_head_dim"}, 128)}, {"value_head_dim", f.number({"linear_value_head_dim"}, 128)}};
  else if (const auto state = f.number({"ssm_state_size", "mamba_d_state", "state_size"}); state && std::any_of(all.begin(), all.end(), [](const Layer& l) { return l.mixer == "mamba2"; }))
    row["ssm"] = {{"type", "mamba2"}, {"state_size", *state}, {"conv_kernel", f.number({"conv_kernel", "mamba_d_conv"}, 4)}, {"num_heads", f.number({"mamba_num_heads", "mamba_n_heads"}, 1)},
        {"head_dim", f.number({"mamba_head_dim", "mamba_d_head"}, 64)}, {"n_groups", f.number({"n_groups", "mamba_n_groups"}, 1)}};
  if (row.contains("ssm") && contains(type, "qwen")) row["attn_output_gate"] = "elementwise";

  // ---- equal layers in groups ----
  std::vector<std::pair<Layer, int>> groups;
  for (const Layer& l : all) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == l; });
    if (same == groups.end()) groups.emplace_back(l, 1);
    else ++same->second;
  }
  row["layer_groups"] = json::array();
  for (const auto& [l, count] : groups) {
    json g = {{"count", count}, {"mixer", l.mixer}, {"ffn", l.ffn}};
    const auto put = [&g](const char* key, double v) { if (v > 0) g[key] = v; };
    put("intermediate_size", l.intermediate);
    put("num_heads", l.heads);
    put("num_kv_heads", l.kv_heads);
    put("head_dim", l.head_dim);
    put("v_head_dim", l.v_head_dim);
    put("extra_per_layer", l.extra);
    if (l.compress_ratio >= 0) g["compress_ratio"] = l.compress_ratio;
    if (l.k_eq_v) g["k_eq_v"] = true;
    if (!l.indexer) g["indexer"] = false;
    row["layer_groups"].push_back(std::move(g));
  }
  for (const char* key : {"vision_config", "vision_encoder", "vit_config"})
    if (const auto it = config.find(key); it != config.end() && it->is_object()) {
      if (const double weights = vision_weights(*it, h); weights > 0) {
        row["vision_params"] = weights;
        assume("the vision tower is counted as a plain vision transformer of the stated sizes");
      }
      break;
    }
  row["kind"] = row.contains("vision_params") ? "vlm" : (traits & kEncoder) != 0 ? "embedding" : row.contains("moe") ? "moe" : row.contains("ssm") ? "hybrid" : "llm";
  if ((traits & kEncoder) != 0) row["no_lm_head"] = true;
  const json* q = f.find("quantization_config");
  if (q) out.precision = quantization_word(*q);

  Result<Model> read = read_model(row, "config");
  if (!read) return fault(read.error().path.c_str(), read.error().message);
  out.model = std::move(read.value());
  const ParamCount count = count_params(out.model);
  if (!(count.total > 0) || count.total > 1e15) return fault("config", "the sizes give no sensible number of weights");
  row["params_total"] = count.total;
  row["params_active"] = count.active;
  row["params_active_matmul"] = count.active_matmul;
  out.model.params_total = count.total;
  out.model.params_active = count.active;
  out.model.params_active_matmul = count.active_matmul;
  out.row = std::move(row);
  return out;
}

namespace {

/// Python writes Infinity and NaN, which JSON has not: outside of texts they become null.
std::string without_infinities(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      out += c;
      if (c == '\\' && i + 1 < text.size()) out += text[++i];
      else if (c == '"') quoted = false;
      continue;
    }
    if (c == '"') quoted = true;
    bool replaced = false;
    for (const std::string_view word : {"-Infinity", "Infinity", "NaN"})
      if (text.substr(i, word.size()) == word) {
        out += "null";
        i += word.size() - 1;
        replaced = true;
        break;
      }
    if (!replaced) out += c;
  }
  return out;
}

}  // namespace

Result<json> parse_config(std::string_view config) { return parse_json(without_infinities(config), "config"); }

std::string import_config_json(std::string_view config, std::string_view name) {
  const Result<json> document = parse_config(config);
  if (!document) return error_json(document.error());
  const Result<ImportedModel> imported = import_config(document.value(), std::string(name));
  if (!imported) return error_json(imported.error());
  const ImportedModel& m = imported.value();
  return json_text({{"model", m.row}, {"precision", m.precision.empty() ? json() : json(m.precision)}, {"assumptions", m.assumptions}, {"params_total", m.model.params_total}, {"params_active", m.model.params_active},
      {"kv_bytes_per_token_bf16", 2 * cache_of(m.model).growing_elements_per_token()}});
}

}  // namespace whichgpu
