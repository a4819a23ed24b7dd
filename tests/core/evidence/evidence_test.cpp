#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <nlohmann/json.hpp>

#include "support/test_catalog.hpp"
#include "whichgpu/api.hpp"
#include "whichgpu/evidence.hpp"

using namespace whichgpu;
using Catch::Matchers::WithinRel;

namespace {

/// Rows as a file would hold them; the values are made up.
std::vector<MeasurementRow> rows_of(const std::string& lines) {
  const auto rows = read_measurements("id,workload,software,measured,quality,gpu,gpu_count,model,precision,concurrency,prompt_tokens,output_tokens,metric,value,unit,flags\n" + lines);
  REQUIRE(rows);
  return rows.value();
}

Question chat(const char* gpu) {
  Scenario s;
  s.model = "llama-3-8b";
  s.gpu = gpu;
  const Result<Question> q = resolve(test_catalog(), s);
  REQUIRE(q);
  return q.value();
}

std::vector<std::string> ids(const std::vector<EvidenceRow>& rows) {
  std::vector<std::string> out;
  for (const EvidenceRow& r : rows) out.push_back(r.id + " " + r.distance);
  return out;
}

}  // namespace

TEST_CASE("the nearest measurements come first and say how near they are", "[evidence]") {
  const auto rows = rows_of(
      "other-gpu,chat,llama.cpp,2025-01,published,nvidia-rtx-3090,1,llama-3-8b,GGUF Q4_K_M,1,1024,256,decode_tok_s_per_user,100,tok/s,\n"
      "sibling-gpu,chat,llama.cpp,2025-01,published,nvidia-rtx-4080,1,llama-3-8b,GGUF Q4_K_M,1,1024,256,decode_tok_s_per_user,100,tok/s,\n"
      "other-format,chat,llama.cpp,2025-01,published,nvidia-rtx-4090,1,llama-3-8b,GGUF Q8_0,1,1024,256,decode_tok_s_per_user,100,tok/s,\n"
      "older,chat,llama.cpp,2024-01,published,nvidia-rtx-4090,1,llama-3-8b,GGUF Q4_K_M,1,1024,256,decode_tok_s_per_user,100,tok/s,\n"
      "exact,chat,llama.cpp,2025-01,published,nvidia-rtx-4090,1,llama-3-8b,GGUF Q4_K_M,1,1024,256,decode_tok_s_per_user,100,tok/s,\n");
  CHECK(ids(find_evidence(chat("nvidia-rtx-4090"), rows, estimate_row)) == std::vector<std::string>{"exact same", "older same", "other-format near", "sibling-gpu near", "other-gpu far"});
}

TEST_CASE("rows that cannot be true, of another workload or without anything in common are no evidence", "[evidence]") {
  const auto rows = rows_of(
      "suspect,chat,llama.cpp,2025-01,suspect,nvidia-rtx-4090,1,llama-3-8b,GGUF Q4_K_M,1,1024,256,decode_tok_s_per_user,100,tok/s,\n"
      "serving,serving,vLLM,2025-01,published,nvidia-rtx-4090,1,llama-3-8b,bf16,32,1024,256,throughput_out_tok_s,100,tok/s,\n"
      "stranger,chat,llama.cpp,2025-01,published,nvidia-rtx-3090,1,qwen2.5-7b,GGUF Q4_K_M,1,1024,256,decode_tok_s_per_user,100,tok/s,\n"
      "no-number,chat,llama.cpp,2025-01,published,nvidia-rtx-4090,1,llama-3-8b,GGUF Q4_K_M,1,1024,256,decode_tok_s_per_user,fast,tok/s,\n");
  CHECK(find_evidence(chat("nvidia-rtx-4090"), rows, estimate_row).empty());
}

TEST_CASE("the ratio is the estimate for the row's own conditions over the measurement", "[evidence]") {
  const auto rows = rows_of("one,chat,llama.cpp,2025-01,published,nvidia-rtx-4090,1,llama-3-8b,GGUF Q8_0,1,4096,256,decode_tok_s_per_user,50,tok/s,\n");
  const auto found = find_evidence(chat("nvidia-rtx-4090"), rows, estimate_row);
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0].ratio, WithinRel(estimate_row(read_conditions(test_catalog(), rows[0])).value / 50, 1e-12));
  CHECK(found[0].unit == "tok/s");
}

TEST_CASE("no more rows are shown than people read, and only when measurements are loaded", "[evidence]") {
  std::string lines;
  for (int i = 10; i < 30; ++i) lines += "row" + std::to_string(i) + ",chat,llama.cpp,2025-01,published,nvidia-rtx-4090,1,llama-3-8b,GGUF Q4_K_M,1," + std::to_string(100 * i) + ",256,decode_tok_s_per_user,100,tok/s,\n";
  const auto rows = rows_of(lines);
  const auto found = find_evidence(chat("nvidia-rtx-4090"), rows, estimate_row);
  REQUIRE(found.size() == kMostEvidence);
  CHECK(found[0].id == "row10");  // a prompt of 1000 tokens is nearest to the 1024 that are asked for
  const char* scenario = R"({"model":"llama-3-8b","gpu":"nvidia-rtx-4090"})";
  CHECK(nlohmann::json::parse(estimate_json(test_catalog(), scenario))["evidence"].empty());
  CHECK(nlohmann::json::parse(estimate_json(test_catalog(), scenario, rows, estimate_row))["evidence"].size() == kMostEvidence);
}

TEST_CASE("a row's own estimate needs no estimator, and without either the row is left out", "[evidence]") {
  auto rows = rows_of("one,chat,llama.cpp,2025-01,published,nvidia-rtx-4090,1,llama-3-8b,GGUF Q8_0,1,4096,256,decode_tok_s_per_user,50,tok/s,\n");
  CHECK(find_evidence(chat("nvidia-rtx-4090"), rows).empty());
  rows[0].estimate = "75";
  const auto found = find_evidence(chat("nvidia-rtx-4090"), rows, estimate_row);
  REQUIRE(found.size() == 1);
  CHECK(found[0].ratio == 1.5);
}

TEST_CASE("a text that is no measurement file adds no row", "[evidence]") {
  std::vector<MeasurementRow> rows;
  CHECK(nlohmann::json::parse(add_measurements(rows, "a,b\n1,2\n"))["error"]["code"] == "bad-data");
  CHECK(rows.empty());
  CHECK(nlohmann::json::parse(add_measurements(rows, "id,metric,value\nx,fits,yes\n"))["rows"] == 1);
  CHECK(nlohmann::json::parse(add_measurements(rows, "id,metric,value\ny,fits,no\n"))["rows"] == 2);
}
