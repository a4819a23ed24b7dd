#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "gpu/rates.hpp"
#include "image_generation/generation.hpp"
#include "whichgpu/domain.hpp"
#include "whichgpu/estimate.hpp"
#include "whichgpu/units.hpp"

namespace whichgpu {
namespace {

using namespace generation;

constexpr double kTight = 0.95;  // under 5 % free

std::string number(double v) { return format_number(v, 4); }

double need_gib(Setup s, double batch, const DomainCalibration& calibration) {
  s.batch = batch;
  const MemoryFeatures f = memory_features(s);
  return memory_parts(f, calibration.resolve(memory_spec(), f.keys).value).total;
}

}  // namespace

ImageEstimate estimate_image_generation(const Question& q, MemoryEstimate& memory, std::vector<Warning>& warnings) {
  ImageEstimate out;
  const Scenario& sc = q.scenario;
  const Gpu& gpu = *q.gpu;
  const Model& m = *q.model;
  Setup s;
  s.model = &m;
  s.gpu = &gpu;
  s.software = "diffusers";
  if (q.engine) s.software = software_class(q.engine->id);
  s.precision = precision_class(sc.precision.weights);
  if (contains(sc.precision.weights, "fp8")) s.precision = "fp8";
  s.width = sc.image.width;
  s.height = sc.image.height > 0 ? sc.image.height : sc.image.width;
  if (s.width <= 0) s.width = s.height;
  s.frames = sc.image.frames;
  s.steps = sc.image.steps > 0 ? sc.image.steps : std::max(1, m.default_steps);
  s.batch = std::max(1.0, sc.image.batch);
  s.gpus = sc.gpu_count;

  const DomainCalibration& memory_calibration = q.catalog->calibration.domain(memory_spec().name);
  const double capacity = memory_gib(gpu);
  memory.capacity_gib = capacity;
  const double whole = need_gib(s, s.batch, memory_calibration);
  const auto too_large = [&] { return capacity > 0 && need_gib(s, s.batch, memory_calibration) > capacity; };
  // What costs least first: a decoder that works in tiles, one part of the model at a time, one layer at a time.
  if (too_large()) s.tiled = true;
  if (sc.offload != OffloadKind::kNone) {
    if (too_large()) s.offload = Offload::kModel;
    if (too_large()) s.offload = Offload::kSequential;
  }
  if (s.tiled && s.offload == Offload::kNone && too_large()) s.tiled = false;
  const MemoryFeatures mf = memory_features(s);
  const MemoryParts held = memory_parts(mf, memory_calibration.resolve(memory_spec(), mf.keys).value);
  const Predicted need = predict_with_interval(memory_calibration, memory_spec(), mf.keys, [&](CoefficientView c) { return log(memory_parts(mf, c).total); });
  memory.per_gpu_gib = Quantity::between(need.value, need.p10, need.p90, "GiB");
  const auto part = [&](const char* name, double gib, std::string formula) {
    if (gib > 0) memory.terms.push_back({name, gib, "GiB", q.explain ? std::move(formula) : std::string()});
  };
  part("denoiser", held.denoiser, number(m.denoiser_params.value_or(0)) + " parameters in " + s.precision);
  part("text_encoders", held.encoders, "kept on the card");
  part("decoder", held.decoder, "VAE, 16 bits");
  part("activations", held.activations, "the larger of the denoiser's and the decoder's working set, " + number(s.batch) + " a batch");
  part("runtime", held.runtime, "context, kernels and libraries");
  if (capacity <= 0) memory.verdict = Verdict::kUnknown;
  else if (need.value > capacity) memory.verdict = Verdict::kDoesNotFit;
  else if (s.offload != Offload::kNone) memory.verdict = Verdict::kOffload;
  else memory.verdict = need.value > kTight * capacity ? Verdict::kTight : Verdict::kFits;
  if (s.tiled) warnings.push_back({"tiled-decoding", "The picture is decoded in tiles, since the decoder's working set at full size does not fit."});
  if (s.offload == Offload::kSequential) warnings.push_back({"sequential-offload", "The weights stream through the card layer by layer in every step; a smaller format of the weights is faster."});
  if (s.offload != Offload::kNone) memory.offloaded_gib = std::max(0.0, whole - need.value);
  if (capacity > 0) {
    double batch = 0;
    while (batch < 256 && need_gib(s, batch + 1, memory_calibration) <= capacity) ++batch;
    memory.max_batch = batch;
    // Cards run copies: pictures are not split over cards to make room.
    if (memory.verdict != Verdict::kDoesNotFit) memory.min_gpu_count = 1;
  }

  std::string why;
  auto f = speed_features(s, why);
  if (!f) {
    warnings.push_back({"missing-data", "The speed of " + m.name + " on " + gpu.name + " cannot be estimated: " + why + "."});
    return out;
  }
  const DomainCalibration& calibration = q.catalog->calibration.domain(speed_spec().name);
  const Predicted p = predict_with_interval(calibration, speed_spec(), f->keys, [&](CoefficientView c) { return speed_log(*f, c); });
  const Parts parts = speed_parts(*f, calibration.resolve(speed_spec(), f->keys).value);
  out.seconds_per_image = Quantity::between(p.value, p.p10, p.p90, "s");
  out.images_per_hour = Quantity::between(3600 / p.value, 3600 / p.p90, 3600 / p.p10, "images/h");
  // What the median user of a web interface reaches: drivers, settings and extensions cost about half of the speed.
  Setup users = s;
  users.software = "sdnext-users";  // the largest collection of users' runs
  if (const auto typical = speed_features(users, why)) {
    const Predicted t = predict_with_interval(calibration, speed_spec(), typical->keys, [&](CoefficientView c) { return speed_log(*typical, c); });
    // Never faster than the tuned run that it is set against.
    out.seconds_per_image_typical = Quantity::between(std::max(t.value, p.value), std::max(t.p10, p.p10), std::max(t.p90, p.p90), "s");
  }
  const auto add = [&](const char* name, double seconds, std::string formula) {
    if (seconds > 0) out.terms.push_back({name, seconds, "s", q.explain ? std::move(formula) : std::string()});
  };
  const double per_image = parts.steps / f->batch * (parts.step / (parts.compute + parts.weights + parts.launches + parts.exchange + parts.stream));
  const std::string steps = number(parts.steps) + " steps";
  add("denoising_arithmetic", parts.compute * per_image, steps + " x " + number(f->step_flops / 1e12) + " TFLOP, peak " + number(f->peak / 1e12) + " TFLOP/s");
  add("weight_reading", parts.weights * per_image, number(f->weight_bytes / 1e9) + " GB a step, not hidden behind the arithmetic");
  add("kernel_launches", parts.launches * per_image, steps);
  add("exchange", parts.exchange * per_image, number(s.gpus) + " GPUs share a picture");
  add("weight_streaming", parts.stream * per_image, "weights over PCIe in every step");
  add("weight_moving", parts.move / f->batch, "parts of the model to the card and back, once a picture");
  add("decoding", parts.decode / f->batch, number(f->decode_flops / 1e12) + " TFLOP");
  add("text_encoding_and_rest", parts.rest / f->batch, "prompt, scheduler, transfer of the picture");
  const double overhead = parts.launches;
  const double exchange = parts.exchange + parts.stream + parts.move / std::max(1.0, parts.steps);
  const double most = std::max({parts.compute, parts.weights, overhead, exchange});
  out.bound_by = most == parts.compute ? Bound::kCompute : most == parts.weights ? Bound::kBandwidth : most == overhead ? Bound::kOverhead : Bound::kInterconnect;
  if (memory.verdict == Verdict::kDoesNotFit) out.bound_by = Bound::kCapacity;
  constexpr int kGenerationLevel = 4, kGpuLevel = 5;
  out.distance = calibration.rows_seen(kGpuLevel, f->keys.at[kGpuLevel]) > 0 ? "same" : calibration.rows_seen(kGenerationLevel, f->keys.at[kGenerationLevel]) > 0 ? "near" : "far";
  if (out.distance[0] == 'f') warnings.push_back({"extrapolated", "No image-generation measurement of this GPU's generation is known; the estimate is extrapolated from others."});
  return out;
}

}  // namespace whichgpu
