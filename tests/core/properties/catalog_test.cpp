#include <array>
#include <cmath>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "support/test_catalog.hpp"
#include "whichgpu/estimate.hpp"
#include "whichgpu/rank.hpp"

using namespace whichgpu;

namespace {

// Under the sanitizers a part of the catalog has to do.
#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t kStep = 23;
#else
constexpr std::size_t kStep = 1;
#endif

/// What must hold of any quantity, or its name when it does not.
bool sound(const std::optional<Quantity>& q) {
  if (!q) return true;
  return std::isfinite(q->value) && q->value >= 0 && (q->exact || (std::isfinite(q->p10) && std::isfinite(q->p90) && q->p10 >= 0 && q->p10 <= q->value * (1 + 1e-12) && q->p90 >= q->value * (1 - 1e-12)));
}
bool sound(const Figure& f) { return !f || (std::isfinite(*f) && *f >= 0); }

void check_row(const RankRow& r) {
  for (const auto* q : {&r.decode_tokens_per_s, &r.prefill_tokens_per_s, &r.throughput_tokens_per_s, &r.ttft_s, &r.latency_s, &r.requests_per_s, &r.hours, &r.finetune_hours, &r.images_per_s,
           &r.seconds_per_image, &r.tflops, &r.usd_per_hour, &r.usd_per_million_output_tokens, &r.usd_total, &r.joules_per_token})
    CHECK(sound(*q));
  for (const auto* f : {&r.max_context_tokens, &r.max_concurrency, &r.min_gpu_count}) CHECK(sound(*f));
  CHECK(std::isfinite(r.per_gpu_gib));
  if (r.verdict == Verdict::kFits || r.verdict == Verdict::kTight) CHECK(r.per_gpu_gib <= r.capacity_gib);
  if (r.verdict == Verdict::kDoesNotFit) {
    CHECK_FALSE(r.decode_tokens_per_s);
    CHECK_FALSE(r.reason.empty());
  }
}

void check_ranking(const Scenario& s, RankBy by) {
  const Result<Ranking> r = rank(test_catalog(), s, by);
  REQUIRE(r);
  CHECK(r.value().rows.size() == test_catalog().gpus.size());
  for (const RankRow& row : r.value().rows) {
    INFO(s.model << " on " << row.gpu->id << ", " << to_word(s.workload));
    check_row(row);
  }
  // The order is the same whatever order the catalog is asked in: once more, and by a key that is total.
  const Result<Ranking> again = rank(test_catalog(), s, by);
  REQUIRE(again);
  for (std::size_t i = 0; i < r.value().rows.size(); ++i) CHECK(r.value().rows[i].gpu == again.value().rows[i].gpu);
}

}  // namespace

TEST_CASE("every model on every GPU gives sound numbers", "[properties][slow]") {
  const Catalog& c = test_catalog();
  for (std::size_t i = 0; i < c.models.size(); i += kStep) {
    const Model& m = c.models[i];
    Scenario s;
    s.model = m.id;
    if (m.kind == "vision") s.workload = i % 2 ? Workload::kVisionTraining : Workload::kVisionInference;
    else if (m.kind == "diffusion" || m.kind == "video") s.workload = Workload::kImageGeneration;
    else if (!m.has_layers()) continue;
    else if (m.kind == "embedding") s.workload = Workload::kServing;
    else s.workload = std::array{Workload::kChat, Workload::kServing, Workload::kRag, Workload::kFinetune, Workload::kPretrain}[i / kStep % 5];
    if (s.workload == Workload::kRag) s.rag.requests_per_s = 2;
    s.gpu_count = i % 4 == 3 ? 4 : 1;
    check_ranking(s, i % 2 ? RankBy::kValue : RankBy::kSpeed);
  }
}

TEST_CASE("every format gives sound numbers where its engine runs it", "[properties]") {
  for (const Quant& q : test_catalog().quants)
    for (const char* model : {"llama-3.1-8b", "mixtral-8x7b"}) {
      Scenario s;
      s.model = model;
      s.gpu = "nvidia-h100-sxm-80gb";
      s.precision.weights = q.id;
      const Result<Question> question = resolve(test_catalog(), s);
      INFO(q.id << " of " << model);
      REQUIRE(question);
      const Estimate e = estimate(question.value());
      REQUIRE(e.memory);
      CHECK(sound(std::optional(e.memory->per_gpu_gib)));
      double sum = 0;
      for (const Term& t : e.memory->terms) {
        CHECK((std::isfinite(t.value) && t.value > 0));
        sum += t.value;
      }
      CHECK(std::abs(sum - e.memory->per_gpu_gib.value) <= 1e-9 * sum);
      if (e.speed) CHECK(sound(e.speed->decode_tokens_per_s));
    }
}

TEST_CASE("a card that is better in one thing is never worse at work", "[properties]") {
  for (const char* model : {"llama-3.1-8b", "mixtral-8x7b", "gemma-3-27b", "deepseek-v2-lite", "qwen3-next-80b-a3b"})
    for (const Workload workload : {Workload::kChat, Workload::kServing}) {
      const auto speed = [&](double bandwidth, double compute) {
        Gpu gpu = gpu_of("nvidia-h200-sxm-141gb");
        gpu.bandwidth_gb_per_s = *gpu.bandwidth_gb_per_s * bandwidth;
        for (Figure* rate : {&gpu.fp16_tensor_tflops, &gpu.bf16_tensor_tflops, &gpu.fp8_tensor_tflops, &gpu.int8_tensor_tops, &gpu.fp16_vector_tflops, &gpu.fp32_tflops, &gpu.tf32_tensor_tflops})
          if (*rate) *rate = **rate * compute;
        Scenario s;
        s.model = model;
        s.workload = workload;
        s.custom_gpu = gpu;
        s.gpu = gpu.id;
        s.concurrency = 16;
        s.gpu_count = 2;
        const Result<Question> q = resolve(test_catalog(), s);
        REQUIRE(q);
        const Estimate e = estimate(q.value());
        REQUIRE(e.speed);
        REQUIRE(e.speed->throughput_tokens_per_s);
        return e.speed->throughput_tokens_per_s->value;
      };
      INFO(model << ", " << to_word(workload));
      const double base = speed(1, 1);
      for (const double more : {1.02, 1.3, 2.0}) {
        CHECK(speed(more, 1) >= base * (1 - 1e-9));
        CHECK(speed(1, more) >= base * (1 - 1e-9));
      }
    }
}
