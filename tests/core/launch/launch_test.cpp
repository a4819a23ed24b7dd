#include <string>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "launch/writers.hpp"
#include "support/test_catalog.hpp"
#include "whichgpu/launch.hpp"

using namespace whichgpu;
using nlohmann::json;

namespace {

json launched(const std::string& scenario) {
  const json answer = json::parse(launch_json(test_catalog(), scenario));
  CAPTURE(answer.value("error", json()).dump());
  REQUIRE(answer.contains("launch"));
  return answer["launch"];
}

/// The text for one program; empty when there is none.
std::string text_for(const std::string& scenario, const char* engine) {
  for (const json& l : launched(scenario))
    if (l["engine"] == engine) return l["text"].get<std::string>();
  return "";
}

bool has(const std::string& text, const std::string& option) { return text.find(option) != std::string::npos; }

bool noted(const std::string& scenario, const char* code) {
  for (const json& l : launched(scenario))
    for (const json& note : l["notes"])
      if (note["code"] == code) return true;
  return false;
}

}  // namespace

TEST_CASE("llama.cpp is told context, slots, cache and layers", "[launch]") {
  const std::string s = R"({"model":"llama-3-8b","gpu":"nvidia-rtx-4090","precision":{"weights":"q4_k_m","kv_cache":"q8_0"},"context_tokens":8192,"concurrency":4,"workload":"serving"})";
  const std::string text = text_for(s, "llama.cpp");
  CHECK(has(text, "--model Meta-Llama-3-8B-Q4_K_M.gguf"));
  CHECK(has(text, "--ctx-size 32768"));  // one window, divided among four slots
  CHECK(has(text, "--parallel 4"));
  CHECK(has(text, "--n-gpu-layers 33"));  // 32 layers and the output
  CHECK(has(text, "--cache-type-k q8_0"));
  const std::string ollama = text_for(s, "ollama");
  CHECK(has(ollama, "PARAMETER num_ctx 8192"));
  CHECK(has(ollama, "OLLAMA_KV_CACHE_TYPE=q8_0"));
  CHECK(has(ollama, "OLLAMA_NUM_PARALLEL=4"));
}

TEST_CASE("layers that stay in host memory are counted off", "[launch]") {
  const std::string s = R"({"model":"llama-3.3-70b","gpu":"nvidia-rtx-4090","precision":"q4_k_m","offload":"cpu","context_tokens":8192})";
  const json answer = json::parse(launch_json(test_catalog(), s));
  const auto q = resolve(test_catalog(), read_scenario(json::parse(s)).value());
  const Estimate e = estimate(q.value());
  REQUIRE(e.memory->verdict == Verdict::kOffload);
  CHECK(e.memory->offloaded_layers > 20);
  CHECK(e.memory->offloaded_layers < 60);
  CHECK(has(answer["launch"][0]["text"], "--n-gpu-layers " + std::to_string(81 - static_cast<int>(e.memory->offloaded_layers))));
  const std::string experts = text_for(R"({"model":"gpt-oss-120b","gpu":"nvidia-rtx-4090","offload":"experts","host":{"ram_gib":128}})", "llama.cpp");
  CHECK(has(experts, "--n-cpu-moe "));
  CHECK(has(experts, "--n-gpu-layers 37"));
}

TEST_CASE("serving engines are told degrees, window, batch and share of the memory", "[launch]") {
  const std::string base = R"("workload":"serving","model":"mixtral-8x7b","gpu":"nvidia-h100-sxm-80gb","gpu_count":8,"concurrency":64,"prompt_tokens":1000,"output_tokens":500,"parallelism":{"tensor":4,"data":2,"expert":8},"precision":{"weights":"fp8","kv_cache":"fp8"})";
  const std::string vllm = text_for("{\"engine\":\"vllm\"," + base + "}", "vllm");
  for (const char* option : {"vllm serve mistralai/Mixtral-8x7B", "--quantization fp8", "--max-model-len 1500", "--max-num-seqs 32", "--tensor-parallel-size 4", "--data-parallel-size 2", "--enable-expert-parallel", "--kv-cache-dtype fp8", "--gpu-memory-utilization 0.99"}) {
    INFO(option << "\n" << vllm);
    CHECK(has(vllm, option));
  }
  const std::string sglang = text_for("{\"engine\":\"sglang\"," + base + "}", "sglang");
  for (const char* option : {"--tp-size 4", "--dp-size 2", "--ep-size 8", "--context-length 1500", "--max-running-requests 64", "--kv-cache-dtype fp8_e5m2"}) {
    INFO(option << "\n" << sglang);
    CHECK(has(sglang, option));
  }
  const std::string trt = text_for("{\"engine\":\"tensorrt-llm\"," + base + "}", "tensorrt-llm");
  for (const char* option : {"--tp_size 4", "--ep_size 8", "--max_seq_len 1500", "--max_batch_size 32", "dtype: fp8"}) {
    INFO(option << "\n" << trt);
    CHECK(has(trt, option));
  }
  // Published in the format asked for: no word about it.
  CHECK_FALSE(has(text_for(R"({"workload":"serving","engine":"vllm","model":"deepseek-v3","gpu":"nvidia-h200-sxm-141gb","gpu_count":8})", "vllm"), "--quantization"));
  CHECK(noted(R"({"workload":"serving","engine":"vllm","model":"llama-3-8b","precision":"awq","gpu":"nvidia-l4"})", "checkpoint"));
}

TEST_CASE("training programs are told the plan", "[launch]") {
  const std::string s = R"({"workload":"finetune","model":"llama-3.1-8b","gpu":"nvidia-a100-sxm-80gb","gpu_count":8,"training":{"method":"full","sharding":"zero-3","checkpointing":"full","micro_batch":2,"global_batch":64,"sequence_tokens":4096,"optimizer":"adamw-8bit"}})";
  const std::string trl = text_for(s, "trl");
  for (const char* option : {"--accelerate_config zero3", "--num_processes 8", "--per_device_train_batch_size 2", "--gradient_accumulation_steps 4", "--max_length 4096", "--gradient_checkpointing True", "--optim adamw_bnb_8bit"}) {
    INFO(option << "\n" << trl);
    CHECK(has(trl, option));
  }
  const std::string axolotl = text_for(s, "axolotl");
  for (const char* line : {"micro_batch_size: 2", "gradient_accumulation_steps: 4", "sequence_len: 4096", "gradient_checkpointing: true", "deepspeed: deepspeed_configs/zero3"}) CHECK(has(axolotl, line));
  const std::string lora = text_for(R"({"workload":"finetune","model":"llama-3.1-8b","gpu":"nvidia-rtx-4090","training":{"method":"qlora","lora_rank":32}})", "torchtune");
  for (const char* word : {"lora_finetune_single_device", "model.lora_rank=32", "model.quantize_base=True"}) CHECK(has(lora, word));
  const std::string megatron = text_for(R"({"workload":"pretrain","model":"llama-2-70b","gpu":"nvidia-h100-sxm-80gb","gpu_count":64,"nodes":8,"parallelism":{"tensor":8,"pipeline":2},"training":{"global_batch":512}})", "megatron-lm");
  for (const char* option : {"--num-layers 80", "--hidden-size 8192", "--num-query-groups 8", "--tensor-model-parallel-size 8", "--pipeline-model-parallel-size 2", "--global-batch-size 512", "--nnodes 8"}) CHECK(has(megatron, option));
}

TEST_CASE("a name from a link runs nothing", "[launch]") {
  CHECK(launch::shell_word("a b; rm -rf ~") == "'a b; rm -rf ~'");
  CHECK(launch::shell_word("it's $(x)\n") == "'it'\\''s $(x)'");
  CHECK(launch::shell_word("") == "''");
  CHECK(launch::shell_word("org/Name-8B_v1.0") == "org/Name-8B_v1.0");
  CHECK(launch::quoted_word("a\"\n: b") == "\"a\\\"\\n: b\"");
  // A model of one's own may carry any text: what cannot be a name never reaches a command.
  const std::string own = R"({"gpu":"nvidia-rtx-4090","model":"custom-model","custom_model":{"hf_repo":"x\nEND\nrm -rf ~\n","kind":"llm","attention":"mha","family":"bloom","ffn_kind":"gelu","head_dim":128,"hidden_size":4096,"intermediate_size":16384,"layer_groups":[{"count":30,"ffn":"dense","mixer":"attn"}],"norm_kind":"layernorm","num_attention_heads":32,"num_kv_heads":32,"num_layers":30,"params_active":7069007872,"params_active_matmul":7069007872,"params_total":7069007872,"tie_embeddings":true,"vocab_size":250880}})";
  CHECK(has(text_for(own, "llama.cpp"), "--model MODEL-Q4_K_M.gguf"));
  CHECK_FALSE(has(text_for(own, "ollama"), "rm -rf"));
  CHECK(noted(own, "model-name"));
}

TEST_CASE("what does not fit says so beside its command", "[launch]") {
  CHECK(noted(R"({"model":"llama-3.1-70b","gpu":"nvidia-rtx-4090","precision":"fp16"})", "does-not-fit"));
  CHECK_FALSE(noted(R"({"model":"llama-3-8b","gpu":"nvidia-rtx-4090"})", "does-not-fit"));
}
