#include "whichgpu/import_file.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "import/file_bytes.hpp"
#include "native/files.hpp"
#include "support/test_catalog.hpp"
#include "whichgpu/api.hpp"
#include "whichgpu/model_math.hpp"

namespace whichgpu {
namespace {

using Catch::Matchers::WithinRel;
using nlohmann::json;
using namespace whichgpu::bytes;

json inspected(const std::string& bytes, double file_bytes, const std::string& name = "file") { return json::parse(inspect_files_json({{bytes, name, file_bytes}})); }
json inspected(const Gguf& g, const std::string& name = "file.gguf") { return inspected(g.header(), g.file_bytes(), name); }
json inspected(const Safetensors& s, const std::string& name = "model.safetensors") { return inspected(s.header(), s.file_bytes(), name); }
std::string fault_of(const json& answer) { return answer.contains("error") ? answer["error"]["path"].get<std::string>() + ": " + answer["error"]["message"].get<std::string>() : "none"; }
std::string at(int layer, const char* role) { return "blk." + std::to_string(layer) + "." + role; }

Gguf head(const char* architecture, std::uint32_t layers, std::uint32_t hidden, std::uint32_t heads, std::uint32_t kv, std::uint32_t context) {
  Gguf g(architecture);
  return g.text("general.name", "It").own("block_count", layers).own("embedding_length", hidden).own("attention.head_count", heads).own("attention.head_count_kv", kv).own("context_length", context);
}
void attention(Gguf& g, int i, std::uint64_t hidden, std::uint64_t q, std::uint64_t kv, GgmlType type = kQ4_K) {
  g.tensor(at(i, "attn_norm.weight"), {hidden}).tensor(at(i, "attn_q.weight"), {hidden, q}, type).tensor(at(i, "attn_k.weight"), {hidden, kv}, type).tensor(at(i, "attn_v.weight"), {hidden, kv}, type).tensor(at(i, "attn_output.weight"), {q, hidden}, type);
}
void dense(Gguf& g, int i, std::uint64_t hidden, std::uint64_t inner, GgmlType type = kQ4_K) {
  g.tensor(at(i, "ffn_norm.weight"), {hidden}).tensor(at(i, "ffn_gate.weight"), {hidden, inner}, type).tensor(at(i, "ffn_up.weight"), {hidden, inner}, type).tensor(at(i, "ffn_down.weight"), {inner, hidden}, type);
}
void experts(Gguf& g, int i, std::uint64_t hidden, std::uint64_t inner, std::uint64_t count, GgmlType type = kQ4_K) {
  g.tensor(at(i, "ffn_gate_inp.weight"), {hidden, count}).tensor(at(i, "ffn_gate_exps.weight"), {hidden, inner, count}, type).tensor(at(i, "ffn_up_exps.weight"), {hidden, inner, count}, type).tensor(at(i, "ffn_down_exps.weight"), {inner, hidden, count}, type);
}

/// Llama 3 8B, tensor by tensor: all but the output matrix in Q4_K.
Gguf llama(std::uint32_t file_type = 15) {
  Gguf g = head("llama", 32, 4096, 32, 8, 8192);
  g.u32("general.file_type", file_type).tokens(128256).tensor("token_embd.weight", {4096, 128256}, kQ4_K).tensor("output.weight", {4096, 128256}, kQ6_K).tensor("output_norm.weight", {4096});
  for (int i = 0; i < 32; ++i) {
    attention(g, i, 4096, 4096, 1024);
    dense(g, i, 4096, 14336);
  }
  return g;
}

/// The model that a file gives, and the catalog's of the same architecture.
void check_like(const json& answer, const Gguf& file, const char* id, double other_params = 0) {
  CAPTURE(id, fault_of(answer), answer.value("notes", json()).dump(), answer.value("assumptions", json()).dump());
  REQUIRE(answer["model"].is_object());
  const Model& known = model_of(id);
  CHECK_THAT(answer["params_total"].get<double>(), WithinRel(known.params_total - known.vision_params.value_or(0) + other_params, 0.001));
  CHECK_THAT(answer["params_active"].get<double>(), WithinRel(known.params_active + other_params, 0.002));
  CHECK(answer["kv_bytes_per_token_bf16"] == known.kv_bytes_per_token_bf16);
  CHECK(answer["tensor_bytes"] == file.tensor_bytes);
  CHECK(answer["params"] == file.params);
  CHECK(answer["assumptions"].empty());
  // Asked about as it is, the weights take what the file has.
  const json scenario = {{"custom_model", answer["model"]}, {"gpu", "nvidia-h100-sxm-80gb"}, {"gpu_count", 8}, {"precision", {{"weights", answer["precision"]}}}};
  const json estimate = json::parse(estimate_json(test_catalog(), scenario.dump()));
  REQUIRE_FALSE(estimate.contains("error"));
  Result<Model> read = read_model(answer["model"], "model");
  REQUIRE(read);
  const WeightBytes weights = weight_bytes(read.value(), quant_of(answer["precision"].get<std::string>().c_str()));
  CHECK_THAT(weights.total, WithinRel(file.file_bytes(), 0.005));
  CHECK_THAT(weights.embedding + weights.output + weights.layers + weights.experts + weights.lookup + weights.towers + weights.positions, WithinRel(weights.total, 1e-9));
  // Another format is no longer that of the file.
  CHECK(weight_bytes(read.value(), quant_of("bf16")).total > 1.5 * known.params_total);
}

TEST_CASE("a GGUF header gives the model of every kind of architecture", "[import][gguf]") {
  SECTION("dense") {
    const Gguf g = llama();
    const json answer = inspected(g);
    check_like(answer, g, "llama-3-8b");
    CHECK(answer["kind"] == "gguf");
    CHECK(answer["precision"] == "gguf-q4_k_m");
    CHECK(answer["vocabulary"] == 128256);
    CHECK(answer["model"]["max_context"] == 8192);
    // By hand: 128,256 x 4,096 weights at 210 bytes for 256.
    for (const json& t : answer["by_type"])
      if (t["name"] == "Q6_K") CHECK(t["bytes"] == 128256.0 * 4096 / 256 * 210);
    double sum = 0;
    for (const json& c : answer["by_class"]) sum += c["bytes"].get<double>();
    CHECK(sum == g.tensor_bytes);
  }
  SECTION("version 2, and a mix that the file does not name") {
    Gguf g("llama", 2);
    g.own("block_count", 1).own("attention.head_count", 4).own("context_length", 64).tensor("token_embd.weight", {256, 32}, kQ6_K);
    attention(g, 0, 256, 256, 256, kQ6_K);
    dense(g, 0, 256, 512, kQ6_K);
    const json answer = inspected(g);
    REQUIRE(answer["model"].is_object());
    CHECK(answer["precision"] == "gguf-q6_k");
    CHECK(answer["model"]["tie_embeddings"] == true);
    CHECK(answer["name"] == "file");
  }
  SECTION("windows by a rule, norms of heads, four norms, a tied table") {
    Gguf g = head("gemma3", 48, 3840, 16, 8, 131072);
    g.own("attention.key_length", 256).own("attention.value_length", 256).own("attention.sliding_window", 1024).u32("general.file_type", 15).tensor("token_embd.weight", {3840, 262208}, kQ6_K).tensor("output_norm.weight", {3840});
    for (int i = 0; i < 48; ++i) {
      attention(g, i, 3840, 4096, 2048);
      g.tensor(at(i, "attn_q_norm.weight"), {256}).tensor(at(i, "attn_k_norm.weight"), {256}).tensor(at(i, "post_attention_norm.weight"), {3840}).tensor(at(i, "post_ffw_norm.weight"), {3840});
      dense(g, i, 3840, 15360);
    }
    const json answer = inspected(g);
    check_like(answer, g, "gemma-3-12b");
    CHECK(answer["model"]["qk_norm"] == "head");
    CHECK(answer["model"]["norms_per_layer"] == 4);
    REQUIRE(answer["model"]["layer_groups"].size() == 2);
    CHECK(answer["model"]["layer_groups"][0]["mixer"] == "swa");
    CHECK(answer["model"]["layer_groups"][0]["count"] == 40);
  }
  SECTION("experts, each with tensors of its own as in old files") {
    Gguf g = head("llama", 32, 4096, 32, 8, 32768);
    g.own("expert_count", 8).own("expert_used_count", 2).u32("general.file_type", 15).tensor("token_embd.weight", {4096, 32000}, kQ4_K).tensor("output.weight", {4096, 32000}, kQ6_K).tensor("output_norm.weight", {4096});
    for (int i = 0; i < 32; ++i) {
      attention(g, i, 4096, 4096, 1024);
      g.tensor(at(i, "ffn_norm.weight"), {4096}).tensor(at(i, "ffn_gate_inp.weight"), {4096, 8});
      for (int e = 0; e < 8; ++e)
        for (const char* role : {"ffn_gate.", "ffn_up."}) g.tensor(at(i, role) + std::to_string(e) + ".weight", {4096, 14336}, kQ4_K);
      for (int e = 0; e < 8; ++e) g.tensor(at(i, "ffn_down.") + std::to_string(e) + ".weight", {14336, 4096}, kQ4_K);
    }
    check_like(inspected(g), g, "mixtral-8x7b");
  }
  SECTION("experts together, norms of heads") {
    Gguf g = head("qwen3moe", 48, 2048, 32, 4, 131072);
    g.own("attention.key_length", 128).own("expert_used_count", 8).u32("general.file_type", 15).tensor("token_embd.weight", {2048, 151936}, kQ4_K).tensor("output.weight", {2048, 151936}, kQ6_K).tensor("output_norm.weight", {2048});
    for (int i = 0; i < 48; ++i) {
      attention(g, i, 2048, 4096, 512);
      g.tensor(at(i, "attn_q_norm.weight"), {128}).tensor(at(i, "attn_k_norm.weight"), {128}).tensor(at(i, "ffn_norm.weight"), {2048});
      experts(g, i, 2048, 768, 128);
    }
    const json answer = inspected(g);
    check_like(answer, g, "qwen3-30b-a3b");
    CHECK(answer["model"]["stored_expert_bytes"] == 48.0 * 3 * 2048 * 768 * 128 / 256 * 144);
  }
  SECTION("latent attention, a shared expert, dense layers first, and a layer that guesses ahead") {
    Gguf g = head("deepseek2", 62, 7168, 128, 1, 163840);
    g.own("nextn_predict_layers", 1).own("attention.kv_lora_rank", 512).own("attention.key_length", 576).own("rope.dimension_count", 64).own("expert_used_count", 8).own("expert_shared_count", 1).u32("general.file_type", 15);
    g.tensor("token_embd.weight", {7168, 129280}, kQ4_K).tensor("output.weight", {7168, 129280}, kQ6_K).tensor("output_norm.weight", {7168});
    for (int i = 0; i < 62; ++i) {
      g.tensor(at(i, "attn_norm.weight"), {7168}).tensor(at(i, "attn_q_a.weight"), {7168, 1536}, kQ4_K).tensor(at(i, "attn_q_a_norm.weight"), {1536}).tensor(at(i, "attn_q_b.weight"), {1536, 128 * 192}, kQ4_K);
      g.tensor(at(i, "attn_kv_a_mqa.weight"), {7168, 576}, kQ4_K).tensor(at(i, "attn_kv_a_norm.weight"), {512}).tensor(at(i, "attn_k_b.weight"), {128, 512, 128}, kQ8_0).tensor(at(i, "attn_v_b.weight"), {512, 128, 128}, kQ8_0).tensor(at(i, "attn_output.weight"), {128 * 128, 7168}, kQ4_K);
      if (i < 3) dense(g, i, 7168, 18432);
      else {
        g.tensor(at(i, "ffn_norm.weight"), {7168}).tensor(at(i, "exp_probs_b.bias"), {256});
        experts(g, i, 7168, 2048, 256);
        g.tensor(at(i, "ffn_gate_shexp.weight"), {7168, 2048}, kQ4_K).tensor(at(i, "ffn_up_shexp.weight"), {7168, 2048}, kQ4_K).tensor(at(i, "ffn_down_shexp.weight"), {2048, 7168}, kQ4_K);
      }
      if (i == 61) g.tensor(at(i, "nextn.eh_proj.weight"), {2 * 7168, 7168}, kQ4_K);
    }
    const json answer = inspected(g);
    check_like(answer, g, "deepseek-v3");
    CHECK(answer["model"]["mla"] == json({{"kv_lora_rank", 512}, {"qk_rope_head_dim", 64}, {"qk_nope_head_dim", 128}, {"v_head_dim", 128}, {"q_lora_rank", 1536}}));
    CHECK(answer["model"]["mtp_params"].get<double>() > 1e10);
  }
  SECTION("windows in a list, sinks, biases, experts of four bits") {
    Gguf g = head("gpt-oss", 24, 2880, 64, 8, 131072);
    std::vector<bool> slides;
    for (int i = 0; i < 24; ++i) slides.push_back(i % 2 == 0);
    g.own("attention.key_length", 64).own("attention.value_length", 64).own("attention.sliding_window", 128).flags("gpt-oss.attention.sliding_window_pattern", slides).own("expert_used_count", 4).u32("general.file_type", 38);
    g.tensor("token_embd.weight", {2880, 201088}, kQ8_0).tensor("output.weight", {2880, 201088}, kQ8_0).tensor("output_norm.weight", {2880});
    for (int i = 0; i < 24; ++i) {
      attention(g, i, 2880, 4096, 512, kQ8_0);
      g.tensor(at(i, "attn_q.bias"), {4096}).tensor(at(i, "attn_k.bias"), {512}).tensor(at(i, "attn_v.bias"), {512}).tensor(at(i, "attn_output.bias"), {2880}).tensor(at(i, "attn_sinks.weight"), {64}).tensor(at(i, "post_attention_norm.weight"), {2880});
      experts(g, i, 2880, 2880, 32, kMxfp4);
      g.tensor(at(i, "ffn_gate_inp.bias"), {32}).tensor(at(i, "ffn_gate_exps.bias"), {2880, 32}).tensor(at(i, "ffn_up_exps.bias"), {2880, 32}).tensor(at(i, "ffn_down_exps.bias"), {2880, 32});
    }
    const json answer = inspected(g);
    check_like(answer, g, "gpt-oss-20b");
    CHECK(answer["precision"] == "gguf-mxfp4-moe");
    CHECK(answer["model"]["attn_sinks"] == true);
  }
  SECTION("gated delta nets, an attention gate, a gated shared expert") {
    Gguf g = head("qwen3next", 48, 2048, 16, 2, 262144);
    g.own("attention.key_length", 256).own("attention.value_length", 256).own("expert_used_count", 10).own("ssm.conv_kernel", 4).own("ssm.state_size", 128).own("ssm.group_count", 16).own("ssm.time_step_rank", 32).own("ssm.inner_size", 4096).u32("general.file_type", 15);
    g.tensor("token_embd.weight", {2048, 151936}, kQ4_K).tensor("output.weight", {2048, 151936}, kQ6_K).tensor("output_norm.weight", {2048});
    for (int i = 0; i < 48; ++i) {
      if (i % 4 == 3) {
        g.tensor(at(i, "attn_norm.weight"), {2048}).tensor(at(i, "attn_q.weight"), {2048, 8192}, kQ4_K).tensor(at(i, "attn_k.weight"), {2048, 512}, kQ4_K).tensor(at(i, "attn_v.weight"), {2048, 512}, kQ4_K).tensor(at(i, "attn_output.weight"), {4096, 2048}, kQ4_K);
        g.tensor(at(i, "attn_q_norm.weight"), {256}).tensor(at(i, "attn_k_norm.weight"), {256});
      } else {
        g.tensor(at(i, "attn_norm.weight"), {2048}).tensor(at(i, "attn_qkv.weight"), {2048, 8192}, kQ4_K).tensor(at(i, "attn_gate.weight"), {2048, 4096}, kQ4_K).tensor(at(i, "ssm_ba.weight"), {2048, 64}, kQ4_K);
        g.tensor(at(i, "ssm_conv1d.weight"), {4, 8192}).tensor(at(i, "ssm_dt.bias"), {32}).tensor(at(i, "ssm_a"), {32}).tensor(at(i, "ssm_norm.weight"), {128}).tensor(at(i, "ssm_out.weight"), {4096, 2048}, kQ4_K);
      }
      g.tensor(at(i, "post_attention_norm.weight"), {2048}).tensor(at(i, "ffn_gate_inp_shexp.weight"), {2048});
      experts(g, i, 2048, 512, 512);
      g.tensor(at(i, "ffn_gate_shexp.weight"), {2048, 512}, kQ4_K).tensor(at(i, "ffn_up_shexp.weight"), {2048, 512}, kQ4_K).tensor(at(i, "ffn_down_shexp.weight"), {512, 2048}, kQ4_K);
    }
    const json answer = inspected(g);
    check_like(answer, g, "qwen3-next-80b-a3b");
    CHECK(answer["model"]["attn_output_gate"] == "elementwise");
    CHECK(answer["model"]["layer_groups"][0]["mixer"] == "gdn");
  }
}

TEST_CASE("sizes that change from layer to layer are read from the tensors and the lists", "[import][gguf]") {
  Gguf g("deci");
  g.own("block_count", 3).u32s("deci.attention.head_count", {8, 8, 0}).u32s("deci.attention.head_count_kv", {4, 2, 0}).own("context_length", 4096).own("attention.key_length", 32).tensor("token_embd.weight", {256, 1000}, kQ4_K);
  attention(g, 0, 256, 256, 128);
  dense(g, 0, 256, 1024);
  attention(g, 1, 256, 256, 64);
  dense(g, 1, 256, 512);
  dense(g, 2, 256, 512);
  const json answer = inspected(g);
  REQUIRE(answer["model"].is_object());
  const json groups = answer["model"]["layer_groups"];
  REQUIRE(groups.size() == 3);
  CHECK(groups[1]["num_kv_heads"] == 2);
  CHECK(groups[1]["intermediate_size"] == 512);
  CHECK(groups[2]["mixer"] == "none");
  CHECK(answer["kv_bytes_per_token_bf16"] == 2.0 * 2 * (128 + 64));
}

TEST_CASE("the start of a file asks for as much as it takes", "[import][gguf]") {
  const Gguf g = llama();
  const std::string whole = g.header();
  std::size_t given = 16;
  int asked = 0;
  json answer;
  for (;; ++asked) {
    answer = inspected(whole.substr(0, given), 0);
    if (!answer.contains("needed")) break;
    const std::size_t needed = answer["needed"]["bytes"].get<std::size_t>();
    REQUIRE(needed > given);
    REQUIRE(needed <= whole.size());
    given = std::max(needed, std::min(whole.size(), 2 * given));
  }
  CHECK(asked <= 24);
  CHECK(answer["tensor_bytes"] == g.tensor_bytes);
  // A file that really ends there is cut off, and says where.
  CHECK(fault_of(inspected(whole.substr(0, 500000), 500000)).find("file: byte ") == 0);
  CHECK(fault_of(inspected(whole.substr(0, 500000), 500000)).find("but the file ends at byte 500000") != std::string::npos);
  // The header is whole, its data is not.
  CHECK(fault_of(inspected(whole, g.file_bytes() - 64)).find("expected 33030144 bytes of blk.31.ffn_down.weight, but the file ends after 33030080") != std::string::npos);
  const Safetensors s = Safetensors().tensor("model.embed_tokens.weight", "BF16", 16, {10, 4});
  CHECK(inspected(s.header().substr(0, 4), 0)["needed"]["bytes"] == 9);
  CHECK(inspected(s.header().substr(0, 20), 0)["needed"]["bytes"] == s.header().size());
}

TEST_CASE("GGUF that lies is turned away with the place and what was expected there", "[import][gguf][hostile]") {
  const auto fault = [](const Gguf& g) { return fault_of(inspected(g)); };
  const auto says = [](const std::string& text, const char* part) {
    CAPTURE(text, part);
    CHECK(text.find(part) != std::string::npos);
  };
  std::string counts = "GGUF";
  put<std::uint32_t>(counts, 3);
  put<std::uint64_t>(counts, 1ull << 60);
  put<std::uint64_t>(counts, 1);
  says(fault_of(inspected(counts, 0)), "byte 8: expected at most 200000 tensors");
  std::string pairs = counts.substr(0, 8);
  put<std::uint64_t>(pairs, 0);
  put<std::uint64_t>(pairs, ~0ull);
  says(fault_of(inspected(pairs, 0)), "byte 16: expected at most 65536 keys");
  says(fault_of(inspected(counts.substr(0, 4) + std::string("\0\0\0\3", 4) + counts.substr(8), 0)), "big-endian");
  says(fault_of(inspected(counts.substr(0, 4) + std::string("\1\0\0\0", 4) + counts.substr(8), 0)), "version 2 or 3, found 1");

  std::string huge;
  put<std::uint64_t>(huge, 1ull << 40);
  says(fault(Gguf("").raw("general.name", 8, huge)), "expected a text of 1099511627776 bytes, but the file ends");
  says(fault_of(inspected(Gguf("").raw("general.name", 8, huge).header(), 0)), "more than a header may have");
  std::string list;
  put<std::uint32_t>(list, 8);
  put<std::uint64_t>(list, ~0ull);
  says(fault(Gguf("").raw("tokenizer.ggml.tokens", 9, list)), "but the file ends");
  std::string nested;  // a list of lists of lists …
  for (int i = 0; i < 1000; ++i) {
    put<std::uint32_t>(nested, 9);
    put<std::uint64_t>(nested, 1);
  }
  says(fault(Gguf("").raw("deep", 9, nested)), "expected a list of numbers or texts, found type 9");
  says(fault(Gguf("").raw("odd", 99, "")), "expected the type of a key, 0 to 12, found 99");
  says(fault(Gguf("llama").text("general.name", "a").text("general.name", "b")), "general.name: expected every key once");
  says(fault(Gguf("llama").tensor("a", {4}).tensor("a", {4})), "a: expected every tensor once");
  says(fault(Gguf("llama").tensor("a", {1ull << 40, 1ull << 40})), "that give 1 to 2^53 weights");
  says(fault(Gguf("llama").tensor("a", {0, 4})), "that give 1 to 2^53 weights");
  says(fault(Gguf("llama").tensor("a", {1, 1, 1, 1, 1})), "up to 4 dimensions of a, found 5");
  says(fault(Gguf("llama").tensor("a", {100}, kQ4_K)), "whole blocks of 256 weights (Q4_K), found 100");
  says(fault(Gguf("llama").u32("general.alignment", 0)), "general.alignment: expected 1 to 65,536, found 0");
  // Two tensors in one place.
  Gguf overlap("llama");
  overlap.tensor("a", {64}, {0, 64, 1}).tensor("b", {64});
  says(fault_of(inspected(overlap.header(), 0)), "expected 256 bytes of a, but b begins after 32");
  // Sizes that no arithmetic survives.
  Gguf layers("llama");
  layers.own("block_count", 4000000000u).tensor("token_embd.weight", {256, 10}).tensor("blk.0.attn_q.weight", {256, 256});
  says(inspected(layers)["notes"].dump(), "expected 1 to 4,096 layers");
  Gguf heads("llama");
  heads.own("block_count", 1).own("attention.head_count", 4000000000u).tensor("token_embd.weight", {256, 10}).tensor("blk.0.attn_q.weight", {256, 256});
  says(inspected(heads)["notes"].dump(), "no language model could be read");
}

TEST_CASE("types of other programs are sized by their place", "[import][gguf]") {
  Gguf g("llama");
  g.own("block_count", 1).own("attention.head_count", 4).own("context_length", 64).tensor("token_embd.weight", {256, 32}, {139, 256, 144});
  attention(g, 0, 256, 256, 256, {139, 256, 144});
  dense(g, 0, 256, 512, {139, 256, 144});
  const json answer = inspected(g);
  REQUIRE(answer["model"].is_object());
  CHECK(answer["by_type"][0]["name"] == "type 139");
  CHECK(answer["tensor_bytes"] == g.tensor_bytes);
  CHECK(answer["precision"].is_null());
  CHECK(answer["notes"].dump().find("format of the weights is not known") != std::string::npos);
}

TEST_CASE("parts of a split GGUF make one model, and a missing one is named", "[import][gguf]") {
  Gguf first = head("llama", 2, 256, 4, 2, 4096), second("");
  first.u32("split.no", 0).u32("split.count", 2).u32("split.tensors.count", 20).tensor("token_embd.weight", {256, 1000}, kQ4_K).tensor("output_norm.weight", {256});
  attention(first, 0, 256, 256, 128);
  dense(first, 0, 256, 512);
  second.u32("split.no", 1).u32("split.count", 2);
  attention(second, 1, 256, 256, 128);
  dense(second, 1, 256, 512);
  const std::string a = first.header(), b = second.header();
  const FileStart one{a, "m-00001-of-00002.gguf", first.file_bytes()}, two{b, "m-00002-of-00002.gguf", second.file_bytes()};
  const json alone = json::parse(inspect_files_json({one}));
  CHECK(alone["model"].is_null());
  CHECK(alone["missing"] == json({"m-00002-of-00002.gguf"}));
  const json both = json::parse(inspect_files_json({two, one}));
  REQUIRE(both["model"].is_object());
  CHECK(both["missing"].empty());
  CHECK(both["model"]["num_layers"] == 2);
  CHECK(both["tensor_bytes"] == first.tensor_bytes + second.tensor_bytes);
  CHECK(json::parse(inspect_files_json({one, one}))["error"]["message"].get<std::string>().find("every part once") != std::string::npos);
}

TEST_CASE("adapters and projectors are told from models", "[import]") {
  Gguf lora("llama");
  lora.text("general.type", "adapter").text("adapter.type", "lora").tensor("blk.0.attn_q.weight.lora_a", {256, 16}, kF16).tensor("blk.0.attn_q.weight.lora_b", {16, 256}, kF16);
  const json adapter = inspected(lora);
  CHECK(adapter["kind"] == "gguf-adapter");
  CHECK(adapter["adapter"] == json({{"rank", 16}, {"targets", {"attn_q"}}}));
  CHECK(adapter["tensor_bytes"] == 2.0 * 2 * 16 * 256);

  const json peft = inspected(Safetensors().tensor("base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight", "F32", 32, {8, 4096}).tensor("base_model.model.model.layers.0.self_attn.q_proj.lora_B.weight", "F32", 32, {4096, 8}));
  CHECK(peft["kind"] == "safetensors-adapter");
  CHECK(peft["adapter"] == json({{"rank", 8}, {"targets", {"q_proj"}}}));

  Gguf tower("clip");
  tower.text("general.type", "mmproj").tensor("v.blk.0.attn_q.weight", {64, 64}, kF16).tensor("mm.0.weight", {64, 256}, kF16);
  const json projector = inspected(tower);
  CHECK(projector["kind"] == "gguf-projector");
  CHECK(projector["model"].is_null());
  const Gguf g = llama();
  const std::string a = g.header(), b = tower.header();
  const json both = json::parse(inspect_files_json({{a, "m.gguf", g.file_bytes()}, {b, "mmproj.gguf", tower.file_bytes()}}));
  CHECK(both["model"]["kind"] == "vlm");
  CHECK(both["model"]["vision_params"] == tower.params);
  CHECK(both["model"]["stored_bytes"] == g.tensor_bytes + tower.tensor_bytes);
}

void huggingface_llama(Safetensors& s, int from, int to) {
  for (int i = from; i < to; ++i) {
    const std::string layer = "model.layers." + std::to_string(i) + ".";
    for (const char* norm : {"input_layernorm", "post_attention_layernorm"}) s.tensor(layer + norm + ".weight", "BF16", 16, {4096});
    for (const auto& [name, out, in] : {std::tuple<const char*, double, double>{"self_attn.q_proj", 4096, 4096}, {"self_attn.k_proj", 1024, 4096}, {"self_attn.v_proj", 1024, 4096}, {"self_attn.o_proj", 4096, 4096}, {"mlp.gate_proj", 14336, 4096}, {"mlp.up_proj", 14336, 4096}, {"mlp.down_proj", 4096, 14336}})
      s.tensor(layer + name + ".weight", "BF16", 16, {out, in});
  }
}

TEST_CASE("safetensors headers give the model, its shards together", "[import][safetensors]") {
  Safetensors one, two;
  one.tensor("model.embed_tokens.weight", "BF16", 16, {128256, 4096});
  huggingface_llama(one, 0, 16);
  huggingface_llama(two, 16, 32);
  two.tensor("model.norm.weight", "BF16", 16, {4096}).tensor("lm_head.weight", "BF16", 16, {128256, 4096});
  const std::string a = one.header(), b = two.header();
  const FileStart first{a, "model-00001-of-00002.safetensors", one.file_bytes()}, second{b, "model-00002-of-00002.safetensors", two.file_bytes()};
  const json both = json::parse(inspect_files_json({first, second}));
  CAPTURE(both.dump());
  REQUIRE(both["model"].is_object());
  const Model& known = model_of("llama-3-8b");
  CHECK(both["params_total"] == known.params_total);
  CHECK(both["params"] == known.params_total);
  CHECK(both["tensor_bytes"] == 2 * known.params_total);
  CHECK(both["kv_bytes_per_token_bf16"] == known.kv_bytes_per_token_bf16);
  CHECK(both["precision"] == "bf16");
  CHECK(json::parse(inspect_files_json({first}))["missing"] == json({"model-00002-of-00002.safetensors"}));

  // An index and a configuration know as much without the shards' headers.
  const std::string index = json({{"metadata", {{"total_size", 2 * known.params_total}}}, {"weight_map", {{"lm_head.weight", "model-00002-of-00002.safetensors"}, {"model.embed_tokens.weight", "model-00001-of-00002.safetensors"}}}}).dump();
  const std::string config = R"({"model_type":"llama","hidden_size":4096,"num_hidden_layers":32,"num_attention_heads":32,"num_key_value_heads":8,"intermediate_size":14336,"vocab_size":128256,"max_position_embeddings":8192,"tie_word_embeddings":false,"torch_dtype":"bfloat16"})";
  const FileStart index_file{index, "model.safetensors.index.json", double(index.size())}, config_file{config, "config.json", double(config.size())};
  const json alone = json::parse(inspect_files_json({index_file}));
  CHECK(alone["kind"] == "safetensors-index");
  CHECK(alone["tensor_bytes"] == 2 * known.params_total);
  CHECK(alone["model"].is_null());
  const json told = json::parse(inspect_files_json({index_file, config_file}));
  REQUIRE(told["model"].is_object());
  CHECK(told["precision"] == "bf16");
  CHECK(told["model"]["stored_bytes"] == 2 * known.params_total);
}

TEST_CASE("packed weights take their shapes from the configuration and their size from the file", "[import][safetensors]") {
  Safetensors s;
  s.tensor("model.embed_tokens.weight", "F16", 16, {1000, 256}).tensor("model.layers.0.self_attn.q_proj.qweight", "I32", 32, {256, 32}).tensor("model.layers.0.self_attn.q_proj.scales", "F16", 16, {2, 256});
  CHECK(inspected(s)["model"].is_null());
  CHECK(inspected(s)["notes"].dump().find("config.json") != std::string::npos);
  const std::string config = R"({"model_type":"llama","hidden_size":256,"num_hidden_layers":1,"num_attention_heads":4,"vocab_size":1000,"max_position_embeddings":8192,"quantization_config":{"quant_method":"awq","bits":4,"group_size":128}})", header = s.header();
  const json answer = json::parse(inspect_files_json({{header, "model.safetensors", s.file_bytes()}, {config, "config.json", double(config.size())}}));
  REQUIRE(answer["model"].is_object());
  CHECK(answer["precision"] == "awq-4bit-128g");
  CHECK(answer["model"]["stored_bytes"] == s.tensor_bytes);
}

TEST_CASE("safetensors that lie are turned away with the tensor and what was expected", "[import][safetensors][hostile]") {
  const auto fault = [](const std::string& header, double file_bytes = 0) { return fault_of(inspected(header, file_bytes, "f")); };
  const auto of = [](const std::string& text) { return Safetensors::header_of(text); };
  const auto says = [](const std::string& text, const char* part) {
    CAPTURE(text, part);
    CHECK(text.find(part) != std::string::npos);
  };
  std::string huge;
  put<std::uint64_t>(huge, 1ull << 50);
  says(fault(huge + "{\"a\":1}"), "byte 0: expected a header of 2 to 100,000,000 bytes");
  says(fault(of(R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]},"a":{"dtype":"F32","shape":[4],"data_offsets":[16,32]}})")), "a: expected every tensor once");
  says(fault(of(R"({"a":{"dtype":"F32","dtype":"F32","shape":[4],"data_offsets":[0,16]}})")), "every field once");
  says(fault(of(R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[0,12]}})")), "expected 16 bytes for its shape and F32, found 12");
  says(fault(of(R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[16,0]}})")), "a beginning and an end");
  says(fault(of(R"({"a":{"dtype":"Q9","shape":[4],"data_offsets":[0,16]}})")), "a known dtype, found \"Q9\"");
  says(fault(of(R"({"a":{"dtype":"F32","shape":[4]}})")), "expected dtype, shape and data_offsets");
  says(fault(of(R"({"a":{"dtype":"F32","shape":[-4],"data_offsets":[0,16]}})")), "a negative number");
  says(fault(of(R"({"a":{"dtype":"F32","shape":[1e30],"data_offsets":[0,16]}})")), "a broken number");
  says(fault(of(R"({"a":{"dtype":"F32","shape":[9007199254740991,9007199254740991],"data_offsets":[0,16]}})")), "fewer than 2^53");
  says(fault(of(R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]},"b":{"dtype":"F32","shape":[4],"data_offsets":[8,24]}})")), "b: expected its data at byte 16");
  says(fault(of(R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})"), 1000), "expected the file to end at byte");
  says(fault(of("{\"a\":" + std::string(100000, '['))), "found a list");
  says(fault(of("{\"a\":{\"b\":{\"c\":{}}}}")), "found an object");
  says(fault(of("{\"a\":{\"dtype\"")), "expected JSON in the header");
  says(fault("neither one nor the other"), "byte 0: expected GGUF, safetensors");
  CHECK(inspected("", 0, "f")["needed"]["bytes"] == 9);
}

TEST_CASE("an Ollama manifest names its blobs; with the model's blob it is a model", "[import][ollama]") {
  const std::string digest(64, 'a');
  const auto layer = [&](const char* kind, double size) { return json({{"mediaType", std::string("application/vnd.ollama.image.") + kind}, {"digest", "sha256:" + digest}, {"size", size}}); };
  json document = {{"schemaVersion", 2}, {"mediaType", "application/vnd.docker.distribution.manifest.v2+json"}, {"config", {{"digest", "sha256:" + digest}, {"size", 500}}}, {"layers", {layer("model", 4.7e9), layer("projector", 6e8), layer("params", 110), layer("license", 7000)}}};
  const auto answer = [&] { const std::string text = document.dump(); return inspected(text, double(text.size()), "llama3"); };
  const json told = answer();
  CHECK(told["kind"] == "ollama-manifest");
  CHECK(told["tensor_bytes"] == 5.3e9);
  REQUIRE(told["blobs"].size() == 4);
  CHECK(told["blobs"][1] == json({{"role", "projector"}, {"digest", "sha256:" + digest}, {"bytes", 6e8}}));
  CHECK(told["missing"][0] == "blobs/sha256-" + digest);
  CHECK(told["model"].is_null());
  const Gguf g = llama();
  const std::string text = document.dump(), blob = g.header();
  const json model = json::parse(inspect_files_json({{text, "llama3", double(text.size())}, {blob, "sha256-" + digest, g.file_bytes()}}));
  CHECK(model["kind"] == "ollama-manifest");
  CHECK(model["precision"] == "gguf-q4_k_m");
  CHECK(model["params_total"] == g.params);
  document["layers"][0]["digest"] = "sha256:short";
  CHECK(fault_of(answer()).find("llama3: layers/0/digest") == 0);
  document["layers"][0] = layer("model", -1);
  CHECK(fault_of(answer()).find("layers/0/size") != std::string::npos);
  document["layers"].erase(0);
  CHECK(fault_of(answer()).find("a layer of the kind model") != std::string::npos);
}

TEST_CASE("a configuration is told by its content, and files of two models are not mixed", "[import]") {
  const Result<std::string> config = native::read_file(WHICHGPU_TESTS_DIR "/core/import/configs/qwen3-30b-a3b.json");
  REQUIRE(config);
  const json answer = inspected(config.value(), double(config.value().size()), "config.json");
  CHECK(answer["kind"] == "config");
  CHECK(answer["params_total"] == json::parse(import_config_json(config.value(), ""))["params_total"]);
  const Gguf g = llama();
  const std::string header = g.header();
  CHECK(json::parse(inspect_files_json({{header, "a", g.file_bytes()}, {header, "b", g.file_bytes()}}))["error"]["message"].get<std::string>().find("files of several models") != std::string::npos);
  CHECK(json::parse(inspect_files_json({{header, "a", g.file_bytes()}, {config.value(), "config.json", double(config.value().size())}})).contains("error"));
  CHECK(json::parse(inspect_files_json({})).contains("error"));
}

}  // namespace
}  // namespace whichgpu
