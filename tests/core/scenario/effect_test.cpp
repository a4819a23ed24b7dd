#include <set>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "support/test_catalog.hpp"
#include "whichgpu/api.hpp"
#include "whichgpu/scenario.hpp"

using namespace whichgpu;
using nlohmann::json;

namespace {

/// A question, and one field of it changed: its answer must change too.
struct Change { const char* field; const char* question; const char* value; };

constexpr const char* kChat = R"({"model":"llama-3-8b","gpu":"nvidia-rtx-4090"})";
constexpr const char* kOffload = R"({"model":"llama-3.3-70b","gpu":"nvidia-rtx-4090","gpu_count":2,"precision":"q8_0","offload":"cpu","host":{"ram_gib":256}})";
constexpr const char* kStreamed = R"({"model":"llama-3.3-70b","gpu":"nvidia-rtx-4090","gpu_count":2,"engine":"vllm","precision":"fp8","offload":"cpu","host":{"ram_gib":256}})";
constexpr const char* kServing = R"({"workload":"serving","model":"llama-3.1-70b","gpu":"nvidia-h100-sxm-80gb","gpu_count":4,"concurrency":16,"parallelism":{"tensor":2}})";
constexpr const char* kExperts = R"({"workload":"pretrain","model":"mixtral-8x7b","gpu":"nvidia-h100-sxm-80gb","gpu_count":64,"nodes":8,"parallelism":{"tensor":2,"pipeline":2}})";
constexpr const char* kRag = R"({"workload":"rag","model":"llama-3-8b","gpu":"nvidia-a100-sxm-80gb"})";
constexpr const char* kTune = R"({"workload":"finetune","model":"llama-3-8b","gpu":"nvidia-a100-sxm-80gb"})";
constexpr const char* kFull = R"({"workload":"finetune","model":"llama-3-8b","gpu":"nvidia-a100-sxm-80gb","gpu_count":8,"training":{"method":"full"}})";
constexpr const char* kVision = R"({"workload":"vision-training","model":"resnet-50","gpu":"nvidia-a100-sxm-80gb"})";
constexpr const char* kImage = R"({"workload":"image-generation","model":"sdxl-1.0","gpu":"nvidia-rtx-4090"})";
constexpr const char* kVideo = R"({"workload":"image-generation","model":"wan2.1-t2v-14b","gpu":"nvidia-h100-sxm-80gb"})";
constexpr const char* kHpc = R"({"workload":"hpc","gpu":"nvidia-a100-sxm-80gb"})";
constexpr const char* kOwned = R"({"model":"llama-3-8b","gpu":"nvidia-rtx-4090","ownership":{"own":true,"usd_per_kwh":0.3}})";
constexpr const char* kRented = R"({"model":"llama-3-8b","gpu":"nvidia-a100-sxm-80gb","offer":{"provider":"aws"}})";
constexpr const char* kAnywhere = R"({"model":"llama-3-8b","gpu":"nvidia-h100-sxm-80gb"})";
constexpr const char* kPriced = R"({"model":"llama-3-8b","gpu":"nvidia-rtx-4090","price":{"per_hour":1.25,"currency":"USD"}})";

// BLOOM-7B1's shape, and in the table the same with six layers fewer.
constexpr const char* kOwnModel = R"({"model":"custom-model","gpu":"nvidia-rtx-4090","custom_model":{"kind":"llm","attention":"mha","family":"bloom","ffn_kind":"gelu","head_dim":128,"hidden_size":4096,"intermediate_size":16384,"layer_groups":[{"count":30,"ffn":"dense","mixer":"attn"}],"norm_kind":"layernorm","num_attention_heads":32,"num_kv_heads":32,"num_layers":30,"params_active":7069007872,"params_active_matmul":7069007872,"params_total":7069007872,"tie_embeddings":true,"vocab_size":250880}})";

const std::vector<Change>& changes() {
  static const std::vector<Change> all = {
      {"/as_of", kAnywhere, R"("2027-12-01")"},
      {"/workload", kChat, R"("serving")"},
      {"/model", kChat, R"("llama-2-7b")"},
      {"/draft_model", kServing, R"("llama-3.2-1b")"},
      {"/engine", kChat, R"("vllm")"},
      {"/precision/weights", kChat, R"("q8_0")"},
      {"/precision/kv_cache", kChat, R"("q8_0")"},
      {"/gpu", kChat, R"("nvidia-rtx-3090")"},
      {"/gpu_count", kChat, "2"},
      {"/nodes", kExperts, "4"},
      {"/gpus", kChat, R"([{"gpu":"nvidia-rtx-3090","count":1}])"},
      {"/parallelism/tensor", kServing, "4"},
      {"/parallelism/pipeline", kExperts, "4"},
      {"/parallelism/expert", kExperts, "4"},
      {"/parallelism/data", R"({"workload":"pretrain","model":"mixtral-8x7b","gpu":"nvidia-h100-sxm-80gb","gpu_count":64,"nodes":8})", "4"},
      {"/parallelism/data", R"({"workload":"serving","model":"llama-3-8b","gpu":"nvidia-h100-sxm-80gb","gpu_count":4,"concurrency":64})", "4"},
      {"/parallelism/expert", R"({"workload":"serving","model":"mixtral-8x7b","gpu":"nvidia-h100-sxm-80gb","gpu_count":8,"concurrency":64,"parallelism":{"tensor":1,"data":8}})", "8"},
      {"/offload", kOffload, R"("none")"},
      {"/host/ram_gib", kOffload, "16"},
      {"/host/ram_gb_per_s", kOffload, "40"},
      {"/host/pcie_gb_per_s", kStreamed, "8"},
      {"/host/vram_reserved_gib", kChat, "3"},
      {"/context_tokens", kChat, "2048"},
      {"/prompt_tokens", kChat, "2000"},
      {"/output_tokens", kChat, "1000"},
      {"/concurrency", kServing, "64"},
      {"/rag/requests_per_s", kRag, "4"},
      {"/rag/latency_s", kRag, "9"},
      {"/training/method", kTune, R"("full")"},
      {"/training/samples", kTune, "1000"},
      {"/training/tokens", kTune, "2e6"},
      {"/training/epochs", kTune, "2"},
      {"/training/sequence_tokens", kTune, "4096"},
      {"/training/micro_batch", kTune, "2"},
      {"/training/global_batch", kTune, "64"},
      {"/training/precision", kFull, R"("fp32")"},
      {"/training/optimizer", kFull, R"("sgd")"},
      {"/training/checkpointing", kFull, R"("none")"},
      {"/training/sharding", kFull, R"("zero-1")"},
      {"/training/lora_rank", kTune, "256"},
      {"/vision/images", kVision, "50000"},
      {"/vision/epochs", kVision, "3"},
      {"/vision/resolution", kVision, "160"},
      {"/vision/batch", kVision, "64"},
      {"/image/width", kImage, "512"},
      {"/image/height", kImage, "512"},
      {"/image/steps", kImage, "4"},
      {"/image/batch", kImage, "4"},
      {"/image/frames", kVideo, "33"},
      {"/hpc/kernel", kHpc, R"("stream")"},
      {"/hpc/size", kHpc, "512"},
      {"/offer/provider", kAnywhere, R"("aws")"},
      {"/offer/kind", kAnywhere, R"("spot")"},
      {"/offer/region", kRented, R"("us-east-1")"},
      {"/offer/instance", kRented, R"("p4d.24xlarge")"},
      {"/price_usd_per_hour", kChat, "0.77"},
      {"/price/per_hour", kChat, "0.77"},
      {"/price/currency", kPriced, R"("EUR")"},
      {"/price/seller", kPriced, R"("the lab")"},
      {"/api/usd_per_million_input_tokens", kServing, "0.5"},
      {"/api/usd_per_million_output_tokens", kServing, "1.5"},
      {"/utilisation", kOwned, "0.25"},
      {"/ownership/own", kChat, "true"},
      {"/ownership/card_price_usd", kOwned, "999"},
      {"/ownership/lifetime_months", kOwned, "12"},
      {"/ownership/usd_per_kwh", kOwned, "0.4"},
      {"/ownership/country", R"({"model":"llama-3-8b","gpu":"nvidia-rtx-4090","ownership":{"own":true}})", R"("DE")"},
      {"/ownership/pue", kOwned, "1.9"},
      {"/ownership/used", kOwned, "true"},
      {"/ownership/card_resale_usd", kOwned, "500"},
      {"/ownership/colocation_usd_per_month", kOwned, "80"},
      {"/ownership/staff_usd_per_month", kOwned, "40"},
      {"/spot/interruptions_per_hour", kTune, "0.05"},
      {"/spot/checkpoint_h", R"({"workload":"finetune","model":"llama-3-8b","gpu":"nvidia-a100-sxm-80gb","spot":{"interruptions_per_hour":0.05}})", "0.01"},
      {"/limits/single_node", kExperts, "true"},
      {"/limits/provider_kinds", kAnywhere, R"(["hyperscaler"])"},
      {"/limits/gpus", kChat, R"(["nvidia-rtx-3090"])"},
      {"/limits/budget_usd", kTune, "1"},
      {"/limits/deadline_h", kTune, "0.2"},
      {"/limits/latency_s", kServing, "2"},
      {"/limits/headroom_gib", kChat, "60"},
      {"/custom_gpu", kChat, R"({"vendor":"NVIDIA","generation":"ada","memory_gb":20,"bandwidth_gb_per_s":500,"fp32_tflops":20,"fp16_tensor_tflops":80})"},
      {"/custom_model", kOwnModel, R"({"kind":"llm","attention":"mha","family":"bloom","ffn_kind":"gelu","head_dim":128,"hidden_size":4096,"intermediate_size":16384,"layer_groups":[{"count":24,"ffn":"dense","mixer":"attn"}],"norm_kind":"layernorm","num_attention_heads":32,"num_kv_heads":32,"num_layers":24,"params_active":5859000000,"params_active_matmul":5859000000,"params_total":5859000000,"tie_embeddings":true,"vocab_size":250880})"},
  };
  return all;
}

/// Both answers, without the scenario that they repeat.
std::string answers(const json& question) {
  std::string out;
  for (const std::string& text : {estimate_json(test_catalog(), question.dump()), rank_json(test_catalog(), question.dump())}) {
    json answer = json::parse(text);
    CAPTURE(question.dump());
    CHECK(answer.value("error", json()).dump() == "null");
    answer.erase("scenario");
    answer.erase("link");
    out += answer.dump();
  }
  return out;
}

}  // namespace

TEST_CASE("no field of a scenario is without effect", "[scenario][slow]") {
  std::set<std::string> tried = {"/version"};  // the form of the question, not part of it
  for (const Change& change : changes()) {
    tried.insert(change.field);
    json before = json::parse(change.question), after = before;
    const json::json_pointer at(change.field);
    // A parent that the question leaves at its default is made first.
    after[at] = json::parse(change.value);
    if (std::string(change.field) == "/gpus") after.erase("gpu");
    if (std::string(change.field) == "/custom_gpu") after["gpu"] = "custom-gpu";
    INFO(change.field << " in " << change.question);
    const bool has_effect = answers(before) != answers(after);
    CHECK(has_effect);
  }
  const json fields = to_json(Scenario{}).flatten();
  for (const auto& [field, value] : fields.items()) {
    INFO(field);
    CHECK(tried.count(field) == 1);
  }
}
