#include "whichgpu/link.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <nlohmann/json.hpp>

#include "whichgpu/scenario.hpp"

using namespace whichgpu;
using nlohmann::json;

namespace {

/// Links that people have: each opens forever with this meaning. Add lines, never change one.
constexpr std::pair<const char*, const char*> kLinks[] = {
    {"v=1&m=llama-3-8b&g=nvidia-rtx-4090", R"({"version":1,"model":"llama-3-8b","gpu":"nvidia-rtx-4090"})"},
    {"v=1&w=serving&m=llama-3.1-70b&q=fp8-tensor&kv=fp8&e=vllm&g=nvidia-h100-sxm-80gb&n=4&tp=4&c=32768&u=50&pr=runpod-secure&pk=spot",
     R"({"version":1,"workload":"serving","model":"llama-3.1-70b","precision":{"weights":"fp8-tensor","kv_cache":"fp8"},"engine":"vllm","gpu":"nvidia-h100-sxm-80gb","gpu_count":4,)"
     R"("parallelism":{"tensor":4},"context_tokens":32768,"concurrency":50,"offer":{"provider":"runpod-secure","kind":"spot"}})"},
    {"v=1&w=finetune&m=llama-3.1-8b&tm=qlora&tt=10000000&te=0.5&rank=64&budget=20&asof=2026-12-01",
     R"({"version":1,"workload":"finetune","model":"llama-3.1-8b","training":{"method":"qlora","tokens":10000000,"epochs":0.5,"lora_rank":64},"limits":{"budget_usd":20},"as_of":"2026-12-01"})"},
    {"v=1&m=llama-3-8b&gpus=nvidia-rtx-4090*2,nvidia-rtx-3090*1", R"({"version":1,"model":"llama-3-8b","gpus":[{"gpu":"nvidia-rtx-4090","count":2},{"gpu":"nvidia-rtx-3090","count":1}]})"},
    {"v=1&m=llama-3-8b&g=nvidia-rtx-4090&price=1.2&cur=EUR&seller=My%20colo&apio=0.4&headroom=2",
     R"({"version":1,"model":"llama-3-8b","gpu":"nvidia-rtx-4090","price":{"per_hour":1.2,"currency":"EUR","seller":"My colo"},"api":{"usd_per_million_output_tokens":0.4},"limits":{"headroom_gib":2}})"},
    {"v=1&m=llama-3-8b&pk=spot&stops=0.02&save=0.5&single=true&kinds=marketplace,specialist&only=nvidia-rtx-4090,nvidia-rtx-3090",
     R"({"version":1,"model":"llama-3-8b","offer":{"kind":"spot"},"spot":{"interruptions_per_hour":0.02,"checkpoint_h":0.5},"limits":{"single_node":true,"provider_kinds":["marketplace","specialist"],"gpus":["nvidia-rtx-4090","nvidia-rtx-3090"]}})"},
    {"v=1&w=hpc&k=dgemm&ks=16384&reg=eu%20west&own=true", R"({"version":1,"workload":"hpc","hpc":{"kernel":"dgemm","size":16384},"ownership":{"own":true},"offer":{"region":"eu west"}})"},
};

/// Every scalar field of the full form, away from its default.
const char* kFull = R"({"version":1,"as_of":"2026-11-30","workload":"serving","model":"llama-3-8b","draft_model":"llama-3.2-1b","engine":"vllm","precision":{"weights":"fp8","kv_cache":"fp8"},
 "gpu":"nvidia-rtx-4090","gpu_count":8,"nodes":2,"parallelism":{"tensor":2,"pipeline":2,"expert":1,"data":2},"offload":"cpu","host":{"ram_gib":128,"ram_gb_per_s":51.2,"pcie_gb_per_s":16,"vram_reserved_gib":0.25},
 "context_tokens":4096,"prompt_tokens":2000,"output_tokens":100,"concurrency":7,"rag":{"requests_per_s":0.5,"latency_s":1.5},
 "training":{"method":"full","samples":120563,"tokens":123456789,"epochs":3,"sequence_tokens":1024,"micro_batch":2,"global_batch":64,"precision":"bf16","optimizer":"lion","checkpointing":"none","sharding":"fsdp","lora_rank":8},
 "vision":{"images":1000,"epochs":2,"resolution":384,"batch":32},"image":{"width":768,"height":512,"steps":20,"batch":2,"frames":16},"hpc":{"kernel":"stream","size":1000000},
 "offer":{"provider":"vast.ai","kind":"spot","region":"us & eu","instance":"1x=2"},"price_usd_per_hour":0.335,"price":{"currency":"EUR","seller":"My colo"},"api":{"usd_per_million_input_tokens":0.05,"usd_per_million_output_tokens":0.4},"utilisation":0.4,
 "ownership":{"own":true,"card_price_usd":1600,"lifetime_months":24,"usd_per_kwh":0.21,"country":"ES","pue":1.05,"used":true,"card_resale_usd":400,"colocation_usd_per_month":60,"staff_usd_per_month":25.5},
 "spot":{"interruptions_per_hour":0.02,"checkpoint_h":0.5},"limits":{"budget_usd":10,"deadline_h":5,"latency_s":2,"headroom_gib":1.5,"single_node":true,"provider_kinds":["marketplace","specialist"],"gpus":["nvidia-rtx-4090"]}})";

}  // namespace

TEST_CASE("links open with the meaning they were made with", "[link]") {
  const auto [query, scenario] = GENERATE(from_range(std::begin(kLinks), std::end(kLinks)));
  CAPTURE(query);
  const Result<json> decoded = decode_link(query);
  REQUIRE(decoded);
  CHECK(decoded.value() == json::parse(scenario));
  const Result<std::string> encoded = encode_link(json::parse(scenario));
  REQUIRE(encoded);
  CHECK(encoded.value() == query);
}

TEST_CASE("every field survives the way through a link", "[link]") {
  const json full = json::parse(kFull);
  const Result<std::string> query = encode_link(full);
  REQUIRE(query);
  const Result<json> back = decode_link("?" + query.value());
  REQUIRE(back);
  CHECK(back.value() == full);
  // Nothing of the full form is missing above: what a scenario echoes beyond it are lists and custom entries.
  const json echo = to_json(read_scenario(full).value());
  for (const auto& [key, value] : echo.items()) {
    CAPTURE(key);
    if (key != "gpus" && key != "custom_gpu" && key != "custom_model") CHECK(full.contains(key));
    if (value.is_object() && full.contains(key))
      for (const auto& [field, unused] : value.items()) CHECK((full[key].contains(field) || (key == "price" && field == "per_hour")));  // a price per hour is given once
  }
}

TEST_CASE("a precision given as a word is its weights", "[link]") {
  CHECK(encode_link(json::parse(R"({"model":"llama-3-8b","precision":"q8_0"})")).value() == "v=1&m=llama-3-8b&q=q8_0");
}

TEST_CASE("what other sites append to a link is read over", "[link]") {
  CHECK(decode_link("v=1&m=llama-3-8b&utm_source=chat&fbclid=abc").value() == json::parse(R"({"version":1,"model":"llama-3-8b"})"));
}

TEST_CASE("rubbish in a link is named, never replaced", "[link]") {
  const auto [query, path] = GENERATE(table<std::string, std::string>({
      {"m=llama-3-8b", "link/v"},
      {"v=2&m=llama-3-8b", "link/v"},
      {"v=1&zz=1", "link/zz"},
      {"v=1&m", "link/m"},
      {"v=1&m=%4", "link/m"},
      {"v=1&m=%zz", "link/m"},
      {"v=1&c=many", "link/c"},
      {"v=1&c=1&c=2", "link/c"},
      {"v=1&own=maybe", "link/own"},
      {"v=1&gpus=a*b", "link/gpus"},
      {"v=1&cg={", "link/cg"},
      {"v=1&c=-5", "context_tokens"},
      {"v=1&w=dance", "workload"},
  }));
  CAPTURE(query);
  const Result<json> decoded = decode_link(query);
  REQUIRE_FALSE(decoded);
  CHECK(decoded.error().path == path);
  CHECK_FALSE(decoded.error().message.empty());
}

TEST_CASE("a link that is too long is refused", "[link]") { REQUIRE_FALSE(decode_link("v=1&m=" + std::string(70000, 'a'))); }
