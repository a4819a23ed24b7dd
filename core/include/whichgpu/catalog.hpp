#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "whichgpu/calibration.hpp"
#include "whichgpu/result.hpp"

/// What is true of the world, read once from data/*.json, immutable afterwards. Figures that are not known are
/// std::nullopt, never 0.
namespace whichgpu {

using Figure = std::optional<double>;

struct Gpu {
  std::string id, name, vendor, architecture, generation, segment, memory_type, compute_capability, link_type, form_factor;
  std::vector<std::string> aliases;
  int release_year = 0;
  Figure memory_gb, memory_gib_usable, memory_gib_cuda_linux, bandwidth_gb_per_s;
  Figure fp64_tflops, fp64_tensor_tflops, fp32_tflops, fp16_vector_tflops, tf32_tensor_tflops, fp16_tensor_tflops,
      fp16_tensor_fp16acc_tflops, bf16_tensor_tflops, fp8_tensor_tflops, int8_tensor_tops, fp4_tensor_tflops, int4_tensor_tops;
  Figure shader_cores, tensor_cores, sm_count, l2_cache_mb, link_gb_per_s_bidirectional, link_max_gpus, pcie_gen, pcie_lanes,
      mig_max_instances, tdp_w, launch_price_usd;
  int index = -1;  ///< position in the catalog
};

enum class Mixer : std::uint8_t { kAttention, kSliding, kChunked, kCross, kMla, kV4, kMamba1, kMamba2, kGatedDeltaNet, kKda, kLightning, kShortConv, kNone };
enum class Ffn : std::uint8_t { kDense, kMoe, kDenseAndMoe, kNone };

/// `count` equal layers. Figures of 0 mean "as the model says".
struct LayerGroup {
  int count = 0;
  Mixer mixer = Mixer::kAttention;
  Ffn ffn = Ffn::kDense;
  int num_heads = 0, num_kv_heads = 0, head_dim = 0, v_head_dim = 0;
  double intermediate_size = 0;
  double extra_per_layer = 0;   ///< further weights per layer
  int compress_ratio = -1;      ///< DeepSeek V4: cache compression, 0 none; -1 does not apply
  bool k_eq_v = false;          ///< keys serve as values: one cache
  bool kv_shared = false;       ///< uses another layer's cache
  bool indexer = true;          ///< has the sparse indexer that the model describes
};

struct Mla { int kv_lora_rank = 0, qk_rope_head_dim = 0, qk_nope_head_dim = 0, v_head_dim = 0, q_lora_rank = 0; bool output_gate = false; };
struct Moe {
  int num_experts = 0, experts_per_token = 0, num_shared_experts = 0;
  double expert_intermediate_size = 0, shared_expert_intermediate_size = 0, latent_size = 0, router_extra = 0;
  int first_dense_layers = 0, moe_layer_freq = 1;
  bool router_bias = false, shared_gate = false, parallel_dense_mlp = false, expert_bias = false;
};
struct Ssm {
  std::string type;
  int conv_kernel = 0, num_ssm_layers = 0, state_size = 0, num_heads = 0, head_dim = 0, num_key_heads = 0, num_value_heads = 0,
      key_head_dim = 0, value_head_dim = 0, n_groups = 0, dt_rank = 0;
  double expand = 0;
  bool dt_bc_norm = false, full_rank_gate = false;
};
struct V4 { int q_lora_rank = 0, o_groups = 0, o_lora_rank = 0, hc_mult = 0, index_num_heads = 0, index_head_dim = 0, index_topk = 0, qk_rope_head_dim = 0; };
struct SparseIndexer { int num_heads = 0, head_dim = 0, topk = 0; };
struct Component { std::string role, name; double params = 0; };

/// One model. The meaning of the fields is that of data/schema/models.schema.json.
struct Model {
  std::string id, name, family, organization, hf_repo, release, license, kind, native_dtype, ffn_kind, norm_kind, attention, qk_norm, attn_output_gate, task, native_resolution;
  std::vector<std::string> aliases;
  double params_total = 0, params_active = 0, params_active_matmul = 0;  ///< 0: does not apply (vision, diffusion)
  Figure params_nominal, vision_params, audio_params, lookup_params, mtp_params, hf_safetensors_total;
  double hidden_size = 0, intermediate_size = 0, vocab_size = 0, embedding_size = 0, learned_positions = 0, token_types = 0, sliding_window = 0, max_context = 0, per_layer_embedding_dim = 0;
  std::string stored_format;  ///< of a file that the model was read from; its weights then take stored_bytes, those of routed experts among them
  double stored_bytes = 0, stored_expert_bytes = 0;
  int num_layers = 0, num_attention_heads = 0, num_kv_heads = 0, head_dim = 0, norms_per_layer = -1, final_norms = -1, num_kv_shared_layers = 0;
  bool tie_embeddings = false, qkv_bias = false, attn_out_bias = false, mlp_bias = false, lm_head_bias = false, attn_sinks = false, no_lm_head = false, multimodal = false;
  std::optional<Mla> mla;
  std::optional<Moe> moe;
  std::optional<Ssm> ssm;
  std::optional<V4> v4;
  std::optional<SparseIndexer> sparse_indexer;
  std::vector<LayerGroup> layer_groups;
  std::vector<std::pair<std::string, double>> other_params;
  double kv_bytes_per_token_bf16 = 0, kv_bytes_per_token_bf16_windowed = 0, state_bytes_per_sequence = 0;
  // encoders and decoders of speech models
  int num_encoder_layers = 0, num_decoder_layers = 0;
  Figure gmacs_per_sample, activations_per_sample, samples_per_launch, encoder_gflops_per_30s, decoder_gflops_per_token, decoder_kv_bytes_fp16_self_per_token, cross_kv_bytes_fp16;
  // vision
  int resolution = 0;
  Figure gmacs_per_image, gflops_per_image, mega_activations_per_image;
  // image and video generation
  std::vector<Component> components;
  std::vector<double> latent_shape;
  Figure denoiser_params, denoiser_params_active, denoiser_gflops_per_step, vae_decode_gflops, gflops_per_step_1024;
  double denoiser_tokens = 0;
  int frames = 0, passes_per_step = 1, default_steps = 0;
  int index = -1;

  bool has_layers() const { return !layer_groups.empty(); }
  bool is_moe() const { return moe.has_value(); }
  /// Recurrent or linear-attention layers beside (or instead of) attention.
  bool is_hybrid() const { return ssm.has_value(); }
};

/// The GGUF tensor types of a mix; empty where the format is not GGUF.
struct QuantTypes { std::string attn_q, attn_k, attn_v, attn_output, ffn_gate_up, ffn_down, token_embd, output; };
struct Quant {
  std::string id, name, family;
  std::vector<std::string> aliases;
  Figure bits_nominal, bits_effective, block_size, scale_bits, embedding_bits, output_head_bits;
  Figure bpw_llama2_7b, bpw_llama31_8b, bpw_llama3_70b, bpw_llama2_70b;
  QuantTypes types;
  int index = -1;
};

struct Engine {
  std::string id, name, kv_paging_rule, kv_hybrid_rule;
  std::vector<std::string> aliases, formats, vendors, kv_formats, purpose;
  Figure kv_block_tokens, default_memory_fraction;
  int index = -1;
};

struct Provider {
  std::string id, name, kind, homepage, billing_granularity, min_commit, egress, regions, has_nvlink_nodes, multi_node, compliance, notes;
  std::vector<std::string> aliases;
  Figure max_gpus_per_node;
  std::string date;
  int index = -1;
};

struct Offer {
  std::string provider, instance, gpu, interconnect, region, billing_granularity, price_date, notes;
  std::vector<std::string> labels;
  int gpu_count = 0;
  int gpu_index = -1, provider_index = -1;  ///< -1: not in the catalog
  Figure gpu_memory_gb, vcpus, ram_gb, local_storage_gb;
  Figure price_usd_per_hour, spot_usd_per_hour, reserved_1y_usd_per_hour, reserved_3y_usd_per_hour, egress_usd_per_gb;
};

struct Ownership { std::string gpu; Figure street_price_low_usd, street_price_high_usd, used_price_low_usd, used_price_high_usd, tdp_w, typical_llm_power_w, host_server_cost_usd_per_gpu, pue_typical; std::string date; int gpu_index = -1; };
struct Electricity { std::string country, code; Figure household_usd_per_kwh, industrial_usd_per_kwh, gco2_per_kwh; int year = 0; };
struct Currency { std::string code, name, date; Figure usd_per_unit; };

/// Ids and aliases of one kind, looked up as normalize_name() writes them.
class NameIndex {
 public:
  struct Clash { std::string name; int first, second; };
  void add(std::string_view name, int position);
  /// Sorts the names; call once, before the first find(). Returns a name that stands for two positions, if there is one.
  std::optional<Clash> finish();
  /// -1 when unknown.
  int find(std::string_view name) const;
  /// Up to three known ids nearest by edit distance, for error messages.
  std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& ids) const;

 private:
  std::vector<std::pair<std::string, int>> names_;
};

/// Lower case, runs of space and '_' to '-', quotes dropped: "RTX 4090" -> "rtx-4090".
std::string normalize_name(std::string_view text);

struct Catalog {
  std::string as_of;  ///< the catalogs' date, YYYY-MM-DD
  std::vector<Gpu> gpus;
  std::vector<Model> models;
  std::vector<Quant> quants;
  std::vector<Engine> engines;
  std::vector<Provider> providers;
  std::vector<Offer> offers;  ///< sorted by gpu, provider, instance, region, price_date
  std::vector<Ownership> ownership;
  std::vector<Electricity> electricity;
  std::vector<Currency> currencies;
  Calibration calibration;

  const Gpu* find_gpu(std::string_view id_or_alias) const;
  /// By its code in capitals; of USD only when the catalog has it. Null: no rate.
  const Currency* find_currency(std::string_view code) const;
  const Model* find_model(std::string_view id_or_alias) const;
  const Quant* find_quant(std::string_view id_or_alias) const;
  const Engine* find_engine(std::string_view id_or_alias) const;
  const Provider* find_provider(std::string_view id_or_alias) const;

  NameIndex gpu_names, model_names, quant_names, engine_names, provider_names;
};

/// Reads the combined catalog document {"catalog":{…},"gpus":[…],"models":[…],…} (what `read_catalog_dir` of the program
/// and the site's bundle hold). Errors: kBadData with the path of the offending field.
Result<Catalog> load_catalog(const nlohmann::json& document);

/// Reads one model row, in the form of data/models/*.json. Errors: kBadData.
Result<Model> read_model(const nlohmann::json& row, const std::string& where);
/// Reads one GPU row, in the form of data/gpus.json. Errors: kBadData.
Result<Gpu> read_gpu(const nlohmann::json& row, const std::string& where);

}  // namespace whichgpu
