#include <cstdio>
#include <string>

#include "core/import/file_bytes.hpp"
#include "native/files.hpp"

// Writes the first inputs of the doors for files of weights: write_seeds gguf|safetensors|manifest FOLDER.
namespace {

using namespace whichgpu;
using namespace whichgpu::bytes;

void save(const std::string& folder, const char* name, const std::string& bytes) {
  if (const auto e = native::write_file(folder + "/seed-" + name, bytes)) std::fprintf(stderr, "%s: %s\n", e->path.c_str(), e->message.c_str());
}

Gguf small(const char* architecture, std::uint32_t version = 3) {
  Gguf g(architecture, version);
  g.own("block_count", 1).own("attention.head_count", 4).own("attention.head_count_kv", 2).own("context_length", 64).u32("general.file_type", 15).tokens(3).tensor("token_embd.weight", {256, 8}, kQ4_K).tensor("output.weight", {256, 8}, kQ6_K).tensor("output_norm.weight", {256});
  return g;
}
void attention(Gguf& g) { g.tensor("blk.0.attn_norm.weight", {256}).tensor("blk.0.attn_q.weight", {256, 256}, kQ4_K).tensor("blk.0.attn_k.weight", {256, 128}, kQ4_K).tensor("blk.0.attn_v.weight", {256, 128}, kQ4_K).tensor("blk.0.attn_output.weight", {256, 256}, kQ4_K); }
void dense(Gguf& g) { g.tensor("blk.0.ffn_norm.weight", {256}).tensor("blk.0.ffn_gate.weight", {256, 512}, kQ4_K).tensor("blk.0.ffn_up.weight", {256, 512}, kQ4_K).tensor("blk.0.ffn_down.weight", {512, 256}, kQ4_K); }
void experts(Gguf& g) { g.tensor("blk.0.ffn_gate_inp.weight", {256, 4}).tensor("blk.0.ffn_up_exps.weight", {256, 256, 4}, kMxfp4).tensor("blk.0.ffn_down_exps.weight", {256, 256, 4}, kMxfp4).tensor("blk.0.ffn_down_shexp.weight", {256, 256}, kQ8_0).tensor("blk.0.ffn_gate.0.weight", {256, 256}, kF16); }

void write_gguf(const std::string& folder) {
  const auto keep = [&](const char* name, const Gguf& g) { save(folder, name, g.header().substr(4)); };  // the door puts the word GGUF before
  Gguf dense_model = small("llama"), old = small("llama", 2), sparse = small("qwen3moe"), window = small("gemma3"), latent = small("deepseek2"), delta = small("qwen3next"), state = small("mamba2"), adapter("llama"), tower("clip"), part = small("llama");
  attention(dense_model), dense(dense_model);
  attention(old), dense(old);
  attention(sparse), experts(sparse);
  window.own("attention.sliding_window", 16).flags("gemma3.attention.sliding_window_pattern", {true}).u32s("gemma3.feed_forward_length", {512});
  attention(window), dense(window);
  latent.own("nextn_predict_layers", 0).own("attention.kv_lora_rank", 32).tensor("blk.0.attn_q.weight", {256, 256}, kQ4_K).tensor("blk.0.attn_kv_a_mqa.weight", {256, 48}, kQ4_K).tensor("blk.0.attn_kv_a_norm.weight", {32}).tensor("blk.0.attn_output.weight", {256, 256}, kQ4_K).tensor("blk.0.indexer.proj.weight", {256, 4});
  experts(latent);
  delta.own("ssm.state_size", 32).own("ssm.group_count", 2).own("ssm.time_step_rank", 4).own("ssm.inner_size", 128).tensor("blk.0.attn_qkv.weight", {256, 256}, kQ4_K).tensor("blk.0.ssm_ba.weight", {256, 8}).tensor("blk.0.ssm_out.weight", {128, 256});
  state.own("ssm.state_size", 32).own("ssm.time_step_rank", 4).own("ssm.inner_size", 128).tensor("blk.0.ssm_in.weight", {256, 300});
  adapter.text("general.type", "adapter").tensor("blk.0.attn_q.weight.lora_a", {256, 8}, kF16).tensor("blk.0.attn_q.weight.lora_b", {8, 256}, kF16);
  tower.text("general.type", "mmproj").tensor("v.blk.0.attn_q.weight", {64, 64}, kF16);
  part.u32("split.no", 1).u32("split.count", 3).u32("split.tensors.count", 9);
  keep("dense", dense_model), keep("version-2", old), keep("experts", sparse), keep("window", window), keep("latent", latent), keep("delta", delta), keep("state", state), keep("adapter", adapter), keep("tower", tower), keep("part", part);
}

void write_safetensors(const std::string& folder) {
  const auto keep = [&](const char* name, const Safetensors& s) { save(folder, name, s.header().substr(8)); };  // the door puts the length before
  Safetensors dense, packed, adapter, sparse;
  dense.tensor("model.embed_tokens.weight", "BF16", 16, {8, 256}).tensor("model.layers.0.self_attn.q_proj.weight", "BF16", 16, {256, 256}).tensor("model.layers.0.self_attn.k_proj.weight", "BF16", 16, {128, 256}).tensor("model.layers.0.mlp.up_proj.weight", "F8_E4M3", 8, {512, 256}).tensor("model.layers.0.mlp.down_proj.weight", "F8_E4M3", 8, {256, 512});
  packed.tensor("model.layers.0.self_attn.q_proj.qweight", "I32", 32, {32, 256});
  adapter.tensor("base_model.model.layers.0.q_proj.lora_A.weight", "F32", 32, {8, 64}).tensor("base_model.model.layers.0.q_proj.lora_B.weight", "F32", 32, {64, 8});
  sparse.tensor("model.embed_tokens.weight", "BF16", 16, {8, 256}).tensor("model.layers.0.self_attn.q_proj.weight", "BF16", 16, {256, 256}).tensor("model.layers.0.self_attn.k_proj.weight", "BF16", 16, {256, 256}).tensor("model.layers.0.mlp.gate.weight", "BF16", 16, {2, 256}).tensor("model.layers.0.mlp.experts.1.down_proj.weight", "BF16", 16, {256, 64});
  keep("dense", dense), keep("packed", packed), keep("adapter", adapter), keep("experts", sparse);
}

void write_manifests(const std::string& folder) {
  const std::string digest = "sha256:" + std::string(64, 'a');
  save(folder, "manifest", nlohmann::json({{"schemaVersion", 2}, {"layers", {{{"mediaType", "application/vnd.ollama.image.model"}, {"digest", digest}, {"size", 4.7e9}}, {{"mediaType", "application/vnd.ollama.image.projector"}, {"digest", digest}, {"size", 6e8}}}}}).dump());
  save(folder, "index", R"({"metadata":{"total_size":16060522496},"weight_map":{"lm_head.weight":"model-00002-of-00002.safetensors","model.norm.weight":"model-00001-of-00002.safetensors"}})");
  save(folder, "config", R"({"model_type":"llama","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,"vocab_size":10,"torch_dtype":"bfloat16"})");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string door = argc == 3 ? argv[1] : "";
  if (door == "gguf") write_gguf(argv[2]);
  else if (door == "safetensors") write_safetensors(argv[2]);
  else if (door == "manifest") write_manifests(argv[2]);
  else {
    std::fputs("usage: write_seeds gguf|safetensors|manifest FOLDER\n", stderr);
    return 2;
  }
  return 0;
}
