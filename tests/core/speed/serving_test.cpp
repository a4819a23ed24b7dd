#include <cmath>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <nlohmann/json.hpp>

#include "speed/serving.hpp"
#include "support/test_catalog.hpp"
#include "whichgpu/estimate.hpp"

using namespace whichgpu;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

/// Every share 1 and every extra time next to nothing: the plain roofline, which can be worked by hand.
struct Plain {
  double c[kMaxCoefficients] = {};
  Plain() {
    for (const char* name : {"layer_seconds", "step_seconds", "sequence_seconds", "hop_seconds", "once_seconds", "first_token_seconds", "first_token_steps", "round_share", "chunk_share", "open_queue", "prefill_small_tokens"}) at(name) = -40;
    at("engine_batch") = std::log(1000.0);
    at("open_requests") = std::log(1e6);
  }
  double& at(const std::string& name) {
    const auto& all = serving_spec().coefficients;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (name == all[i].name) return c[i];
    FAIL("no coefficient " << name);
    return c[0];
  }
};

ServingFeatures card() {
  ServingFeatures f;
  f.bandwidth = 1e12;
  f.peak = f.peak_16bit = 1e14;
  f.dense_bytes = 1e10;
  f.cache_bytes = 1e7;
  f.flops_per_token = 1e10;
  f.prompt_flops = 1e12;
  f.layers = 32;
  f.prompt = 100;
  f.output = 100;
  f.cache_sequences = 1e6;
  return f;
}

MeasurementRow row_of(const char* gpu, const char* count, const char* model, const char* software, const char* precision, const char* concurrency, const char* prompt, const char* output, const char* metric) {
  MeasurementRow r;
  r.workload = "serving";
  r.gpu = gpu;
  r.gpu_count = count;
  r.model = model;
  r.software = software;
  r.precision = precision;
  r.concurrency = concurrency;
  r.prompt_tokens = prompt;
  r.output_tokens = output;
  r.metric = metric;
  r.measured = "2026-01";
  return r;
}

ServingFeatures features_of(const MeasurementRow& row, std::vector<std::string>* names = nullptr) {
  std::string why;
  const auto f = serving_features(read_conditions(test_catalog(), row), why, names);
  INFO(why);
  REQUIRE(f.has_value());
  return *f;
}

SpeedEstimate answer(const char* scenario) {
  const auto parsed = read_scenario(nlohmann::json::parse(scenario));
  REQUIRE(parsed);
  const auto question = resolve(test_catalog(), parsed.value());
  REQUIRE(question);
  std::vector<Warning> warnings;
  return estimate_serving_speed(question.value(), {}, warnings);
}

}  // namespace

TEST_CASE("a decode step is the roofline of weights and arithmetic, plus the cache", "[serving]") {
  const auto [streams, weights_s, compute_s, cache_s] = GENERATE(table<double, double, double, double>({
      {1, 0.010, 0.0001, 0.00001},  // by hand: 1e10 B / 1e12 B/s; 1e10 FLOP / 1e14 FLOP/s; 1e7 B / 1e12 B/s
      {50, 0.010, 0.005, 0.0005},   // by hand: arithmetic and cache times 50
  }));
  ServingFeatures f = card();
  f.streams = streams;
  const ServingParts p = serving_parts(f, Plain().c);
  CHECK_THAT(p.weights_s, WithinRel(weights_s, 1e-9));
  CHECK_THAT(p.compute_s, WithinRel(compute_s, 1e-6));
  CHECK_THAT(p.cache_s, WithinRel(cache_s, 1e-6));
  CHECK_THAT(p.step_s, WithinRel(std::sqrt(weights_s * weights_s + compute_s * compute_s) + cache_s, 1e-6));
  // By hand: a prompt of 1e12 FLOP takes 10 ms, and the batch's prompts lie between its 100 steps.
  CHECK_THAT(p.throughput_tokens_per_s, WithinRel(streams * 100 / (100 * p.step_s + streams * 0.01), 1e-6));
}

TEST_CASE("a batch reads more of the experts, and in the end all of them", "[serving]") {
  ServingFeatures f = card();
  f.expert_bytes = 8e10;
  f.log_miss = std::log(1 - 2.0 / 8.0);
  const Plain plain;
  const auto expert_seconds = [&](double streams) {
    f.streams = streams;
    return serving_parts(f, plain.c).weights_s - 0.01;
  };
  CHECK_THAT(expert_seconds(1), WithinRel(0.02, 1e-6));                 // by hand: 2 of 8 experts of 80 GB
  CHECK_THAT(expert_seconds(2), WithinRel(0.08 * (1 - 0.5625), 1e-6));  // by hand: 1 - (6/8)²
  CHECK_THAT(expert_seconds(200), WithinRel(0.08, 1e-6));
}

TEST_CASE("what hardware and load do to serving", "[serving]") {
  const Plain plain;
  ServingFeatures f = card();
  f.streams = 32;
  const ServingParts base = serving_parts(f, plain.c);
  SECTION("more bandwidth is never slower") {
    f.bandwidth *= 1.5;
    CHECK(serving_parts(f, plain.c).tpot_s < base.tpot_s);
  }
  SECTION("more streams: more throughput, slower tokens") {
    double throughput = 0, tpot = 0;
    for (const double streams : {1.0, 2.0, 8.0, 64.0, 512.0}) {
      f.streams = streams;
      const ServingParts p = serving_parts(f, plain.c);
      CHECK(p.throughput_tokens_per_s > throughput);
      CHECK(p.tpot_s > tpot);
      throughput = p.throughput_tokens_per_s;
      tpot = p.tpot_s;
    }
  }
  SECTION("little room for the cache costs throughput and makes streams wait") {
    f.cache_sequences = 4;
    const ServingParts p = serving_parts(f, plain.c);
    CHECK(p.limited_by_cache);
    CHECK(p.throughput_tokens_per_s < 0.3 * base.throughput_tokens_per_s);
    CHECK(p.ttft_s > 10 * base.ttft_s);
  }
  SECTION("two replicas serve twice the streams at the same speed") {
    f.replicas = 2;
    f.streams = 64;
    const ServingParts p = serving_parts(f, plain.c);
    CHECK_THAT(p.tpot_s, WithinRel(base.tpot_s, 1e-12));
    CHECK_THAT(p.throughput_tokens_per_s, WithinRel(2 * base.throughput_tokens_per_s, 1e-12));
  }
}

TEST_CASE("an offered rate is served below capacity and cut off above", "[serving]") {
  const Plain plain;
  ServingFeatures f = card();
  f.load = Load::kOpen;
  f.cache_sequences = 64;
  f.offered = 1;
  const double capacity = serving_parts(f, plain.c).capacity_requests_per_s;
  f.offered = 0.2 * capacity;
  const ServingParts calm = serving_parts(f, plain.c);
  CHECK_THAT(calm.throughput_tokens_per_s, WithinRel(f.offered * f.output, 1e-3));
  // Little's law: running = rate · time of a request in the batch.
  CHECK_THAT(calm.batch, WithinRel(f.offered * f.output * (calm.step_s + calm.batch / f.output * calm.prompt_s), 0.02));
  f.offered = 5 * capacity;
  const ServingParts flooded = serving_parts(f, plain.c);
  CHECK_THAT(flooded.throughput_tokens_per_s, WithinRel(capacity * f.output, 0.01));
  CHECK(flooded.ttft_s > 100 * calm.ttft_s);
}

TEST_CASE("rows say their load, lengths and parallelism in words", "[serving]") {
  SECTION("offered rates, saturation, MLPerf's scenarios") {
    const auto [word, load, offered] = GENERATE(table<const char*, Load, double>({
        {"16", Load::kClosed, 0}, {"63.9", Load::kClosed, 0}, {"10 req/s offered", Load::kOpen, 10}, {"0.5 req/s offered", Load::kOpen, 0.5},
        {"max", Load::kMax, 0}, {"(max_num_seqs)", Load::kMax, 0}, {"offline", Load::kOffline, 0}, {"server", Load::kServer, 0},
        {"interactive", Load::kInteractive, 0}, {"320 prompts at once", Load::kBurst, 0}}));
    CAPTURE(word);
    const ServingFeatures f = features_of(row_of("nvidia-h100-sxm-80gb", "1", "llama-3.1-8b", "vLLM", "bf16", word, "1024", "128", "tpot_ms"));
    CHECK(f.load == load);
    CHECK(f.offered == offered);
  }
  SECTION("names of data sets stand for their mean lengths, a stated mean for itself") {
    CHECK(features_of(row_of("nvidia-h100-sxm-80gb", "1", "llama-3.1-8b", "vLLM", "bf16", "4", "ShareGPT (mean ~213)", "ShareGPT (mean ~224)", "ttft_ms")).prompt == 213);
    CHECK(features_of(row_of("nvidia-h100-sxm-80gb", "1", "llama-3.1-8b", "vLLM", "bf16", "4", "ShareGPT longctx (~28K)", "ShareGPT", "ttft_ms")).prompt == 28000);
  }
  SECTION("tensor parallelism divides the weights, data parallelism the load") {
    MeasurementRow r = row_of("nvidia-h100-sxm-80gb", "8", "llama-3.1-70b", "vLLM", "fp8", "64", "1024", "1024", "tpot_ms");
    r.parallelism = "TP4 PP1";
    const ServingFeatures four = features_of(r);
    CHECK(four.replicas == 2);
    r.parallelism = "TP8 PP1";
    const ServingFeatures eight = features_of(r);
    CHECK(eight.replicas == 1);
    CHECK_THAT(four.dense_bytes, WithinRel(2 * eight.dense_bytes, 1e-12));
  }
  SECTION("GPUs written twice, as expert and as expert-tensor parallelism, count once") {
    MeasurementRow r = row_of("nvidia-b200-sxm-180gb", "64", "deepseek-r1", "SGLang", "fp8", "32", "1024", "1024", "tpot_ms");
    r.parallelism = "TP64 PP1 ADP1 EP8 MOETP8";
    const ServingFeatures twice = features_of(r);
    r.gpu_count = "8";
    r.parallelism = "TP8 PP1 ADP1 EP8 MOETP1";
    CHECK_THAT(twice.dense_bytes, WithinRel(features_of(r).dense_bytes, 1e-12));
  }
  SECTION("releases of an engine between two leaps share an era") {
    const auto [version, era] = GENERATE(table<const char*, const char*>({{"0.5.4", "vllm|0.5"}, {"0.7.3", "vllm|0.7"}, {"0.8.5.post1", "vllm|0.11"}, {"0.19.1rc1.dev339+gedc", "vllm|0.19"}, {"", "vllm|0.19"}}));
    MeasurementRow r = row_of("nvidia-h100-sxm-80gb", "1", "llama-3.1-8b", "vLLM", "bf16", "4", "128", "128", "tpot_ms");
    r.software_version = version;
    std::vector<std::string> names;
    features_of(r, &names);
    CHECK(names[kSvEra] == era);
  }
  SECTION("what is not known is said") {
    MeasurementRow r = row_of("", "1", "llama-3.1-8b", "vLLM", "bf16", "4", "128", "128", "tpot_ms");
    std::string why;
    CHECK_FALSE(serving_features(read_conditions(test_catalog(), r), why));
    CHECK(why == "GPU not resolved");
    CHECK_FALSE(estimate_serving_row(read_conditions(test_catalog(), r)).modelled);
  }
}

TEST_CASE("weights that leave no room for the cache cost most of the throughput", "[serving]") {
  // TensorRT-LLM's tables: Llama-2-70B FP16 on two 80 GB cards falls five to ten times below four.
  const MeasurementRow two = row_of("nvidia-h100-sxm-80gb", "2", "llama-2-70b", "TensorRT-LLM", "fp16", "max", "128", "2048", "throughput_out_tok_s");
  MeasurementRow four = two;
  four.gpu_count = "4";
  const RowEstimate a = estimate_serving_row(read_conditions(test_catalog(), two)), b = estimate_serving_row(read_conditions(test_catalog(), four));
  REQUIRE(a.modelled);
  REQUIRE(b.modelled);
  CHECK(b.value / a.value > 4);
}

TEST_CASE("a serving answer keeps Little's law in what it prints", "[serving]") {
  const SpeedEstimate s = answer(R"({"model":"llama-3.1-8b","gpu":"nvidia-h100-sxm-80gb","workload":"serving","prompt_tokens":1024,"output_tokens":256,"concurrency":24})");
  REQUIRE(s.requests_per_s);
  REQUIRE(s.latency_s);
  CHECK_THAT(s.requests_per_s->value * s.latency_s->value, WithinRel(24.0, 1e-9));
  CHECK_THAT(s.throughput_tokens_per_s->value, WithinRel(256 * s.requests_per_s->value, 1e-9));
  CHECK_THAT(s.decode_tokens_per_s->value * s.tpot_s->value, WithinRel(1.0, 1e-9));
  CHECK_THAT(s.latency_s->value, WithinRel(s.ttft_s->value + 255 * s.tpot_s->value, 1e-9));
  CHECK(s.tpot_s->p10 < s.tpot_s->value);
  CHECK(s.tpot_s->value < s.tpot_s->p90);
}

TEST_CASE("a RAG answer tells the rate and the users that meet the latency wish", "[serving]") {
  const SpeedEstimate modest = answer(R"({"model":"llama-3.1-8b","gpu":"nvidia-h100-sxm-80gb","workload":"rag","prompt_tokens":4000,"output_tokens":200,"rag":{"requests_per_s":0.5,"latency_s":5}})");
  REQUIRE(modest.requests_per_s_within_latency);
  CHECK(*modest.requests_per_s_within_latency > 0.5);
  CHECK(*modest.concurrency_within_latency >= 1);
  CHECK_THAT(modest.requests_per_s->value, WithinRel(0.5, 0.01));
  const SpeedEstimate strict = answer(R"({"model":"llama-3.1-8b","gpu":"nvidia-h100-sxm-80gb","workload":"rag","prompt_tokens":4000,"output_tokens":200,"rag":{"requests_per_s":0.5,"latency_s":0.01}})");
  CHECK_THAT(*strict.requests_per_s_within_latency, WithinAbs(0.0, 1e-6));
  CHECK(*modest.requests_per_s_within_latency > *strict.requests_per_s_within_latency);
}

TEST_CASE("serving speeds that calculators got wrong in public", "[serving]") {
  const auto estimated = [](const MeasurementRow& row) {
    const RowEstimate e = estimate_row(read_conditions(test_catalog(), row));
    REQUIRE(e.modelled);
    return e.value;
  };
  // hahnyuan/LLM-Viewer#4: LLaMA-7B FP16 on an A100, TensorRT-LLM; 8,935 and 789 tokens/s at 100 % efficiency.
  CHECK_THAT(estimated(row_of("nvidia-a100-sxm-80gb", "1", "llama-7b", "TensorRT-LLM", "fp16", "256", "128", "128", "throughput_out_tok_s")), WithinRel(5353.0, 0.25));
  CHECK_THAT(estimated(row_of("nvidia-a100-sxm-80gb", "1", "llama-7b", "TensorRT-LLM", "fp16", "32", "2048", "128", "throughput_out_tok_s")), WithinRel(547.0, 0.25));
  // casys-kaist/LLMServingSim#59: 300 ShareGPT requests at once on an RTX 4090. 34.6 ms a token; 94.7 was the mistake.
  CHECK_THAT(estimated(row_of("nvidia-rtx-4090", "1", "llama-3.1-8b", "vLLM", "bf16", "300 prompts at once", "ShareGPT (mean ~213)", "200", "tpot_ms")), WithinRel(34.6, 0.25));
  // The first token waits for a place: the cache of 24 GB holds a part of the 300.
  const double crowded = estimated(row_of("nvidia-rtx-4090", "1", "llama-3.1-8b", "vLLM", "bf16", "300 prompts at once", "ShareGPT (mean ~213)", "200", "ttft_ms"));
  const double roomy = estimated(row_of("nvidia-h100-sxm-80gb", "1", "llama-3.1-8b", "vLLM", "bf16", "300 prompts at once", "ShareGPT (mean ~213)", "200", "ttft_ms"));
  CHECK(crowded > 5000);
  CHECK(crowded > 4 * roomy);
}
