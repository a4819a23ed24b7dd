#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <nlohmann/json.hpp>

#include "support/test_catalog.hpp"
#include "whichgpu/paste.hpp"

using namespace whichgpu;
using Catch::Matchers::WithinRel;
using nlohmann::json;

namespace {

json pasted(const std::string& text, const std::string& scenario = "{}") {
  return json::parse(pasted_json(test_catalog(), json({{"text", text}, {"scenario", json::parse(scenario)}}).dump()));
}

// Written after the programs' documentation, with figures of our own.
constexpr const char* kSmi = R"(| NVIDIA-SMI 570.00                 Driver Version: 570.00         CUDA Version: 12.8     |
|-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|=========================================+========================+======================|
|   0  NVIDIA GeForce RTX 4060 Ti     Off |   00000000:01:00.0  On |                  N/A |
|  0%   38C    P8             11W /  165W |     512MiB /  16380MiB |      2%      Default |
+-----------------------------------------+------------------------+----------------------+
|   1  NVIDIA GeForce RTX 3090        On  |   00000000:02:00.0 Off |                  N/A |
|  0%   38C    P8             11W /  350W |      12MiB /  24576MiB |      0%      Default |
+-----------------------------------------+------------------------+----------------------+
| Processes:                                                                              |
|    0   N/A  N/A            1234      G   /usr/lib/xorg/Xorg                      120MiB |
)";

constexpr const char* kBench = R"(  Device 0: NVIDIA GeForce RTX 4090, compute capability 8.9, VMM: yes
| model                          |       size |     params | backend    | ngl |            test |                  t/s |
| ------------------------------ | ---------: | ---------: | ---------- | --: | --------------: | -------------------: |
| llama 8B Q4_K - Medium         |   4.58 GiB |     8.03 B | CUDA       |  99 |           pp512 |     12345.67 ± 45.10 |
| llama 8B Q4_K - Medium         |   4.58 GiB |     8.03 B | CUDA       |  99 |           tg128 |        141.50 ± 0.21 |
| llama 8B Q4_K - Medium         |   4.58 GiB |     8.03 B | CUDA       |  99 |   tg128 @ d16384|         99.10 ± 0.21 |
| llama 8B Q4_K - Medium         |   4.58 GiB |     8.03 B | CUDA       |  99 |     pp512+tg128 |       1000.00 ± 0.21 |

build: 5abc123 (6500)
)";

}  // namespace

TEST_CASE("nvidia-smi's table names cards by what they hold", "[paste]") {
  const json m = pasted(kSmi)["machine"];
  REQUIRE(m["cards"].size() == 2);
  CHECK(m["cards"][0]["gpu"] == "nvidia-rtx-4060-ti-16gb");  // the name alone says 8 or 16 GB
  CHECK(m["cards"][1]["gpu"] == "nvidia-rtx-3090");
  CHECK(m["scenario"]["gpus"].size() == 2);
}

TEST_CASE("lists of cards are counted", "[paste]") {
  const json list = pasted("GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-aa)\nGPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-bb)\n")["machine"];
  CHECK(list["scenario"]["gpu"] == "nvidia-h100-sxm-80gb");
  CHECK(list["scenario"]["gpu_count"] == 2);
  const json csv = pasted("name, memory.total [MiB]\nNVIDIA A100-SXM4-80GB, 81920 MiB\nNVIDIA A100-SXM4-80GB, 81920 MiB\n")["machine"];
  CHECK(csv["scenario"]["gpu"] == "nvidia-a100-sxm-80gb");
  CHECK(csv["scenario"]["gpu_count"] == 2);
  const json rocm = pasted("GPU[0]\t\t: Card Series: \t\tAMD Radeon RX 7900 XTX\nGPU[0]\t\t: Card Model: \t\t0x744c\n")["machine"];
  CHECK(rocm["scenario"]["gpu"] == "amd-rx-7900-xtx");
  const json mac = pasted("Hardware:\n      Chip: Apple M3 Max\n      Memory: 64 GB\nGraphics/Displays:\n      Chipset Model: Apple M3 Max\n      Type: GPU\n      Total Number of Cores: 30\n")["machine"];
  CHECK(mac["scenario"]["gpu"] == "apple-m3-max-30c");
  CHECK(mac["scenario"]["host"]["ram_gib"] == 64);
  const json unknown = pasted("GPU 0: Voodoo 3 3500 (UUID: GPU-aa)\n")["machine"];
  CHECK(unknown["cards"][0]["gpu"].is_null());
  CHECK(unknown["scenario"].empty());
}

TEST_CASE("llama-bench's rows stand beside our estimates", "[paste]") {
  const json m = pasted(kBench, R"({"model":"llama-3.1-8b"})")["measurement"];
  CHECK(m["tool"] == "llama-bench");
  REQUIRE(m["rows"].size() == 3);  // the test that mixes reading and writing is neither
  CHECK(m["rows"][0]["metric"] == "prefill_tok_s");
  CHECK(m["rows"][1]["metric"] == "decode_tok_s_per_user");
  CHECK(m["rows"][1]["value"] == 141.5);
  CHECK(m["rows"][1]["gpu"] == "nvidia-rtx-4090");
  CHECK(m["rows"][1]["precision"] == "q4_k_m");
  for (const json& row : m["rows"]) {
    REQUIRE(row.contains("estimate"));
    CHECK_THAT(row["ratio"].get<double>(), WithinRel(row["estimate"]["value"].get<double>() / row["value"].get<double>(), 1e-12));
  }
  CHECK(m["rows"][2]["estimate"]["value"].get<double>() < 0.95 * m["rows"][1]["estimate"]["value"].get<double>());  // 16,384 tokens deep
  // The CSV is the files' own format: reading it back gives the same rows.
  const auto rows = read_measurements(m["csv"].get<std::string>());
  REQUIRE(rows);
  REQUIRE(rows.value().size() == 3);
  CHECK(rows.value()[2].output_tokens == "128 at depth 16384");
  CHECK(rows.value()[0].software_version == "5abc123 (6500)");
  CHECK(rows.value()[0].id.size() == 10);
}

TEST_CASE("llama-bench's JSON, vLLM's text and JSON, trtllm-bench's report", "[paste]") {
  const json llama = pasted(R"([{"build_number":6500,"model_filename":"models/Qwen3-8B-Q8_0.gguf","model_type":"qwen3 8B Q8_0","gpu_info":"NVIDIA GeForce RTX 3090, NVIDIA GeForce RTX 3090","n_prompt":0,"n_gen":128,"n_depth":0,"type_k":"f16","avg_ts":95.5,"test_time":"2026-11-02T10:00:00Z"}])")["measurement"];
  REQUIRE(llama["rows"].size() == 1);
  CHECK(llama["rows"][0]["model"] == "qwen3-8b");
  CHECK(llama["rows"][0]["gpu_count"] == "2");
  CHECK(llama["rows"][0]["precision"] == "q8_0");

  const std::string scenario = R"({"model":"llama-3.1-8b","gpu":"nvidia-h100-sxm-80gb","precision":"bf16"})";
  const json text = pasted("============ Serving Benchmark Result ============\nSuccessful requests:                     100\nMaximum request concurrency:             32\nBenchmark duration (s):                  20.00\nTotal input tokens:                      51200\nTotal generated tokens:                  25600\nRequest throughput (req/s):              5.00\nOutput token throughput (tok/s):         1280.00\nTotal Token throughput (tok/s):          3840.00\nMean TTFT (ms):                          120.00\nMean TPOT (ms):                          11.00\n", scenario)["measurement"];
  REQUIRE(text["rows"].size() == 5);
  CHECK(text["rows"][0]["metric"] == "throughput_out_tok_s");
  CHECK(text["rows"][0]["value"] == 1280);
  CHECK(text["rows"][0]["prompt_tokens"] == "512");
  CHECK(text["rows"][0]["output_tokens"] == "256");
  CHECK(text["rows"][0]["concurrency"] == "32");
  for (const json& row : text["rows"]) CHECK(row.contains("estimate"));

  const json as_json = pasted(R"({"date":"20261104-093000","model_id":"meta-llama/Llama-3.1-8B-Instruct","completed":100,"max_concurrency":32,"request_rate":"inf","total_input_tokens":51200,"total_output_tokens":25600,"output_throughput":1280.0,"mean_ttft_ms":120.0,"mean_tpot_ms":11.0})", scenario)["measurement"];
  REQUIRE(as_json["rows"].size() == 3);
  CHECK(as_json["rows"][0]["model"] == "llama-3.1-8b");
  CHECK(as_json["rows"][0]["estimate"] == text["rows"][0]["estimate"]);

  const json trt = pasted("===========================================================\n= PYTORCH BACKEND\nModel:                  meta-llama/Llama-3.1-70B-Instruct\nTP Size:                4\nPP Size:                1\nNumber of requests:             1000\nNumber of concurrent requests:  256\nAverage Input Length (tokens):  1024.0\nAverage Output Length (tokens): 512.0\nRequest Throughput (req/sec):                     9.0\nTotal Output Throughput (tokens/sec):             4608.0\n", scenario)["measurement"];
  CHECK(trt["tool"] == "trtllm-bench");
  CHECK(trt["rows"][0]["gpu_count"] == "4");
  CHECK(trt["rows"][0]["model"] == "llama-3.1-70b");
  CHECK(trt["rows"][0]["prompt_tokens"] == "1024");
}

TEST_CASE("texts that no tool printed are turned away", "[paste]") {
  for (const char* text : {"", "hello", "{}", "[]", "[1,2,3]", "{\"output_throughput\":\"many\"}", "[{\"avg_ts\":-1,\"n_gen\":5}]", "| a | b |", "|   0", "GPU 0: (UUID: x)", "{\"output_throughput\":"}) {
    INFO(text);
    CHECK(pasted(text)["error"]["path"].get<std::string>().substr(0, 4) == "text");
  }
  CHECK(pasted(std::string((1u << 20) + 1, 'x'))["error"]["path"] == "text");
  CHECK(json::parse(pasted_json(test_catalog(), "[]"))["error"]["path"] == "text");
}
