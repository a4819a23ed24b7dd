#include "whichgpu/model_math.hpp"

#include <cmath>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "support/test_catalog.hpp"

using namespace whichgpu;
using Catch::Approx;

TEST_CASE("the parameter count of every model follows from its architecture", "[model]") {
  int checked = 0;
  for (const Model& m : test_catalog().models) {
    if (!m.has_layers()) continue;
    ++checked;
    const double limit = m.is_moe() || m.is_hybrid() ? 0.01 : 0.005;
    const ParamCount c = count_params(m);
    INFO(m.id << ": " << c.total << " against " << m.params_total);
    CHECK(std::abs(c.total / m.params_total - 1) < limit);
    CHECK(std::abs(c.active / m.params_active - 1) < limit);
    CHECK(std::abs(c.active_matmul / m.params_active_matmul - 1) < limit);
    const double parts = c.embedding + c.output + c.attention + c.recurrent + c.dense_ffn + c.experts + c.shared_experts + c.router +
                         c.norms + c.vision + c.audio + c.lookup + c.other;
    CHECK(parts == Approx(c.total).epsilon(1e-12));
  }
  CHECK(checked >= 366);
}

TEST_CASE("the cache of every model has the catalog's size", "[model]") {
  for (const Model& m : test_catalog().models) {
    if (!m.has_layers() || m.kind == "embedding") continue;
    const ModelCache c = cache_of(m);
    INFO(m.id);
    CHECK(2 * c.growing_elements_per_token() == Approx(m.kv_bytes_per_token_bf16).epsilon(1e-9).margin(1e-6));
    CHECK(2 * c.windowed_elements_per_token() == Approx(m.kv_bytes_per_token_bf16_windowed).epsilon(1e-9).margin(1e-6));
    CHECK(c.state_bytes_per_sequence() == Approx(m.state_bytes_per_sequence).epsilon(1e-9).margin(1e-6));
  }
}

// Bits per weight that llama.cpp's tools/quantize/README.md prints for Llama-3.1-8B, and the older one for Llama 2 7B,
// as kept in data/quants.json.
TEST_CASE("the mixes of GGUF give llama.cpp's own bits per weight", "[model]") {
  int checked = 0;
  for (const Quant& q : test_catalog().quants) {
    if (q.family != "gguf") continue;
    const auto check = [&](const char* model, Figure bpw) {
      if (!bpw) return;
      const Model& m = model_of(model);
      INFO(q.id << " " << model);
      CHECK(8 * weight_bytes(m, q).total / m.params_total == Approx(*bpw).margin(0.006));
      ++checked;
    };
    if (q.types.attn_q.empty() || q.id == "gguf-mxfp4-moe") continue;
    check("llama-3.1-8b", q.bpw_llama31_8b);
    check("llama-2-7b", q.bpw_llama2_7b);
    check("llama-3-70b", q.bpw_llama3_70b);
    check("llama-2-70b", q.bpw_llama2_70b);
  }
  CHECK(checked > 100);
}

TEST_CASE("the other formats keep tables and head as they say", "[model]") {
  for (const Quant& q : test_catalog().quants) {
    if (q.family == "gguf" || !q.bpw_llama31_8b) continue;
    const auto check = [&](const char* model, Figure bpw) {
      if (!bpw) return;
      const Model& m = model_of(model);
      INFO(q.id << " " << model);
      CHECK(8 * weight_bytes(m, q).total / m.params_total == Approx(*bpw).margin(0.02));
    };
    check("llama-3.1-8b", q.bpw_llama31_8b);
    check("llama-2-7b", q.bpw_llama2_7b);
    check("llama-2-70b", q.bpw_llama2_70b);
  }
}

TEST_CASE("one token of a mixture uses its experts, many use nearly all", "[model]") {
  const WeightBytes w = weight_bytes(model_of("mixtral-8x7b"), quant_of("bf16"));
  CHECK(w.total == Approx(2 * 46.7e9).epsilon(0.001));
  CHECK(w.read_per_step(1) == Approx(2 * (12.88e9 - 0.131e9)).epsilon(0.001));  // 12.9 B active, the input table is a look-up
  CHECK(w.experts_used(1) == Approx(2.0));
  CHECK(w.experts_used(2) == Approx(3.5));  // 8·(1 − (3/4)²)
  double before = 0;
  for (const double tokens : {0.0, 1.0, 2.0, 8.0, 64.0, 512.0}) {
    CHECK(w.read_per_step(tokens) > before);
    before = w.read_per_step(tokens);
  }
  CHECK(before == Approx(w.total - w.embedding).epsilon(1e-6));
}

TEST_CASE("token FLOPs are two per multiplied weight", "[model]") {
  for (const char* id : {"llama-3-8b", "mixtral-8x7b", "deepseek-v3", "qwen3-next-80b-a3b"}) {
    const Model& m = model_of(id);
    INFO(id);
    CHECK(token_flops(m).total() == Approx(2 * m.params_active_matmul).epsilon(0.001));
  }
  // Llama-2-7B at 4,096 tokens: 4 · layers · width · context for scores and sum.
  CHECK(cache_of(model_of("llama-2-7b")).decode_flops(4096) == Approx(4.0 * 32 * 4096 * 4096));
  // A causal prefill sees half of that on average; continuing adds the same as doing all at once.
  const ModelCache c = cache_of(model_of("gemma-3-27b"));
  CHECK(c.prefill_flops(3000) + c.prefill_flops(1096, 3000) == Approx(c.prefill_flops(4096)));
}
