#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "support/test_catalog.hpp"
#include "whichgpu/api.hpp"
#include "whichgpu/measurement.hpp"
#include "whichgpu/scenario.hpp"

using namespace whichgpu;
using nlohmann::json;

namespace {
json answer(const std::string& scenario) { return json::parse(estimate_json(test_catalog(), scenario), nullptr, false); }
}  // namespace

TEST_CASE("a fault names its field, and near names are offered", "[scenario]") {
  const auto [scenario, code, path, part] = GENERATE(table<const char*, const char*, const char*, const char*>({
      {R"({"model":"llama-3-8","gpu":"4090"})", "unknown-id", "model", "llama-3-8b"},
      {R"({"model":"llama-3-8b","gpu":"rtx 409"})", "unknown-id", "gpu", "nvidia-rtx-4090"},
      {R"({"model":"llama-3-8b"})", "invalid-input", "gpu", "GPU"},
      {R"({})", "invalid-input", "model", "model"},
      {R"({"model":"llama-3-8b","gpu":"4090","contxt_tokens":5})", "invalid-input", "contxt_tokens", "context_tokens"},
      {R"({"model":"llama-3-8b","gpu":"4090","context_tokens":-5})", "invalid-input", "context_tokens", "-5"},
      {R"({"model":"llama-3-8b","gpu":"4090","context_tokens":"many"})", "invalid-input", "context_tokens", "many"},
      {R"({"model":"llama-3-8b","gpu":"4090","gpu_count":1e99})", "invalid-input", "gpu_count", "1e+99"},
      {R"({"model":"llama-3-8b","gpu":"4090","gpu_count":1.5})", "invalid-input", "gpu_count", "whole"},
      {R"({"model":"llama-3-8b","gpu":"4090","concurrency":0})", "invalid-input", "concurrency", "1"},
      {R"({"model":"llama-3-8b","gpu":"4090","training":{"method":"magic"}})", "invalid-input", "training/method", "lora"},
      {R"({"model":"llama-3-8b","gpu":"4090","precision":{"weights":"q4_k_x"}})", "unknown-id", "precision/weights", "format"},
      {R"({"model":"llama-3-8b","gpu":"4090","precision":{"kv_cache":"q3"}})", "unknown-id", "precision/kv_cache", "q8_0"},
      {R"({"model":"llama-3-8b","gpu":"4090","gpu_count":4,"parallelism":{"tensor":3}})", "invalid-input", "parallelism", "4"},
      {R"({"model":"llama-3-8b","gpu":"4090","version":2})", "invalid-input", "version", "1"},
      {R"({"model":"llama-3-8b","gpu":"4090","as_of":"yesterday"})", "invalid-input", "as_of", "YYYY"},
      {R"({"model":"resnet-50","gpu":"4090"})", "invalid-input", "workload", "vision"},
      {R"({"model":"llama-3-8b","gpu":"4090","ownership":{"used":1}})", "invalid-input", "ownership/used", "true or false"},
      {R"({"model":"llama-3-8b","gpu":"4090","spot":{"checkpoint_h":0}})", "invalid-input", "spot/checkpoint_h", "0.001"},
      {R"({"model":"llama-3-8b","gpu":"4090","limits":{"provider_kinds":"specialist"}})", "invalid-input", "limits/provider_kinds", "list"},
      {R"({"model":"llama-3-8b","gpu":"4090","limits":{"provider_kinds":["friend"]}})", "unknown-id", "limits/provider_kinds", "friend"},
      {R"({"model":"llama-3-8b","gpu":"4090","limits":{"gpus":["rtx 409"]}})", "unknown-id", "limits/gpus", "nvidia-rtx-4090"},
      {R"([1,2])", "invalid-input", "scenario", "object"},
      {R"({"model":)", "invalid-input", "scenario", "JSON"},
  }));
  CAPTURE(scenario);
  const json a = answer(scenario);
  REQUIRE(a.contains("error"));
  CHECK(a["error"]["code"] == code);
  CHECK(a["error"]["path"] == path);
  CHECK(a["error"]["message"].get<std::string>().find(part) != std::string::npos);
}

TEST_CASE("huge and deep texts are turned away in bounded time", "[scenario]") {
  CHECK(answer(std::string(100000, '['))["error"]["path"] == "scenario");
  CHECK(answer("{\"model\":\"" + std::string(17u << 20, 'a') + "\"}")["error"]["path"] == "scenario");
  CHECK(answer("{\"model\":\"" + std::string(100000, 'a') + "\",\"gpu\":\"4090\"}")["error"]["path"] == "model");
}

TEST_CASE("an echo asked again gives the same answer", "[scenario]") {
  const std::string scenario = GENERATE(
      R"({"model":"llama-3-8b","gpu":"nvidia-rtx-4090"})", R"({"model":"llama-3-8b","gpu":"a100 80gb","workload":"serving","concurrency":32})",
      R"({"model":"qwen3-30b-a3b","gpu":"nvidia-rtx-3090","gpu_count":2,"workload":"chat"})", R"({"model":"llama-2-7b","gpu":"nvidia-h100-sxm-80gb","workload":"finetune"})",
      R"({"workload":"pretrain","model":"mixtral-8x7b","gpu":"nvidia-h100-sxm-80gb","gpu_count":64,"nodes":8})",
      R"({"workload":"pretrain","model":"llama-2-7b","gpu":"nvidia-a100-sxm-80gb","gpu_count":64,"nodes":8,"training":{"global_batch":8}})",
      R"({"custom_gpu":{"id":"mine","vendor":"NVIDIA","memory_gb":12,"memory_gib_usable":12,"bandwidth_gb_per_s":400,"fp16_tensor_tflops":80},"model":"llama-3-8b"})");
  CAPTURE(scenario);
  const json first = answer(scenario);
  REQUIRE_FALSE(first.contains("error"));
  const json second = answer(first["scenario"].dump());
  CHECK(first.dump() == second.dump());
}

TEST_CASE("what is not said is what the engine's users do", "[scenario]") {
  const auto chosen = [](const std::string& scenario) {
    const json s = answer(scenario)["scenario"];
    return s["engine"].get<std::string>() + " " + s["precision"]["weights"].get<std::string>() + " " + std::to_string(s["parallelism"]["tensor"].get<int>()) + "x" + std::to_string(s["parallelism"]["pipeline"].get<int>());
  };
  // Paged engines load models as published and split every layer; ggml engines load 4-bit files and split by layers.
  CHECK(chosen(R"({"workload":"serving","model":"llama-3.1-70b","gpu":"nvidia-h100-sxm-80gb","gpu_count":4})") == "vllm bf16 4x1");
  CHECK(chosen(R"({"workload":"serving","engine":"sglang","model":"deepseek-v3","gpu":"nvidia-h200-sxm-141gb","gpu_count":8})") == "sglang fp8-block128 8x1");
  CHECK(chosen(R"({"workload":"serving","model":"gpt-oss-120b","gpu":"nvidia-h100-sxm-80gb"})") == "vllm mxfp4 1x1");
  CHECK(chosen(R"({"workload":"serving","model":"llama-2-7b","gpu":"nvidia-t4","gpu_count":2})") == "vllm fp16 2x1");
  CHECK(chosen(R"({"model":"llama-3.1-70b","gpu":"nvidia-rtx-3090","gpu_count":2})") == "llama.cpp gguf-q4_k_m 1x2");
  CHECK(chosen(R"({"model":"gpt-oss-20b","gpu":"nvidia-rtx-4090"})") == "llama.cpp gguf-mxfp4-moe 1x1");
  CHECK(chosen(R"({"engine":"exllamav3","model":"llama-3-8b","gpu":"nvidia-rtx-4090"})") == "exllamav3 exl3-4bpw 1x1");
  // A format that the engine also reads does not change how it splits.
  CHECK(chosen(R"({"workload":"serving","engine":"vllm","precision":"q4_k_m","model":"llama-3.1-70b","gpu":"nvidia-rtx-3090","gpu_count":2})") == "vllm gguf-q4_k_m 2x1");
}

TEST_CASE("degrees of parallelism must make up the GPUs, in training too", "[scenario]") {
  const char* workload = GENERATE("serving", "pretrain");
  const auto path = [&](const std::string& parallelism) {
    const json a = answer(R"({"model":"mixtral-8x7b","gpu":"nvidia-h200-sxm-141gb","gpu_count":8,"workload":")" + std::string(workload) + R"(","parallelism":)" + parallelism + "}");
    return a.contains("error") ? a["error"]["path"].get<std::string>() : std::string();
  };
  CHECK(path(R"({"tensor":2,"pipeline":2,"data":4})") == "parallelism");
  CHECK(path(R"({"data":3})") == "parallelism");
  CHECK(path(R"({"expert":16})") == "parallelism/expert");
  CHECK(path(R"({"tensor":2,"pipeline":4,"data":1,"expert":4})") == "parallelism/expert");
  CHECK(path(R"({"tensor":2,"data":4,"expert":8})").empty());
}

TEST_CASE("precision words follow the engine", "[scenario]") {
  const Catalog& c = test_catalog();
  const Engine* llama = c.find_engine("llama.cpp");
  const Engine* vllm = c.find_engine("vllm");
  const auto id = [&](const char* word, const Engine* e, const char* model = "llama-3-8b") {
    const Quant* q = find_precision(c, word, e, c.find_model(model));
    return q ? q->id : std::string("none");
  };
  CHECK(id("q4_k_m", llama) == "gguf-q4_k_m");
  CHECK(id("fp16", llama) == "gguf-f16");
  CHECK(id("fp16", vllm) == "fp16");
  CHECK(id("int4", vllm) == "awq-4bit-128g");
  CHECK(id("int8", vllm) == "bnb-int8");
  CHECK(id("nf4", vllm) == "bnb-nf4-dq");
  CHECK(id("fp8", vllm) == "fp8-tensor");
  CHECK(id("fp8", vllm, "deepseek-v3") == "fp8-block128");
  CHECK(id("no-such", vllm) == "none");
}

TEST_CASE("measurement files are read strictly", "[measurement]") {
  const auto rows = read_measurements("id,metric,value,notes\r\nx,tpot_ms,\"1,5\",\"a \"\"quoted\"\"\nnote\"\r\n");
  REQUIRE(rows);
  REQUIRE(rows.value().size() == 1);
  CHECK(rows.value()[0].value == "1,5");
  CHECK(rows.value()[0].notes == "a \"quoted\"\nnote");
  CHECK_FALSE(read_measurements("id,metric\n"));
  CHECK_FALSE(read_measurements("id,metric,value\na,b,\"c"));
  CHECK_FALSE(read_measurements("id,metric,value\na,b,c,d\n"));
}
