#include <cmath>
#include <map>
#include <string>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <nlohmann/json.hpp>

#include "support/test_catalog.hpp"
#include "whichgpu/estimate.hpp"
#include "whichgpu/model_math.hpp"
#include "whichgpu/scenario.hpp"

using namespace whichgpu;
using Catch::Matchers::WithinRel;
using Catch::Approx;

namespace {

MemoryEstimate memory_of(const std::string& scenario) {
  const auto document = nlohmann::json::parse(scenario, nullptr, false);
  REQUIRE(!document.is_discarded());
  const Result<Scenario> read = read_scenario(document);
  INFO(scenario << (read ? "" : read.error().path + ": " + read.error().message));
  REQUIRE(read);
  const Result<Question> question = resolve(test_catalog(), read.value());
  INFO((question ? "" : question.error().path + ": " + question.error().message));
  REQUIRE(question);
  std::vector<Warning> warnings;
  return estimate_memory(question.value(), warnings);
}

double term(const MemoryEstimate& m, const std::string& name) {
  for (const Term& t : m.terms)
    if (t.name == name) return t.value;
  return 0;
}

bool runs(const MemoryEstimate& m) { return m.verdict == Verdict::kFits || m.verdict == Verdict::kTight || m.verdict == Verdict::kOffload; }

double cache_gib(const char* model, double tokens) {
  const ModelCache c = cache_of(model_of(model));
  return 2 * c.elements(tokens) / kBytesPerGib;
}

}  // namespace

// Computed from the architectures; the usual mistakes stand beside them in the issues that are named.
TEST_CASE("KV caches have their published sizes", "[memory]") {
  struct Case { const char* model; double tokens, gib; };
  for (const Case& c : {Case{"llama-3-8b", 8192, 1.0}, Case{"llama-2-7b", 4096, 2.0},
                        Case{"qwen3-0.6b", 40960, 4.375},            // head_dim 128, not hidden / heads (unslothai/unsloth#4757)
                        Case{"gemma-3-27b", 131072, 10.40625},       // 52 of 62 layers keep 1,024 tokens (unsloth#4757: 10.41)
                        Case{"qwen3.5-27b", 262144, 16.0},           // full attention in 16 of 64 layers (unsloth#4757)
                        Case{"deepseek-v3.1", 163840, 10.7227},      // latent 512 + rope 64, 61 layers (unsloth#4757: 10.72)
                        Case{"kimi-k2.5", 262144, 17.1563}}) {       // unsloth#4757: 17.16
    INFO(c.model);
    CHECK(cache_gib(c.model, c.tokens) == Approx(c.gib).epsilon(1e-4));
  }
  CHECK(cache_of(model_of("deepseek-v3")).growing_elements_per_token() == (512 + 64) * 61);
  CHECK(cache_of(model_of("gemma-3-27b")).elements(131072) < 0.25 * cache_of(model_of("gemma-3-27b")).elements(131072, -1));
  CHECK(cache_of(model_of("bge-m3")).elements(8192) == 0);  // an encoder keeps nothing (gpustack#2412)
}

TEST_CASE("the estimate's cache is the architecture's", "[memory]") {
  const MemoryEstimate llama = memory_of(R"({"model":"llama-3-8b","gpu":"nvidia-rtx-4090","context_tokens":8192})");
  CHECK(term(llama, "kv_cache") == Approx(1.0).epsilon(0.05));
  // alvarobartt/hf-mem#70: paged engines keep whole pages for the sliding layers of hybrids: 12.0 GiB measured, not 6.1.
  const MemoryEstimate oss = memory_of(R"({"model":"gpt-oss-20b","gpu":"nvidia-h100-sxm-80gb","workload":"serving","engine":"vllm","precision":{"weights":"mxfp4"},"context_tokens":8192,"concurrency":32})");
  CHECK(term(oss, "kv_cache") == Approx(12.0).epsilon(0.05));
  // redhat-performance/configiq#112: 108.2 KiB a token measured for Gemma 4 31B at its full context.
  const MemoryEstimate gemma = memory_of(R"({"model":"gemma-4-31b","gpu":"nvidia-h200-sxm-141gb","workload":"serving","engine":"vllm","context_tokens":262144})");
  CHECK(term(gemma, "kv_cache") * 1048576 / 262144 == Approx(108.2).epsilon(0.05));
  const MemoryEstimate qwen = memory_of(R"({"model":"qwen3.5-27b","gpu":"nvidia-h100-sxm-80gb","context_tokens":262144})");
  CHECK(term(qwen, "recurrent_state") > 0);
}

TEST_CASE("cases that calculators got wrong in public", "[memory]") {
  // AlexsJones/llmfit#497: active parameters are not the weights.
  CHECK(weight_bytes(model_of("deepseek-v3"), quant_of("q4_k_m")).total > 390e9);
  // ollama/ollama#10128: 11.2 GiB on two cards; 52 GB was the mistake.
  const MemoryEstimate million = memory_of(R"({"model":"qwen2.5-7b","gpu":"nvidia-rtx-3090","gpu_count":2,"context_tokens":262144,"precision":{"weights":"q4_k_m","kv_cache":"q8_0"}})");
  CHECK(2 * million.per_gpu_gib.value == Approx(11.2).epsilon(0.3));
  // tmac1973/llama-toolchest#58, with the model of that size that the catalog has.
  CHECK(runs(memory_of(R"({"model":"gemma-3-12b","gpu":"nvidia-rtx-4090","context_tokens":131072,"precision":{"kv_cache":"q8_0"}})")));
  // ollama/ollama#17201: the compute buffer of MLA without flash attention, about 2.4 GB.
  const MemoryEstimate lite = memory_of(R"({"model":"deepseek-v2-lite","gpu":"nvidia-rtx-4090","context_tokens":32768})");
  CHECK(term(lite, "activations") + term(lite, "logits") == Approx(2.4e9 / kBytesPerGib).epsilon(0.15));
  // AlexsJones/llmfit#302: some layers in host memory.
  CHECK(runs(memory_of(R"({"model":"qwen3.5-9b","gpu":"nvidia-rtx-4060-laptop","offload":"cpu"})")));
  // ollama/ollama#10737: the graph is not needed three times over.
  CHECK(runs(memory_of(R"({"model":"qwen3-32b","gpu":"nvidia-rtx-4060-ti-16gb","gpu_count":3,"context_tokens":19000})")));
  // lmstudio-ai/lms#67: layers are whole and each card needs buffers. #412: 94 layers on two cards.
  CHECK_FALSE(runs(memory_of(R"({"model":"llama-3.1-70b","gpu":"nvidia-rtx-3090","gpu_count":2,"context_tokens":131072,"precision":{"weights":"iq3_m"}})")));
  CHECK(runs(memory_of(R"({"model":"glm-4.7","gpu":"nvidia-rtx-pro-6000-blackwell","gpu_count":2,"context_tokens":84992,"precision":{"weights":"ud-q3_k_xl"}})")));
  // LostRuins/koboldcpp#1480.
  CHECK(runs(memory_of(R"({"model":"mistral-small-3.1-24b","gpu":"nvidia-rtx-4090","context_tokens":24576})")));
  // ggml-org/llama.cpp#19980: the projector counts.
  CHECK(term(memory_of(R"({"model":"qwen3.5-35b-a3b","gpu":"nvidia-rtx-4090","context_tokens":65536})"), "vision_projector") > 0.5);
}

TEST_CASE("what fits where", "[memory]") {
  CHECK_FALSE(runs(memory_of(R"({"model":"llama-2-70b","gpu":"nvidia-a100-sxm-80gb","precision":{"weights":"fp16"},"engine":"vllm","context_tokens":2048})")));
  CHECK(runs(memory_of(R"({"model":"llama-2-70b","gpu":"nvidia-rtx-a6000","precision":{"weights":"q4_k_m"},"context_tokens":4096})")));
  for (const char* model : {"llama-2-7b", "llama-3-8b", "mistral-7b-v0.1"})
    CHECK(runs(memory_of(std::string(R"({"model":")") + model + R"(","gpu":"nvidia-rtx-4090","precision":{"weights":"fp16"},"context_tokens":4096})")));
  CHECK_FALSE(runs(memory_of(R"({"model":"llama-2-13b","gpu":"nvidia-rtx-4090","precision":{"weights":"fp16"},"context_tokens":4096})")));
  CHECK(runs(memory_of(R"({"model":"llama-2-13b","gpu":"nvidia-rtx-4090","precision":{"weights":"q8_0"},"context_tokens":4096})")));
}

TEST_CASE("a box of different cards holds what their memory together holds", "[memory]") {
  const auto box = [](const char* model, const char* precision) {
    return memory_of(std::string(R"({"model":")") + model + R"(","precision":{"weights":")" + precision + R"("},"context_tokens":4096,"gpus":[{"gpu":"nvidia-rtx-4090","count":1},{"gpu":"nvidia-rtx-3090","count":1}]})").verdict;
  };
  CHECK(box("llama-2-13b", "f16") == Verdict::kFits);          // 26 GB of weights: more than one card's 24 GB, less than 48
  CHECK(box("llama-3.3-70b", "q8_0") == Verdict::kDoesNotFit);  // 75 GB
}

TEST_CASE("a model without experts moves layers where experts were to be moved", "[memory]") {
  const auto offloaded = [](const char* what) {
    return memory_of(std::string(R"({"model":"llama-3.3-70b","gpu":"nvidia-rtx-4090","precision":{"weights":"q4_k_m"},"context_tokens":4096,"host":{"ram_gib":128},"offload":")") + what + R"("})");
  };
  const MemoryEstimate layers = offloaded("cpu"), experts = offloaded("experts");
  REQUIRE(layers.verdict == Verdict::kOffload);
  CHECK(experts.verdict == layers.verdict);
  CHECK(experts.offloaded_layers == layers.offloaded_layers);
  CHECK(layers.offloaded_layers >= 1);
}

TEST_CASE("laws of memory", "[memory]") {
  for (const char* rest : {R"("engine":"llama.cpp")", R"("engine":"vllm","workload":"serving","precision":{"weights":"bf16"})", R"("engine":"transformers","precision":{"weights":"bf16"})"}) {
    for (const char* model : {"llama-3-8b", "gemma-3-27b", "deepseek-v3", "qwen3-next-80b-a3b", "mamba2-2.7b", "gpt-oss-120b"}) {
      double before = 0;
      for (int context = 512; context <= 131072; context *= 2) {
        const MemoryEstimate m = memory_of(std::string(R"({"model":")") + model + R"(","gpu":"nvidia-h100-sxm-80gb","context_tokens":)" + std::to_string(context) + "," + rest + "}");
        INFO(model << " " << rest << " " << context);
        CHECK(m.per_gpu_gib.value >= before);  // doubling the context never lowers memory
        before = m.per_gpu_gib.value;
        double sum = 0;
        for (const Term& t : m.terms) {
          CHECK(t.value > 0);
          CHECK(!t.formula.empty());
          sum += t.value;
        }
        CHECK(sum == Approx(m.per_gpu_gib.value).epsilon(1e-9));
        CHECK(m.per_gpu_gib.p10 <= m.per_gpu_gib.value);
        CHECK(m.per_gpu_gib.p90 >= m.per_gpu_gib.value);
        if (runs(m)) CHECK(*m.max_context_tokens >= context);
        else CHECK(*m.max_context_tokens < context);
      }
    }
  }
}

TEST_CASE("the limits are the edges of what fits", "[memory]") {
  const std::string head = R"({"model":"llama-3-8b","gpu":"nvidia-rtx-4090","precision":{"weights":"q4_k_m"},)";
  const MemoryEstimate m = memory_of(head + R"("context_tokens":4096})");
  const double limit = *m.max_context_tokens;
  CHECK(runs(memory_of(head + "\"context_tokens\":" + std::to_string(static_cast<long long>(limit)) + "}")));
  CHECK_FALSE(runs(memory_of(head + "\"context_tokens\":" + std::to_string(static_cast<long long>(limit) + 1) + "}")));
  const double users = *m.max_concurrency;
  CHECK(runs(memory_of(head + "\"context_tokens\":4096,\"concurrency\":" + std::to_string(static_cast<long long>(users)) + "}")));
  CHECK_FALSE(runs(memory_of(head + "\"context_tokens\":4096,\"concurrency\":" + std::to_string(static_cast<long long>(users) + 1) + "}")));
  const MemoryEstimate big = memory_of(R"({"model":"llama-3.1-405b","gpu":"nvidia-h100-sxm-80gb","engine":"vllm","workload":"serving","precision":{"weights":"fp8"}})");
  CHECK_FALSE(runs(big));
  CHECK(*big.min_gpu_count == 8);
}

TEST_CASE("copies of a model share the sequences, and its experts may spread over them", "[memory]") {
  const auto parts = [](const char* scenario) {
    const MemoryEstimate m = memory_of(scenario);
    std::map<std::string, double> out;
    for (const auto& t : m.terms) out[t.name] = t.value;
    return out;
  };
  // 64 requests on four copies are 16 each: a quarter of the cache of one copy that runs all 64.
  auto one = parts(R"({"workload":"serving","model":"llama-3-8b","gpu":"nvidia-h100-sxm-80gb","concurrency":64})");
  auto four = parts(R"({"workload":"serving","model":"llama-3-8b","gpu":"nvidia-h100-sxm-80gb","gpu_count":4,"parallelism":{"data":4},"concurrency":64})");
  CHECK_THAT(four["kv_cache"], WithinRel(one["kv_cache"] / 4, 1e-12));
  CHECK_THAT(four["weights"], WithinRel(one["weights"], 1e-12));
  const double most = *memory_of(R"({"workload":"serving","model":"llama-3-8b","gpu":"nvidia-h100-sxm-80gb","concurrency":64})").max_concurrency;
  CHECK(*memory_of(R"({"workload":"serving","model":"llama-3-8b","gpu":"nvidia-h100-sxm-80gb","gpu_count":4,"parallelism":{"data":4},"concurrency":64})").max_concurrency == 4 * most);
  // Mixtral-8x7B: 32 layers x 8 experts x 3 x 4096 x 14336 weights of 16 bits; eight GPUs then hold an eighth of them each.
  const double experts_gib = 32.0 * 8 * 3 * 4096 * 14336 * 2 / 1073741824.0;
  auto copied = parts(R"({"workload":"serving","model":"mixtral-8x7b","precision":"bf16","gpu":"nvidia-h200-sxm-141gb","gpu_count":8,"parallelism":{"tensor":1,"data":8}})");
  auto spread = parts(R"({"workload":"serving","model":"mixtral-8x7b","precision":"bf16","gpu":"nvidia-h200-sxm-141gb","gpu_count":8,"parallelism":{"tensor":1,"data":8,"expert":8}})");
  CHECK_THAT(copied["weights"] - spread["weights"], WithinRel(experts_gib * 7 / 8, 1e-9));
}
