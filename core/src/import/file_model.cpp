#include "import/file_model.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.hpp"
#include "whichgpu/model_math.hpp"

namespace whichgpu {
namespace {

using nlohmann::json;

struct Part { double in = 0, out = 0, depth = 0, elements = 0, tensors = 0; };

/// The tensors of a layer, or those outside the layers, by role.
struct Parts {
  std::map<std::string, Part, std::less<>> by_role;
  double elements = 0;
  int norms = 0;

  const Part* find(std::string_view role) const {
    const auto it = by_role.find(role);
    return it == by_role.end() ? nullptr : &it->second;
  }
  bool has(std::string_view role) const { return find(role) != nullptr; }
  bool has_any_beginning(std::string_view begin) const {
    const auto it = by_role.lower_bound(begin);
    return it != by_role.end() && starts_with(it->first, begin);
  }
};

struct Layer {
  std::string mixer = "none", ffn = "none";
  double heads = 0, kv_heads = 0, head_dim = 0, v_head_dim = 0, intermediate = 0;
  bool k_eq_v = false, kv_shared = false, indexer = true;
  bool operator==(const Layer&) const = default;
};

/// Every n-th layer sees all tokens, the others a window, where the file has no list of them.
/// Source: llama.cpp, src/llama-model.cpp (set_swa_pattern).
struct WindowPattern { const char* architecture; int every; };
constexpr std::array<WindowPattern, 13> kWindowPatterns = {{{"gemma2", 2}, {"gemma3", 6}, {"gemma3n", 5}, {"gemma-embedding", 6}, {"gemma4", 6}, {"cohere2", 4}, {"gpt-oss", 2}, {"exaone4", 4}, {"olmo2", 4}, {"llama4", 4}, {"smallthinker", 4}, {"afmoe", 4}, {"modern-bert", 3}}};
constexpr double kLlama4Chunk = 8192;  // the same file

bool is_norm(const std::string& role) { return contains(role, "norm") && role.size() > 5 && role.find(".bias") == std::string::npos && !contains(role, "q_norm") && !contains(role, "k_norm") && !contains(role, "_a_norm") && !contains(role, "ssm") && !contains(role, "kv_"); }

class Deriver {
 public:
  explicit Deriver(const FileContents& c) : c_(c) {}

  Result<ImportedModel> derive() {
    if (auto e = sort_tensors()) return *e;
    const Part* table = outside_.find("token_embd");
    if (!table) return missing("token_embd.weight", "expected the table of tokens; without it this is no language model, or not all of it");
    hidden_ = table->in;
    if (!(hidden_ >= 1 && hidden_ <= 1e7)) return missing("token_embd.weight", "expected 1 to 10,000,000 columns");
    vocabulary_ = table->out;
    row_["id"] = "custom-model";
    row_["name"] = c_.name.empty() ? "imported model" : c_.name;
    row_["family"] = c_.architecture.empty() ? "unknown" : c_.architecture;
    row_["hidden_size"] = hidden_;
    row_["vocab_size"] = vocabulary_;
    row_["num_layers"] = layers_.size();
    const double context = key("context_length").value_or(0);
    if (!(context > 0)) out_.assumptions.push_back("the longest context is not stated");
    row_["max_context"] = context;
    encoder_ = key("pooling_type").has_value() || key("attention.causal") == std::optional(0.0);
    if (encoder_) row_["no_lm_head"] = true;
    row_["tie_embeddings"] = !outside_.has("output");
    if (const Part* positions = outside_.find("position_embd")) row_["learned_positions"] = positions->out;
    if (const Part* types = outside_.find("token_types")) row_["token_types"] = types->elements / hidden_;
    if (const Part* extra = outside_.find("per_layer_token_embd")) {
      row_["lookup_params"] = extra->elements;
      row_["per_layer_embedding_dim"] = extra->in / static_cast<double>(layers_.size());
    }
    if (auto e = attention_sizes()) return *e;
    if (auto e = read_layers()) return *e;
    feed_forward();
    recurrent();
    norms_and_biases();
    groups();
    return finish();
  }

 private:
  static Error missing(std::string path, std::string message) { return {ErrorCode::kMissingData, std::move(path), std::move(message)}; }
  static Error bad(std::string path, std::string message) { return {ErrorCode::kBadData, std::move(path), std::move(message)}; }

  const Fact* fact(const char* name) const { return c_.facts ? c_.facts->find(c_.architecture + "." + name) : nullptr; }
  std::optional<double> sensible(double v) const { return v >= 0 && v < 1e13 && std::floor(v) == v ? std::optional(v) : std::nullopt; }
  std::optional<double> key(const char* name) const {
    const Fact* f = fact(name);
    return f && f->number ? sensible(*f->number) : std::nullopt;
  }
  /// A key that has one value, or one for every layer.
  std::optional<double> key_of(const char* name, std::size_t layer) const {
    const Fact* f = fact(name);
    if (!f) return std::nullopt;
    if (f->number) return sensible(*f->number);
    return layer < f->numbers.size() ? sensible(f->numbers[layer]) : std::nullopt;
  }

  std::optional<Error> sort_tensors() {
    std::map<int, Parts> found;
    int last = -1;
    for (const PlacedTensor& p : c_.tensors) {
      const FileTensor& t = *p.tensor;
      if (p.role.tower) {
        towers_ += t.elements;
        continue;
      }
      if (p.role.layer >= static_cast<int>(kMostFileLayers)) return bad(t.name.substr(0, 80), "expected fewer than 4,096 layers");
      if (p.role.predictor && p.role.layer < 0) {
        predictor_ += t.elements;
        continue;
      }
      total_ += t.elements;
      Parts& parts = p.role.layer < 0 ? outside_ : found[p.role.layer];
      if (p.role.predictor) predictor_layers_.push_back(p.role.layer);
      last = std::max(last, p.role.layer);
      parts.elements += t.elements;
      if (is_norm(p.role.role)) ++parts.norms;
      Part& part = parts.by_role[p.role.role];
      part.elements += t.elements;
      part.tensors += 1;
      part.in = std::max(part.in, t.dims[0]);
      part.out = std::max(part.out, t.dims[1]);
      part.depth = std::max(part.depth, p.role.expert >= 0 ? p.role.expert + 1.0 : t.dims[2]);
    }
    const double blocks = key("block_count").value_or(last + 1.0), predicting = key("nextn_predict_layers").value_or(0);
    if (!(blocks >= 1 && blocks <= static_cast<double>(kMostFileLayers)) || blocks < last + 1.0 || predicting >= blocks) return bad("block_count", "expected 1 to 4,096 layers, at least as many as have tensors");
    std::sort(predictor_layers_.begin(), predictor_layers_.end());
    // Layers that guess several tokens ahead are no part of the model proper.
    for (std::size_t i = 0; i < static_cast<std::size_t>(blocks); ++i) {
      const bool predicts = static_cast<double>(i) >= blocks - predicting || std::binary_search(predictor_layers_.begin(), predictor_layers_.end(), static_cast<int>(i));
      const auto it = found.find(static_cast<int>(i));
      if (!predicts && it == found.end()) return missing("blk." + std::to_string(i), "expected the tensors of layer " + std::to_string(i) + " of " + format_number(blocks));
      if (predicts) {
        if (it != found.end()) {
          predictor_ += it->second.elements;
          total_ -= it->second.elements;
        }
      } else {
        layers_.push_back(std::move(it->second));
      }
    }
    return layers_.empty() ? std::optional(missing("blk.0", "expected tensors of layers")) : std::nullopt;
  }

  /// Heads are no property of a matrix: the keys say them, or the norm of a head does.
  std::optional<Error> attention_sizes() {
    stated_heads_ = fact("attention.head_count") != nullptr;
    if (stated_heads_) return std::nullopt;
    for (const Parts& p : layers_) {
      if (p.has_any_beginning("attn_qkv")) return missing("attention.head_count", "the number of heads is not in this file: give its config.json too");
      const Part* norm = p.find("attn_q_norm");
      const Part* q = p.find("attn_q");
      if (norm && q && norm->in > 0 && norm->in < q->out && std::fmod(q->out, norm->in) == 0) assumed_head_ = norm->in;
    }
    if (assumed_head_ > 0) return std::nullopt;
    assumed_head_ = 128;  // of most models of the last years; the cache's size does not depend on it
    for (const Parts& p : layers_) {
      const Part* k = p.find("attn_k");
      if (k && std::fmod(k->out, assumed_head_) != 0) assumed_head_ = 64;
    }
    out_.assumptions.push_back("the size of a head is not in the file: " + format_number(assumed_head_) + " (the cache's size does not depend on it)");
    return std::nullopt;
  }

  double head_dim_of(std::size_t i, double heads, bool slides) const {
    if (!stated_heads_) return assumed_head_;
    if (slides)
      if (const auto v = key_of("attention.key_length_swa", i)) return *v;
    return key_of("attention.key_length", i).value_or(heads > 0 ? std::floor(hidden_ / heads) : 0);
  }

  std::string window_kind(std::size_t i) const {
    const Fact* pattern = fact("attention.sliding_window_pattern");
    if (pattern && pattern->numbers.size() > i) return pattern->numbers[i] != 0 ? "swa" : "attn";
    int every = pattern && pattern->number && *pattern->number >= 1 && *pattern->number <= 4096 ? static_cast<int>(*pattern->number) : 0;
    for (const WindowPattern& w : kWindowPatterns)
      if (every == 0 && c_.architecture == w.architecture) every = w.every;
    return every > 1 && (i + 1) % static_cast<std::size_t>(every) != 0 ? c_.architecture == "llama4" ? "chunked" : "swa" : "attn";
  }

  std::optional<Error> read_layers() {
    const double window = c_.architecture == "llama4" ? kLlama4Chunk : key("attention.sliding_window").value_or(0);
    const double shared = key("attention.shared_kv_layers").value_or(0), count = static_cast<double>(layers_.size());
    any_indexer_ = std::any_of(layers_.begin(), layers_.end(), [](const Parts& p) { return p.has_any_beginning("indexer"); });
    bool slid = false, unknown = false, both = false;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const Parts& p = layers_[i];
      Layer l;
      const bool recurrent = p.has_any_beginning("ssm_") || p.has_any_beginning("shortconv");
      if (p.has("attn_kv_a_mqa")) l.mixer = "mla";
      else if (p.has("ssm_f_a") || p.has("ssm_conv1d_q")) l.mixer = "kda";
      else if (p.has("ssm_ba") || p.has("ssm_beta") || p.has("ssm_beta_alpha") || p.has("ssm_alpha")) l.mixer = "gdn";
      else if (p.has("shortconv.in_proj")) l.mixer = "shortconv";
      else if (p.has("attn_q") || p.has("attn_qkv")) l.mixer = window > 0 ? window_kind(i) : "attn";
      else if (p.has("ssm_x")) l.mixer = "mamba1";
      else if (p.has("ssm_in")) l.mixer = "mamba2";
      else if (p.has("cross_attn_q_proj") || p.has("cross_attn_q")) l.mixer = "cross";
      else if (p.has_any_beginning("attn_") && !p.has("attn_norm")) unknown = true;
      else if (p.has_any_beginning("time_mix") || p.has_any_beginning("linear_attn") || p.has_any_beginning("mixer") || p.has_any_beginning("self_attn")) unknown = true;
      both = both || (recurrent && (l.mixer == "attn" || l.mixer == "swa"));
      slid = slid || l.mixer == "swa" || l.mixer == "chunked";
      if (l.mixer == "attn" || l.mixer == "swa" || l.mixer == "chunked" || l.mixer == "cross") {
        const Part* q = p.find("attn_q");
        const Part* k = p.find("attn_k");
        const Part* v = p.find("attn_v");
        const Part* o = p.find("attn_output");
        const double stated = key_of("attention.head_count", i).value_or(0);
        l.head_dim = head_dim_of(i, stated, l.mixer == "swa");
        if (!(l.head_dim >= 1)) return bad("attention.head_count", "expected at least one head in layer " + std::to_string(i));
        l.heads = stated > 0 ? stated : q ? std::floor(q->out / l.head_dim) : 0;
        if (!stated_heads_ && o && o->in > 0 && o->in < l.heads * l.head_dim) l.heads = std::floor(o->in / l.head_dim);  // queries and an output gate in one matrix
        if (q && q->out == 2 * l.heads * l.head_dim) row_["attn_output_gate"] = "elementwise";
        l.kv_heads = k ? std::floor(k->out / l.head_dim) : key_of("attention.head_count_kv", i).value_or(l.heads);
        if (!(l.heads >= 1 && l.heads <= 65536 && l.kv_heads >= 1 && l.kv_heads <= l.heads)) return bad("attention.head_count", "expected 1 to 65,536 heads, and no more for keys than for queries, in layer " + std::to_string(i));
        if (v && l.kv_heads > 0 && v->out != l.kv_heads * l.head_dim) l.v_head_dim = std::floor(v->out / l.kv_heads);
        else if (!v && !k && key_of("attention.value_length", i).value_or(l.head_dim) != l.head_dim) l.v_head_dim = *key_of("attention.value_length", i);
        l.k_eq_v = k && !v && !p.has("attn_qkv");
        l.kv_shared = (q && !k && !p.has("attn_qkv")) || static_cast<double>(i) >= count - shared;
      }
      const bool expert = p.has_any_beginning("ffn_up_exps") || p.has("ffn_gate_up_exps") || p.has_any_beginning("ffn_down_exps"), dense = p.has("ffn_up") || p.has("ffn_down");
      l.ffn = expert && dense ? "dense+moe" : expert ? "moe" : dense ? "dense" : "none";
      if (const Part* down = p.find("ffn_down")) l.intermediate = down->in;
      l.indexer = l.mixer != "mla" || p.has_any_beginning("indexer") || !any_indexer_;
      each_.push_back(l);
    }
    if (slid) row_["sliding_window"] = window;
    else if (window > 0 && (context_above(window))) out_.assumptions.push_back("the file names a window of " + format_number(window) + " tokens but not the layers that have it: all layers keep all tokens");
    if (both) out_.assumptions.push_back("layers with attention and a recurrent part side by side are counted as attention");
    if (unknown) out_.assumptions.push_back("some layers mix tokens in a way that is not known here: their state is not counted");
    if (std::any_of(each_.begin(), each_.end(), [](const Layer& l) { return l.mixer == "mla"; })) return latent();
    return std::nullopt;
  }

  bool context_above(double window) const { return key("context_length").value_or(0) > window; }

  std::optional<Error> latent() {
    const auto at = std::find_if(layers_.begin(), layers_.end(), [](const Parts& p) { return p.has("attn_kv_a_mqa"); });
    const Parts& p = *at;
    const std::size_t i = static_cast<std::size_t>(at - layers_.begin());
    const double joined = p.find("attn_kv_a_mqa")->out, rank = p.has("attn_kv_a_norm") ? p.find("attn_kv_a_norm")->in : key("attention.kv_lora_rank").value_or(0), rope = joined - rank;
    const Part* q = p.has("attn_q_b") ? p.find("attn_q_b") : p.find("attn_q");
    const Part* o = p.find("attn_output");
    constexpr double kUsualPart = 128;  // DeepSeek V2 and V3, Kimi K2: nope and value parts of a head (their config.json)
    double heads = key_of("attention.head_count", i).value_or(0);
    if (!(heads > 0) && o) {
      heads = std::floor(o->in / kUsualPart);
      out_.assumptions.push_back("the size of a head's value is not in the file: " + format_number(kUsualPart));
    }
    if (!q || !o || !(rank >= 1 && rope >= 0 && heads >= 1 && heads <= 65536)) return bad("attn_kv_a_mqa.weight", "expected latent attention with a rank, queries, an output and heads");
    const double whole = std::floor(q->out / heads);
    if (!(whole > rope)) return bad(p.has("attn_q_b") ? "attn_q_b.weight" : "attn_q.weight", "expected more rows than the rotated part of every head");
    row_["mla"] = {{"kv_lora_rank", rank}, {"qk_rope_head_dim", rope}, {"qk_nope_head_dim", whole - rope}, {"v_head_dim", std::floor(o->in / heads)}, {"q_lora_rank", p.has("attn_q_a") ? p.find("attn_q_a")->out : 0}};
    for (Layer& l : each_)
      if (l.mixer == "mla") {
        l.heads = l.kv_heads = heads;
        l.head_dim = whole;
      }
    if (any_indexer_)
      row_["sparse_indexer"] = {{"num_heads", key("attention.indexer.head_count").value_or(0)}, {"head_dim", key("attention.indexer.key_length").value_or(0)}, {"topk", key("attention.indexer.top_k").value_or(0)}};
    return std::nullopt;
  }

  void feed_forward() {
    double widest = 0;
    for (const Layer& l : each_) widest = std::max(widest, l.intermediate);
    row_["intermediate_size"] = widest > 0 ? widest : 0;
    bool gated = false, any = false;
    for (const Parts& p : layers_) {
      const Part* up = p.find("ffn_up");
      const Part* down = p.find("ffn_down");
      gated = gated || p.has("ffn_gate") || p.has_any_beginning("ffn_gate_exps") || p.has("ffn_gate_up_exps") || (up && down && up->out == 2 * down->in);
      any = any || down || p.has_any_beginning("ffn_down_exps");
    }
    row_["ffn_kind"] = !gated && any ? contains(c_.architecture, "nemotron") ? "relu2" : "gelu" : c_.architecture == "gpt-oss" ? "swiglu_oai" : contains(c_.architecture, "gemma") ? "geglu" : "swiglu";
    const auto sparse = std::find_if(layers_.begin(), layers_.end(), [](const Parts& p) { return p.has("ffn_down_exps"); });
    if (sparse == layers_.end()) return;
    const Parts& p = *sparse;
    const Part* router = p.find("ffn_gate_inp");
    const Part* down = p.find("ffn_down_exps");
    const double experts = router ? router->out : down->depth;
    double used = key("expert_used_count").value_or(0);
    if (!(used >= 1 && used <= experts)) {
      used = std::min(8.0, experts);
      out_.assumptions.push_back("the experts that a token uses are not in the file: " + format_number(used));
    }
    json moe = {{"num_experts", experts}, {"experts_per_token", used}, {"num_shared_experts", 0}, {"expert_intermediate_size", down->in}};
    if (const Part* together = p.find("ffn_down_shexp")) {
      moe["num_shared_experts"] = std::max(1.0, key("expert_shared_count").value_or(1));
      moe["shared_expert_intermediate_size"] = together->in;
    }
    if (p.has("ffn_gate_inp_shexp")) moe["shared_gate"] = true;
    moe["router_bias"] = p.has("exp_probs_b.bias") || p.has("exp_probs_b") || p.has("ffn_gate_inp.bias");
    if (p.has("ffn_down_exps.bias")) moe["expert_bias"] = true;
    if (p.has("ffn_down")) moe["parallel_dense_mlp"] = true;
    if (const Part* up = p.has("ffn_up_exps") ? p.find("ffn_up_exps") : p.find("ffn_gate_up_exps"); up && up->in != hidden_ && down->tensors == 1 && contains(c_.architecture, "nemotron")) moe["latent_size"] = up->in;
    row_["moe"] = std::move(moe);
  }

  void recurrent() {
    const auto first = [&](const char* mixer) { return std::any_of(each_.begin(), each_.end(), [&](const Layer& l) { return l.mixer == mixer; }); };
    const double kernel = key("ssm.conv_kernel").value_or(4), inner = key("ssm.inner_size").value_or(0), state = key("ssm.state_size").value_or(0), groups = key("ssm.group_count").value_or(1), rank = std::max(1.0, key("ssm.time_step_rank").value_or(1));
    if (first("gdn")) row_["ssm"] = {{"type", "gated_delta_net"}, {"conv_kernel", kernel}, {"num_key_heads", groups}, {"num_value_heads", rank}, {"key_head_dim", state}, {"value_head_dim", std::floor(inner / rank)}};
    else if (first("mamba2")) row_["ssm"] = {{"type", "mamba2"}, {"conv_kernel", kernel}, {"state_size", state}, {"num_heads", rank}, {"head_dim", std::floor(inner / rank)}, {"n_groups", groups}};
    else if (first("mamba1")) row_["ssm"] = {{"type", "mamba1"}, {"conv_kernel", kernel}, {"state_size", state}, {"dt_rank", rank}, {"expand", inner / hidden_}};
    else if (first("kda")) {
      double heads = 0;
      for (std::size_t i = 0; i < each_.size(); ++i)
        if (each_[i].mixer == "kda") heads = std::max(heads, key_of("attention.head_count", i).value_or(0));
      row_["ssm"] = {{"type", "kda"}, {"conv_kernel", kernel}, {"num_heads", heads}, {"head_dim", key("kda.head_dim").value_or(128)}};
    } else if (first("shortconv")) row_["ssm"] = {{"type", "shortconv"}, {"conv_kernel", key("shortconv.l_cache").value_or(3)}};
  }

  void norms_and_biases() {
    std::map<int, int> norms;
    bool qkv = false, output = false, mlp = false, sinks = false, with_bias = false;
    std::string head_norm;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const Parts& p = layers_[i];
      ++norms[p.norms];
      qkv = qkv || p.has("attn_q.bias") || p.has("attn_qkv.bias");
      output = output || p.has("attn_output.bias");
      mlp = mlp || p.has("ffn_down.bias");
      sinks = sinks || p.has_any_beginning("attn_sinks");
      with_bias = with_bias || p.has("attn_norm.bias");
      if (const Part* n = p.find("attn_q_norm")) head_norm = n->in * n->out > each_[i].head_dim ? "full" : "head";
    }
    const auto usual = std::max_element(norms.begin(), norms.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    row_["norms_per_layer"] = usual->first;
    row_["norm_kind"] = with_bias ? "layernorm" : "rmsnorm";
    row_["qkv_bias"] = qkv;
    row_["attn_out_bias"] = output;
    row_["mlp_bias"] = mlp;
    if (sinks) row_["attn_sinks"] = true;
    if (!head_norm.empty() && !row_.contains("mla")) row_["qk_norm"] = head_norm;
  }

  void groups() {
    // What most attention layers have stands in the model, what differs in its group.
    std::vector<std::pair<Layer, int>> all;
    for (const Layer& l : each_) {
      const auto same = std::find_if(all.begin(), all.end(), [&](const auto& g) { return g.first == l; });
      if (same == all.end()) all.emplace_back(l, 1);
      else ++same->second;
    }
    const std::pair<Layer, int>* main = nullptr;
    for (const auto& g : all)
      if (g.first.heads > 0 && (!main || g.second > main->second)) main = &g;
    const Layer usual = main ? main->first : Layer{};
    row_["num_attention_heads"] = std::max(1.0, usual.heads);
    row_["num_kv_heads"] = std::max(1.0, usual.kv_heads);
    row_["head_dim"] = usual.head_dim > 0 ? usual.head_dim : hidden_;
    row_["attention"] = usual.mixer == "mla" ? "mla" : usual.heads == usual.kv_heads ? "mha" : usual.kv_heads == 1 ? "mqa" : "gqa";
    row_["layer_groups"] = json::array();
    for (const auto& [l, count] : all) {
      json g = {{"count", count}, {"mixer", l.mixer}, {"ffn", l.ffn}};
      const auto put = [&g](const char* name, double v, double otherwise) { if (v > 0 && v != otherwise) g[name] = v; };
      put("intermediate_size", l.intermediate, row_["intermediate_size"].get<double>());
      put("num_heads", l.heads, usual.heads);
      put("num_kv_heads", l.kv_heads, usual.kv_heads);
      put("head_dim", l.head_dim, usual.head_dim);
      put("v_head_dim", l.v_head_dim, 0);
      if (l.k_eq_v) g["k_eq_v"] = true;
      if (l.kv_shared) g["kv_shared"] = true;
      if (!l.indexer) g["indexer"] = false;
      row_["layer_groups"].push_back(std::move(g));
    }
  }

  Result<ImportedModel> finish() {
    if (towers_ > 0) row_["vision_params"] = towers_;
    if (predictor_ > 0) row_["mtp_params"] = predictor_;
    row_["kind"] = towers_ > 0 ? "vlm" : encoder_ ? "embedding" : row_.contains("moe") ? "moe" : row_.contains("ssm") ? "hybrid" : "llm";
    Result<Model> read = read_model(row_, "model");
    if (!read) return read.error();
    const double whole = total_ + towers_, explained = count_params(read.value()).total, rest = whole - explained;
    // The shapes above explain nearly all of a known architecture's weights (a test holds that); the rest is counted too.
    if (rest > 0) {
      row_["other_params"] = {{"further tensors", rest}};
      if (rest > 0.005 * whole) out_.assumptions.push_back(format_number(100 * rest / whole, 2) + " % of the weights are of kinds that are not known here: counted as used by every token");
      read = read_model(row_, "model");
      if (!read) return read.error();
    } else if (-rest > 0.005 * whole) {
      out_.assumptions.push_back("the sizes explain " + format_number(-100 * rest / whole, 2) + " % more weights than the file has");
    }
    const ParamCount count = count_params(read.value());
    if (!(whole > 0 && whole < 1e15 && count.total < 1e15)) return bad("tensors", "expected a sensible number of weights");
    out_.model = std::move(read.value());
    row_["params_total"] = out_.model.params_total = whole;
    row_["params_active"] = out_.model.params_active = std::min(whole, count.active);
    row_["params_active_matmul"] = out_.model.params_active_matmul = std::min(whole, count.active_matmul);
    out_.row = std::move(row_);
    return std::move(out_);
  }

  const FileContents& c_;
  Parts outside_;
  std::vector<Parts> layers_;
  std::vector<Layer> each_;
  std::vector<int> predictor_layers_;
  ImportedModel out_;
  json row_;
  double hidden_ = 0, vocabulary_ = 0, towers_ = 0, predictor_ = 0, total_ = 0, assumed_head_ = 0;
  bool stated_heads_ = false, encoder_ = false, any_indexer_ = false;
};

}  // namespace

Result<ImportedModel> model_of_contents(const FileContents& contents) { return Deriver(contents).derive(); }

}  // namespace whichgpu
