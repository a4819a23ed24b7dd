#include <algorithm>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "image_generation/generation.hpp"
#include "support/test_catalog.hpp"
#include "whichgpu/estimate.hpp"

using namespace whichgpu;
using Catch::Matchers::WithinRel;

namespace {

generation::Setup setup(const char* model, const char* gpu) {
  generation::Setup s;
  s.model = &model_of(model);
  s.gpu = &gpu_of(gpu);
  s.software = "diffusers";
  s.precision = "half";
  s.steps = 20;
  return s;
}

generation::Features features(const generation::Setup& s) {
  std::string why;
  const auto f = generation::speed_features(s, why);
  REQUIRE(f);
  return *f;
}

Estimate answer(const Scenario& s) {
  const auto q = resolve(test_catalog(), s);
  REQUIRE(q);
  return estimate(q.value());
}

}  // namespace

TEST_CASE("denoising work at the native size is the published one", "[image]") {
  // T-GATE: 804 GFLOPs a pass of SD 1.5, two passes a step; FLUX.1-dev 74.5 TFLOPs, one pass.
  CHECK_THAT(features(setup("sd-1.5", "nvidia-rtx-4090")).step_flops, WithinRel(2 * 803.6e9, 1e-12));
  CHECK_THAT(features(setup("flux.1-dev", "nvidia-rtx-4090")).step_flops, WithinRel(74537.4e9, 1e-12));
}

TEST_CASE("attention makes larger pictures cost more than their pixels", "[image]") {
  const char* model = GENERATE("sd-1.5", "sdxl-1.0", "flux.1-dev", "sd3-medium");
  generation::Setup s = setup(model, "nvidia-rtx-4090");
  const double native = features(s).step_flops;
  const double side = std::string_view(model) == "sd-1.5" ? 512 : 1024;
  s.width = s.height = side;
  CHECK_THAT(features(s).step_flops, WithinRel(native, 1e-12));
  s.width = s.height = 2 * side;
  CHECK(features(s).step_flops > 4 * native);
  CHECK(features(s).step_flops < 16 * native);
}

TEST_CASE("fewer video frames cost less", "[image]") {
  generation::Setup s = setup("wan2.1-t2v-1.3b-480p", "nvidia-rtx-4090");
  const double whole = features(s).step_flops;
  s.frames = 41;  // 11 of 21 latent frames
  CHECK(features(s).step_flops < 11.0 / 21 * whole);
  CHECK(features(s).step_flops > 11.0 / 21 * 11.0 / 21 * whole);
}

TEST_CASE("words of image programs and precisions are understood", "[image]") {
  CHECK(generation::software_class("stable-diffusion.cpp") == "stable-diffusion.cpp");
  CHECK(generation::software_class("onediff (nexfort)") == "nexfort");
  CHECK(generation::software_class("diffusers / torch 2.0, compile") == "compiled");
  CHECK(generation::software_class("diffusers") == "diffusers");
  CHECK(generation::precision_class("nf4 (bnb) + bf16") == "4-bit");
  CHECK(generation::precision_class("q8_0") == "8-bit");
  CHECK(generation::precision_class("fp8") == "fp8");
  CHECK(generation::precision_class("bf16 (not stated)") == "half");
}

TEST_CASE("a picture's time and memory are the sums of their terms", "[image]") {
  Scenario s;
  s.workload = Workload::kImageGeneration;
  s.model = GENERATE("sdxl-1.0", "flux.1-dev", "sd3.5-large");
  s.gpu = "nvidia-h100-sxm-80gb";
  s.image.steps = 28;
  const Estimate e = answer(s);
  REQUIRE(e.image_generation->seconds_per_image);
  double seconds = 0, gib = 0;
  for (const Term& t : e.image_generation->terms) seconds += t.value;
  for (const Term& t : e.memory->terms) gib += t.value;
  CHECK_THAT(seconds, WithinRel(e.image_generation->seconds_per_image->value, 1e-9));
  CHECK_THAT(gib, WithinRel(e.memory->per_gpu_gib.value, 1e-9));
  CHECK_THAT(e.image_generation->images_per_hour->value * e.image_generation->seconds_per_image->value, WithinRel(3600.0, 1e-12));
  // Twice the steps: more time, but not more than twice.
  s.image.steps = 56;
  const double twice = answer(s).image_generation->seconds_per_image->value;
  CHECK(twice > seconds);
  CHECK(twice < 2 * seconds);
}

TEST_CASE("a model that does not fit is offloaded only when asked", "[image]") {
  Scenario s;
  s.workload = Workload::kImageGeneration;
  s.model = "flux.2-dev";  // 32 + 24 thousand million weights in 16 bits
  s.gpu = "nvidia-rtx-4090";
  CHECK(answer(s).memory->verdict == Verdict::kDoesNotFit);
  s.offload = OffloadKind::kCpu;
  const Estimate e = answer(s);
  CHECK(e.memory->verdict == Verdict::kOffload);
  CHECK(e.memory->offloaded_gib > 0);
}

TEST_CASE("every family of image and video models has a time, a memory and a price", "[image]") {
  const char* model = GENERATE("sd-1.5", "sd-2.1", "sdxl", "sd3-medium", "sd3.5-large", "flux.1-dev", "flux.1-schnell", "flux.2-dev", "pixart-alpha-xl-1024", "pixart-sigma-xl-1024",
                               "wan2.1-t2v-14b", "hunyuanvideo", "cogvideox-5b");
  CAPTURE(model);
  Scenario s;
  s.workload = Workload::kImageGeneration;
  s.model = model;
  s.gpu = "nvidia-h200-sxm-141gb";
  const Estimate e = answer(s);
  REQUIRE(e.image_generation->seconds_per_image);
  CHECK_THAT(e.image_generation->images_per_hour->value, WithinRel(3600 / e.image_generation->seconds_per_image->value, 1e-12));
  REQUIRE(e.image_generation->seconds_per_image_typical);
  CHECK(e.image_generation->seconds_per_image_typical->value >= e.image_generation->seconds_per_image->value);
  CHECK(e.memory->verdict != Verdict::kDoesNotFit);
  // The weights of all parts in 16 bits lie on the card.
  double weights = 0;
  for (const Component& c : model_of(e.scenario.model.c_str()).components) weights += c.params * 2 / 1073741824.0;
  CHECK(e.memory->per_gpu_gib.value > 0.8 * weights);
  s.image.steps = 2 * std::max(1, model_of(e.scenario.model.c_str()).default_steps);
  CHECK(answer(s).image_generation->seconds_per_image->value > 1.2 * e.image_generation->seconds_per_image->value);
}

TEST_CASE("a typical set-up takes about twice as long as a tuned one", "[image]") {
  const char* gpu = GENERATE("nvidia-rtx-4090", "nvidia-rtx-3090", "nvidia-rtx-3060-12gb");
  Scenario s;
  s.workload = Workload::kImageGeneration;
  s.model = "sdxl";
  s.gpu = gpu;
  const Estimate e = answer(s);
  const double ratio = e.image_generation->seconds_per_image_typical->value / e.image_generation->seconds_per_image->value;
  CHECK(ratio > 1.3);
  CHECK(ratio < 3);
}

TEST_CASE("what does not fit is tiled, then moved in parts, then streamed, and each costs time", "[image]") {
  Scenario s;
  s.workload = Workload::kImageGeneration;
  s.model = "flux.1-dev";
  s.gpu = "nvidia-rtx-4090";
  s.offload = OffloadKind::kCpu;
  const Estimate moved = answer(s);
  CHECK(moved.memory->verdict == Verdict::kOffload);
  Scenario large = s;
  large.gpu = "nvidia-h100-sxm-80gb";
  CHECK(answer(large).memory->verdict == Verdict::kFits);
  const auto seconds_of = [](const Estimate& e, const char* term) {
    for (const Term& t : e.image_generation->terms)
      if (t.name == term) return t.value;
    return 0.0;
  };
  // 34 GB of weights over PCIe 4.0 x16, once a picture: no less than a second.
  CHECK(seconds_of(moved, "weight_moving") > 1);
  s.precision.weights = "nf4";
  const Estimate quantized = answer(s);
  CHECK(quantized.memory->per_gpu_gib.value < moved.memory->per_gpu_gib.value);
  CHECK(seconds_of(quantized, "weight_streaming") == 0);
  // A smaller card needs the weights layer by layer.
  Scenario small = s;
  small.precision.weights = "";
  small.gpu = "nvidia-rtx-3060-12gb";
  const Estimate streamed = answer(small);
  CHECK(streamed.memory->verdict == Verdict::kOffload);
  CHECK(seconds_of(streamed, "weight_streaming") > 1);
}

TEST_CASE("the larger picture is decoded in tiles where it must be", "[image]") {
  Scenario s;
  s.workload = Workload::kImageGeneration;
  s.model = "sdxl";
  s.gpu = "nvidia-rtx-3080-10gb";
  const auto tiled = [](const Estimate& e) {
    for (const Warning& w : e.warnings)
      if (w.code == std::string("tiled-decoding")) return true;
    return false;
  };
  s.image.width = s.image.height = 1536;
  CHECK(tiled(answer(s)));
  s.gpu = "nvidia-rtx-4090";
  CHECK_FALSE(tiled(answer(s)));
}
