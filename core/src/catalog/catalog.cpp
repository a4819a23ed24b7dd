#include "whichgpu/catalog.hpp"

#include <algorithm>
#include <array>

#include "base/order.hpp"
#include <nlohmann/json.hpp>

#include "catalog/row_reader.hpp"

namespace whichgpu {
namespace {

using nlohmann::json;

struct MixerName { const char* name; Mixer mixer; };
constexpr std::array<MixerName, 13> kMixers = {{{"attn", Mixer::kAttention}, {"swa", Mixer::kSliding}, {"chunked", Mixer::kChunked}, {"cross", Mixer::kCross},
    {"mla", Mixer::kMla}, {"v4", Mixer::kV4}, {"mamba1", Mixer::kMamba1}, {"mamba2", Mixer::kMamba2}, {"gdn", Mixer::kGatedDeltaNet}, {"kda", Mixer::kKda},
    {"lightning", Mixer::kLightning}, {"shortconv", Mixer::kShortConv}, {"none", Mixer::kNone}}};
struct FfnName { const char* name; Ffn ffn; };
constexpr std::array<FfnName, 4> kFfns = {{{"dense", Ffn::kDense}, {"moe", Ffn::kMoe}, {"dense+moe", Ffn::kDenseAndMoe}, {"none", Ffn::kNone}}};

LayerGroup read_layer_group(const json& row, const std::string& where, RowReader& outer) {
  LayerGroup g;
  RowReader r(row, where);
  std::string mixer, ffn;
  r.whole("count", g.count);
  r.text("mixer", mixer, true);
  r.text("ffn", ffn, true);
  const auto m = std::find_if(kMixers.begin(), kMixers.end(), [&](const MixerName& n) { return mixer == n.name; });
  if (m == kMixers.end()) r.fail("mixer", "unknown mixer \"" + mixer + "\"");
  else g.mixer = m->mixer;
  const auto f = std::find_if(kFfns.begin(), kFfns.end(), [&](const FfnName& n) { return ffn == n.name; });
  if (f == kFfns.end()) r.fail("ffn", "unknown ffn \"" + ffn + "\"");
  else g.ffn = f->ffn;
  r.whole("num_heads", g.num_heads);
  r.whole("num_kv_heads", g.num_kv_heads);
  r.whole("head_dim", g.head_dim);
  r.whole("v_head_dim", g.v_head_dim);
  r.plain("intermediate_size", g.intermediate_size);
  r.plain("extra_per_layer", g.extra_per_layer);
  r.whole("compress_ratio", g.compress_ratio);
  r.flag("k_eq_v", g.k_eq_v);
  r.flag("kv_shared", g.kv_shared);
  r.flag("indexer", g.indexer);
  outer.adopt(r);
  return g;
}

/// Reads the sub-object `key` with `fill`, if there is one.
template <class T, class Fill>
void read_part(RowReader& r, const char* key, std::optional<T>& out, Fill&& fill) {
  const json* v = r.find(key);
  if (!v) return;
  RowReader part(*v, r.where() + "/" + key);
  T value;
  fill(part, value);
  if (!r.adopt(part)) out = std::move(value);
}

void read_architecture(RowReader& r, Model& m) {
  read_part<Mla>(r, "mla", m.mla, [](RowReader& p, Mla& v) {
    p.whole("kv_lora_rank", v.kv_lora_rank);
    p.whole("qk_rope_head_dim", v.qk_rope_head_dim);
    p.whole("qk_nope_head_dim", v.qk_nope_head_dim);
    p.whole("v_head_dim", v.v_head_dim);
    p.whole("q_lora_rank", v.q_lora_rank);
    p.flag("output_gate", v.output_gate);
  });
  read_part<Moe>(r, "moe", m.moe, [](RowReader& p, Moe& v) {
    p.whole("num_experts", v.num_experts);
    p.whole("experts_per_token", v.experts_per_token);
    p.whole("num_shared_experts", v.num_shared_experts);
    p.plain("expert_intermediate_size", v.expert_intermediate_size);
    p.plain("shared_expert_intermediate_size", v.shared_expert_intermediate_size);
    p.plain("latent_size", v.latent_size);
    p.plain("router_extra", v.router_extra);
    p.whole("first_dense_layers", v.first_dense_layers);
    p.whole("moe_layer_freq", v.moe_layer_freq);
    p.flag("router_bias", v.router_bias);
    p.flag("shared_gate", v.shared_gate);
    p.flag("parallel_dense_mlp", v.parallel_dense_mlp);
    p.flag("expert_bias", v.expert_bias);
  });
  read_part<Ssm>(r, "ssm", m.ssm, [](RowReader& p, Ssm& v) {
    p.text("type", v.type);
    p.whole("conv_kernel", v.conv_kernel);
    p.whole("num_ssm_layers", v.num_ssm_layers);
    p.whole("state_size", v.state_size);
    p.whole("num_heads", v.num_heads);
    p.whole("head_dim", v.head_dim);
    p.whole("num_key_heads", v.num_key_heads);
    p.whole("num_value_heads", v.num_value_heads);
    p.whole("key_head_dim", v.key_head_dim);
    p.whole("value_head_dim", v.value_head_dim);
    p.whole("n_groups", v.n_groups);
    p.whole("dt_rank", v.dt_rank);
    p.plain("expand", v.expand);
    p.flag("dt_bc_norm", v.dt_bc_norm);
    p.flag("full_rank_gate", v.full_rank_gate);
  });
  read_part<V4>(r, "v4", m.v4, [](RowReader& p, V4& v) {
    p.whole("q_lora_rank", v.q_lora_rank);
    p.whole("o_groups", v.o_groups);
    p.whole("o_lora_rank", v.o_lora_rank);
    p.whole("hc_mult", v.hc_mult);
    p.whole("index_num_heads", v.index_num_heads);
    p.whole("index_head_dim", v.index_head_dim);
    p.whole("index_topk", v.index_topk);
    p.whole("qk_rope_head_dim", v.qk_rope_head_dim);
  });
  read_part<SparseIndexer>(r, "sparse_indexer", m.sparse_indexer, [](RowReader& p, SparseIndexer& v) {
    p.whole("num_heads", v.num_heads);
    p.whole("head_dim", v.head_dim);
    p.whole("topk", v.topk);
  });
  if (const json* groups = r.find("layer_groups")) {
    if (!groups->is_array()) return r.fail("layer_groups", "expected a list");
    for (std::size_t i = 0; i < groups->size(); ++i)
      m.layer_groups.push_back(read_layer_group((*groups)[i], r.where() + "/layer_groups/" + std::to_string(i), r));
  }
  if (const json* other = r.find("other_params")) {
    if (!other->is_object()) return r.fail("other_params", "expected an object of numbers");
    RowReader p(*other, r.where() + "/other_params");
    for (const auto& [key, value] : other->items()) {
      double v = 0;
      if (p.number(key.c_str(), v)) m.other_params.emplace_back(key, v);
    }
    r.adopt(p);
  }
  if (const json* components = r.find("components")) {
    if (!components->is_array()) return r.fail("components", "expected a list");
    for (std::size_t i = 0; i < components->size(); ++i) {
      RowReader p((*components)[i], r.where() + "/components/" + std::to_string(i));
      Component c;
      p.text("role", c.role, true);
      p.text("name", c.name);
      p.plain("params", c.params);
      if (r.adopt(p)) return;
      m.components.push_back(std::move(c));
    }
  }
  if (const json* shape = r.find("latent_shape")) {
    if (!shape->is_array()) return r.fail("latent_shape", "expected a list of numbers");
    for (const json& v : *shape) {
      if (!v.is_number()) return r.fail("latent_shape", "expected a list of numbers");
      m.latent_shape.push_back(v.get<double>());
    }
  }
}

Result<Quant> read_quant(const json& row, const std::string& where) {
  Quant q;
  RowReader r(row, where);
  r.text("id", q.id, true);
  r.text("name", q.name, true);
  r.text("family", q.family, true);
  r.texts("aliases", q.aliases);
  r.figure("bits_per_weight_nominal", q.bits_nominal);
  r.figure("bits_per_weight_effective", q.bits_effective);
  r.figure("block_size", q.block_size);
  r.figure("scale_bits", q.scale_bits);
  r.figure("embedding_bits", q.embedding_bits);
  r.figure("output_head_bits", q.output_head_bits);
  r.figure("bpw_llama2_7b", q.bpw_llama2_7b);
  r.figure("bpw_llama31_8b", q.bpw_llama31_8b);
  r.figure("bpw_llama3_70b", q.bpw_llama3_70b);
  r.figure("bpw_llama2_70b", q.bpw_llama2_70b);
  if (const json* types = r.find("types")) {
    RowReader t(*types, where + "/types");
    t.text("attn_q", q.types.attn_q);
    t.text("attn_k", q.types.attn_k);
    t.text("attn_v", q.types.attn_v);
    t.text("attn_output", q.types.attn_output);
    t.text("ffn_gate_up", q.types.ffn_gate_up);
    t.text("ffn_down", q.types.ffn_down);
    t.text("token_embd", q.types.token_embd);
    t.text("output", q.types.output);
    if (t.failed()) return t.error();
  }
  if (r.failed()) return r.error();
  return q;
}

Result<Engine> read_engine(const json& row, const std::string& where) {
  Engine e;
  RowReader r(row, where);
  r.text("id", e.id, true);
  r.text("name", e.name, true);
  r.texts("aliases", e.aliases);
  r.texts("formats", e.formats);
  r.texts("vendors", e.vendors);
  r.texts("kv_formats", e.kv_formats);
  r.texts("purpose", e.purpose);
  if (const json* paging = r.find("kv_paging")) {
    RowReader p(*paging, where + "/kv_paging");
    p.text("rule", e.kv_paging_rule);
    p.text("hybrid", e.kv_hybrid_rule);
    p.figure("block_tokens", e.kv_block_tokens);
    if (p.failed()) return p.error();
  }
  r.figure("default_memory_fraction", e.default_memory_fraction);
  if (r.failed()) return r.error();
  return e;
}

Result<Provider> read_provider(const json& row, const std::string& where) {
  Provider p;
  RowReader r(row, where);
  r.text("id", p.id, true);
  r.text("name", p.name, true);
  r.texts("aliases", p.aliases);
  r.text("kind", p.kind);
  r.text("homepage", p.homepage);
  r.text("billing_granularity", p.billing_granularity);
  r.text("min_commit", p.min_commit);
  r.text("egress", p.egress);
  r.text("regions", p.regions);
  r.text("has_nvlink_nodes", p.has_nvlink_nodes);
  r.figure("max_gpus_per_node", p.max_gpus_per_node);
  r.text("multi_node", p.multi_node);
  r.text("compliance", p.compliance);
  if (r.failed()) return r.error();
  return p;
}

Result<Offer> read_offer(const json& row, const std::string& where) {
  Offer o;
  RowReader r(row, where);
  r.text("provider", o.provider, true);
  r.text("instance", o.instance);
  r.text("gpu", o.gpu, true);
  r.whole("gpu_count", o.gpu_count);
  r.figure("gpu_memory_gb", o.gpu_memory_gb);
  r.figure("vcpus", o.vcpus);
  r.figure("ram_gb", o.ram_gb);
  r.figure("local_storage_gb", o.local_storage_gb);
  r.text("interconnect", o.interconnect);
  r.text("region", o.region);
  r.figure("price_usd_per_hour", o.price_usd_per_hour);
  r.figure("spot_usd_per_hour", o.spot_usd_per_hour);
  r.figure("reserved_1y_usd_per_hour", o.reserved_1y_usd_per_hour);
  r.figure("reserved_3y_usd_per_hour", o.reserved_3y_usd_per_hour);
  r.text("billing_granularity", o.billing_granularity);
  r.figure("egress_usd_per_gb", o.egress_usd_per_gb);
  r.text("price_date", o.price_date, true);
  r.texts("labels", o.labels);
  if (!r.failed() && o.gpu_count <= 0) r.fail("gpu_count", "expected a count >= 1");
  if (r.failed()) return r.error();
  return o;
}

Result<Ownership> read_ownership(const json& row, const std::string& where) {
  Ownership o;
  RowReader r(row, where);
  r.text("gpu", o.gpu, true);
  r.figure("street_price_low_usd", o.street_price_low_usd);
  r.figure("street_price_high_usd", o.street_price_high_usd);
  r.figure("used_price_low_usd", o.used_price_low_usd);
  r.figure("used_price_high_usd", o.used_price_high_usd);
  r.figure("tdp_w", o.tdp_w);
  r.figure("typical_llm_power_w", o.typical_llm_power_w);
  r.figure("host_server_cost_usd_per_gpu", o.host_server_cost_usd_per_gpu);
  r.figure("pue_typical", o.pue_typical);
  r.text("date", o.date);
  if (r.failed()) return r.error();
  return o;
}

Result<Electricity> read_electricity(const json& row, const std::string& where) {
  Electricity e;
  RowReader r(row, where);
  r.text("country", e.country, true);
  r.text("code", e.code);
  r.figure("household_usd_per_kwh", e.household_usd_per_kwh);
  r.figure("industrial_usd_per_kwh", e.industrial_usd_per_kwh);
  r.figure("gco2_per_kwh", e.gco2_per_kwh);
  r.whole("year", e.year);
  if (r.failed()) return r.error();
  return e;
}

Result<Currency> read_currency(const json& row, const std::string& where) {
  Currency c;
  RowReader r(row, where);
  r.text("code", c.code, true);
  r.text("name", c.name);
  r.text("date", c.date);
  r.figure("usd_per_unit", c.usd_per_unit);
  if (r.failed()) return r.error();
  return c;
}

/// Reads the array `key` of the document, row by row. A document without the key has no rows of that kind.
template <class T, class Read>
std::optional<Error> read_all(const json& document, const char* key, std::vector<T>& out, Read&& read) {
  const auto it = document.find(key);
  if (it == document.end()) return std::nullopt;
  if (!it->is_array()) return Error{ErrorCode::kBadData, key, "expected a list, found " + RowReader::describe(*it)};
  out.reserve(it->size());
  for (std::size_t i = 0; i < it->size(); ++i) {
    Result<T> row = read((*it)[i], std::string(key) + "/" + std::to_string(i));
    if (!row) return row.error();
    out.push_back(std::move(row.value()));
  }
  return std::nullopt;
}

/// Numbers the rows and indexes their ids and aliases, each of which may name one row only.
template <class T>
std::optional<Error> index_names(std::vector<T>& rows, const char* kind, NameIndex& names) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].index = static_cast<int>(i);
    names.add(rows[i].id, rows[i].index);
    for (const std::string& alias : rows[i].aliases) names.add(alias, rows[i].index);
  }
  if (const auto clash = names.finish())
    return Error{ErrorCode::kBadData, std::string(kind) + "/" + std::to_string(clash->second), "the id or alias \"" + clash->name + "\" names both " + rows[clash->first].id + " and " + rows[clash->second].id};
  return std::nullopt;
}

template <class T>
const T* at(const std::vector<T>& rows, int position) { return position < 0 ? nullptr : &rows[position]; }

}  // namespace

Result<Gpu> read_gpu(const json& row, const std::string& where) {
  Gpu g;
  RowReader r(row, where);
  r.text("id", g.id, true);
  r.text("name", g.name, true);
  r.texts("aliases", g.aliases);
  r.text("vendor", g.vendor);
  r.text("architecture", g.architecture);
  r.text("generation", g.generation);
  r.text("segment", g.segment);
  r.whole("release_year", g.release_year);
  r.text("memory_type", g.memory_type);
  r.text("compute_capability", g.compute_capability);
  r.text("link_type", g.link_type);
  r.text("form_factor", g.form_factor);
  const std::pair<const char*, Figure Gpu::*> figures[] = {
      {"memory_gb", &Gpu::memory_gb}, {"memory_gib_usable", &Gpu::memory_gib_usable}, {"memory_gib_cuda_linux", &Gpu::memory_gib_cuda_linux},
      {"bandwidth_gb_per_s", &Gpu::bandwidth_gb_per_s}, {"fp64_tflops", &Gpu::fp64_tflops}, {"fp64_tensor_tflops", &Gpu::fp64_tensor_tflops},
      {"fp32_tflops", &Gpu::fp32_tflops}, {"fp16_vector_tflops", &Gpu::fp16_vector_tflops}, {"tf32_tensor_tflops", &Gpu::tf32_tensor_tflops},
      {"fp16_tensor_tflops", &Gpu::fp16_tensor_tflops}, {"fp16_tensor_fp16acc_tflops", &Gpu::fp16_tensor_fp16acc_tflops},
      {"bf16_tensor_tflops", &Gpu::bf16_tensor_tflops}, {"fp8_tensor_tflops", &Gpu::fp8_tensor_tflops}, {"int8_tensor_tops", &Gpu::int8_tensor_tops},
      {"fp4_tensor_tflops", &Gpu::fp4_tensor_tflops}, {"int4_tensor_tops", &Gpu::int4_tensor_tops}, {"shader_cores", &Gpu::shader_cores},
      {"tensor_cores", &Gpu::tensor_cores}, {"sm_count", &Gpu::sm_count}, {"l2_cache_mb", &Gpu::l2_cache_mb},
      {"link_gb_per_s_bidirectional", &Gpu::link_gb_per_s_bidirectional}, {"link_max_gpus", &Gpu::link_max_gpus}, {"pcie_gen", &Gpu::pcie_gen},
      {"pcie_lanes", &Gpu::pcie_lanes}, {"mig_max_instances", &Gpu::mig_max_instances}, {"tdp_w", &Gpu::tdp_w}, {"launch_price_usd", &Gpu::launch_price_usd}};
  for (const auto& [key, member] : figures) r.figure(key, g.*member);
  if (r.failed()) return r.error();
  return g;
}

Result<Model> read_model(const json& row, const std::string& where) {
  Model m;
  RowReader r(row, where);
  r.text("id", m.id, true);
  r.text("name", m.name, true);
  r.texts("aliases", m.aliases);
  const std::pair<const char*, std::string Model::*> texts[] = {
      {"family", &Model::family}, {"organization", &Model::organization}, {"hf_repo", &Model::hf_repo}, {"release", &Model::release}, {"license", &Model::license},
      {"kind", &Model::kind}, {"native_dtype", &Model::native_dtype}, {"ffn_kind", &Model::ffn_kind}, {"norm_kind", &Model::norm_kind}, {"attention", &Model::attention},
      {"qk_norm", &Model::qk_norm}, {"attn_output_gate", &Model::attn_output_gate}, {"task", &Model::task}, {"stored_format", &Model::stored_format}, {"native_resolution", &Model::native_resolution}};
  for (const auto& [key, member] : texts) r.text(key, m.*member);
  const std::pair<const char*, double Model::*> numbers[] = {
      {"params_total", &Model::params_total}, {"params_active", &Model::params_active}, {"params_active_matmul", &Model::params_active_matmul},
      {"hidden_size", &Model::hidden_size}, {"intermediate_size", &Model::intermediate_size}, {"vocab_size", &Model::vocab_size}, {"embedding_size", &Model::embedding_size},
      {"learned_positions", &Model::learned_positions}, {"token_types", &Model::token_types}, {"sliding_window", &Model::sliding_window}, {"max_context", &Model::max_context},
      {"per_layer_embedding_dim", &Model::per_layer_embedding_dim}, {"kv_bytes_per_token_bf16", &Model::kv_bytes_per_token_bf16},
      {"kv_bytes_per_token_bf16_windowed", &Model::kv_bytes_per_token_bf16_windowed}, {"state_bytes_per_sequence", &Model::state_bytes_per_sequence},
      {"denoiser_tokens", &Model::denoiser_tokens}, {"stored_bytes", &Model::stored_bytes}, {"stored_expert_bytes", &Model::stored_expert_bytes}};
  for (const auto& [key, member] : numbers) r.plain(key, m.*member);
  const std::pair<const char*, int Model::*> wholes[] = {
      {"num_layers", &Model::num_layers}, {"num_attention_heads", &Model::num_attention_heads}, {"num_kv_heads", &Model::num_kv_heads}, {"head_dim", &Model::head_dim},
      {"norms_per_layer", &Model::norms_per_layer}, {"final_norms", &Model::final_norms}, {"num_kv_shared_layers", &Model::num_kv_shared_layers},
      {"num_encoder_layers", &Model::num_encoder_layers}, {"num_decoder_layers", &Model::num_decoder_layers}, {"resolution", &Model::resolution},
      {"frames", &Model::frames}, {"passes_per_step", &Model::passes_per_step}, {"default_steps", &Model::default_steps}};
  for (const auto& [key, member] : wholes) r.whole(key, m.*member);
  const std::pair<const char*, bool Model::*> flags[] = {
      {"tie_embeddings", &Model::tie_embeddings}, {"qkv_bias", &Model::qkv_bias}, {"attn_out_bias", &Model::attn_out_bias}, {"mlp_bias", &Model::mlp_bias},
      {"lm_head_bias", &Model::lm_head_bias}, {"attn_sinks", &Model::attn_sinks}, {"no_lm_head", &Model::no_lm_head}, {"multimodal", &Model::multimodal}};
  for (const auto& [key, member] : flags) r.flag(key, m.*member);
  const std::pair<const char*, Figure Model::*> figures[] = {
      {"params_nominal", &Model::params_nominal}, {"vision_params", &Model::vision_params}, {"audio_params", &Model::audio_params}, {"lookup_params", &Model::lookup_params},
      {"mtp_params", &Model::mtp_params}, {"hf_safetensors_total", &Model::hf_safetensors_total}, {"encoder_gflops_per_30s", &Model::encoder_gflops_per_30s},
      {"decoder_gflops_per_token", &Model::decoder_gflops_per_token}, {"decoder_kv_bytes_fp16_self_per_token", &Model::decoder_kv_bytes_fp16_self_per_token},
      {"cross_kv_bytes_fp16", &Model::cross_kv_bytes_fp16}, {"gmacs_per_image", &Model::gmacs_per_image}, {"gflops_per_image", &Model::gflops_per_image},
      {"mega_activations_per_image", &Model::mega_activations_per_image}, {"gmacs_per_sample", &Model::gmacs_per_sample},
      {"activations_per_sample", &Model::activations_per_sample}, {"samples_per_launch", &Model::samples_per_launch},
      {"denoiser_params", &Model::denoiser_params}, {"denoiser_params_active", &Model::denoiser_params_active}, {"denoiser_gflops_per_step", &Model::denoiser_gflops_per_step},
      {"vae_decode_gflops", &Model::vae_decode_gflops}, {"gflops_per_step_1024", &Model::gflops_per_step_1024}};
  for (const auto& [key, member] : figures) r.figure(key, m.*member);
  read_architecture(r, m);
  if (r.failed()) return r.error();
  return m;
}

const Currency* Catalog::find_currency(std::string_view code) const {
  for (const Currency& c : currencies)
    if (c.code == code && c.usd_per_unit) return &c;
  return nullptr;
}
const Gpu* Catalog::find_gpu(std::string_view name) const { return at(gpus, gpu_names.find(name)); }
const Model* Catalog::find_model(std::string_view name) const { return at(models, model_names.find(name)); }
const Quant* Catalog::find_quant(std::string_view name) const { return at(quants, quant_names.find(name)); }
const Engine* Catalog::find_engine(std::string_view name) const { return at(engines, engine_names.find(name)); }
const Provider* Catalog::find_provider(std::string_view name) const { return at(providers, provider_names.find(name)); }

Result<Catalog> load_catalog(const json& document) {
  if (!document.is_object()) return Error{ErrorCode::kBadData, "", "expected an object with the catalogs"};
  Catalog c;
  const json head = document.value("catalog", json::object());
  RowReader r(head, "catalog");
  r.text("as_of", c.as_of, true);
  if (r.failed()) return r.error();
  if (auto e = read_all(document, "gpus", c.gpus, read_gpu)) return *e;
  if (auto e = read_all(document, "models", c.models, read_model)) return *e;
  if (auto e = read_all(document, "quants", c.quants, read_quant)) return *e;
  if (auto e = read_all(document, "engines", c.engines, read_engine)) return *e;
  if (auto e = read_all(document, "providers", c.providers, read_provider)) return *e;
  if (auto e = read_all(document, "offers", c.offers, read_offer)) return *e;
  if (auto e = read_all(document, "ownership", c.ownership, read_ownership)) return *e;
  if (auto e = read_all(document, "electricity", c.electricity, read_electricity)) return *e;
  if (auto e = read_all(document, "currencies", c.currencies, read_currency)) return *e;
  if (auto e = index_names(c.gpus, "gpus", c.gpu_names)) return *e;
  if (auto e = index_names(c.models, "models", c.model_names)) return *e;
  if (auto e = index_names(c.quants, "quants", c.quant_names)) return *e;
  if (auto e = index_names(c.engines, "engines", c.engine_names)) return *e;
  if (auto e = index_names(c.providers, "providers", c.provider_names)) return *e;
  for (Offer& o : c.offers) {
    const Gpu* gpu = c.find_gpu(o.gpu);
    const Provider* provider = c.find_provider(o.provider);
    o.gpu_index = gpu ? gpu->index : -1;
    o.provider_index = provider ? provider->index : -1;
  }
  sort_rows(c.offers, [](const Offer& a, const Offer& b) {
    if (a.gpu_index != b.gpu_index) return a.gpu_index < b.gpu_index;
    if (a.provider != b.provider) return a.provider < b.provider;
    if (a.instance != b.instance) return a.instance < b.instance;
    if (a.region != b.region) return a.region < b.region;
    return a.price_date < b.price_date;
  });
  for (Ownership& o : c.ownership) {
    const Gpu* gpu = c.find_gpu(o.gpu);
    o.gpu_index = gpu ? gpu->index : -1;
  }
  if (const auto it = document.find("calibration"); it != document.end()) {
    Result<Calibration> calibration = read_calibration(*it);
    if (!calibration) return calibration.error();
    c.calibration = std::move(calibration.value());
  }
  return c;
}

}  // namespace whichgpu
