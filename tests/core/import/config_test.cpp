#include "whichgpu/import.hpp"

#include <filesystem>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "native/files.hpp"
#include "support/test_catalog.hpp"
#include "whichgpu/api.hpp"
#include "whichgpu/model_math.hpp"

namespace whichgpu {
namespace {

using Catch::Matchers::WithinRel;
using nlohmann::json;

json inspected(const std::string& text) { return json::parse(import_config_json(text, "it")); }

TEST_CASE("a configuration of every family gives the catalog's model", "[import]") {
  int seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(WHICHGPU_TESTS_DIR "/core/import/configs")) {
    const std::string id = entry.path().stem().string();
    CAPTURE(id);
    const Result<std::string> text = native::read_file(entry.path().string());
    REQUIRE(text);
    const json answer = inspected(text.value());
    REQUIRE_FALSE(answer.contains("error"));
    const Model& known = model_of(id.c_str());
    CHECK_THAT(answer["params_total"].get<double>(), WithinRel(known.params_total, 0.005));
    CHECK_THAT(answer["params_active"].get<double>(), WithinRel(known.params_active, 0.01));
    CHECK(answer["kv_bytes_per_token_bf16"] == known.kv_bytes_per_token_bf16);
    // The row is what a scenario takes as its own model, and gives the same cache.
    const json scenario = {{"custom_model", answer["model"]}, {"gpu", "nvidia-h100-sxm-80gb"}, {"gpu_count", 8}, {"engine", "vllm"}};
    CHECK_FALSE(json::parse(estimate_json(test_catalog(), scenario.dump())).contains("error"));
    ++seen;
  }
  CHECK(seen >= 24);
}

TEST_CASE("what a configuration leaves out is said", "[import]") {
  const std::string known = R"({"model_type":"llama","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,"vocab_size":10,"max_position_embeddings":128,"tie_word_embeddings":false})";
  CHECK(inspected(known)["assumptions"].empty());
  const json odd = inspected(R"({"model_type":"brand_new","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,"vocab_size":10})");
  REQUIRE(odd["assumptions"].size() == 3);
  CHECK(odd["assumptions"][0].get<std::string>().find("brand_new") != std::string::npos);
  // 2 (embedding and head) x 10 x 64, 2 layers of 4 x 64² attention, 3 x 64 x 256 feed-forward and 2 norms, a last norm.
  CHECK(odd["params_total"] == 2.0 * 10 * 64 + 2 * (4 * 64 * 64 + 3 * 64 * 256 + 2 * 64) + 64);
}

TEST_CASE("names of quantized checkpoints become formats", "[import]") {
  const auto precision = [](const char* q) { return inspected(std::string(R"({"model_type":"llama","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,"vocab_size":10,"quantization_config":)") + q + "}")["precision"]; };
  CHECK(precision(R"({"quant_method":"fp8"})") == "fp8");
  CHECK(precision(R"({"quant_method":"awq","bits":4,"group_size":128})") == "awq-4bit-128g");
  CHECK(precision(R"({"quant_method":"gptq","bits":4,"group_size":32})") == "gptq-4bit-32g");
  CHECK(precision(R"({"quant_method":"modelopt","quant_algo":"NVFP4"})") == "nvfp4");
  CHECK(precision(R"({"quant_method":"something"})").is_null());
}

TEST_CASE("rubbish is turned away with the field's name", "[import]") {
  const auto path = [](const std::string& text) { return inspected(text)["error"]["path"].get<std::string>(); };
  CHECK(path("[]") == "config");
  CHECK(path("{") == "config");
  CHECK(path("{}") == "hidden_size");
  CHECK(path(R"({"hidden_size":1e300})") == "hidden_size");
  CHECK(path(R"({"hidden_size":64,"num_hidden_layers":1e9})") == "num_hidden_layers");
  CHECK(path(R"({"hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4})") == "vocab_size");
  CHECK(path(R"({"hidden_size":64,"num_hidden_layers":2,"num_attention_heads":0,"vocab_size":9})") == "num_attention_heads");
  // Python's Infinity and NaN are no JSON, yet stand in published files.
  CHECK_FALSE(inspected(R"({"model_type":"llama","limit":[0.0,Infinity,-Infinity,NaN],"note":"Infinity","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,"vocab_size":10})").contains("error"));
}

}  // namespace
}  // namespace whichgpu
