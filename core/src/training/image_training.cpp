#include "training/image_training.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "training/memory.hpp"
#include "training/setup.hpp"
#include "whichgpu/domain.hpp"
#include "whichgpu/units.hpp"

namespace whichgpu::training {
namespace {

enum Level { kEngine, kCheckpoint, kKind, kMethodLevel, kGeneration };
enum MemoryCoefficient { kWeights, kFrozen, kStates, kActivations, kConstant };
enum SpeedCoefficient { kProducts, kStepConstant };

template <class Features>
void set_key(Features& f, int level, std::string_view name) {
  f.keys.at[level] = key_of(name);
  if (f.with_names) f.key_names[level] = name;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Sides of "1024x1024", "512", "49x480x720" (frames first); zeros where not stated.
struct Size { double frames = 0, height = 0, width = 0; };
Size read_size(std::string_view text) {
  double part[3] = {};
  int count = 0;
  for (std::size_t i = 0; i < text.size() && count < 3;) {
    if (!is_digit(text[i])) { if (count > 0 && text[i] != 'x') break; ++i; continue; }
    double value = 0;
    for (; i < text.size() && is_digit(text[i]); ++i) value = value * 10 + (text[i] - '0');
    part[count++] = value;
  }
  if (count == 1) return {0, part[0], part[0]};
  if (count == 2) return {0, part[0], part[1]};
  if (count == 3) return {part[0], part[1], part[2]};
  return {};
}

/// How many times the pixels (and frames) of the model's own resolution one sample has.
double relative_size(const Model& model, std::string_view sequence) {
  const Size own = read_size(model.native_resolution), asked = read_size(sequence);
  if (own.height <= 0 || asked.height < 64 || asked.width < 64) return 1;
  const double frames = asked.frames > 0 && model.frames > 0 ? asked.frames / model.frames : 1;
  return asked.height * asked.width / (own.height * own.width) * frames;
}

struct Run {
  const Model* model = nullptr;
  bool adapters = false;
  Checkpointing checkpointing = Checkpointing::kNone;
  double batch = 1, size = 1;
  std::string engine, kind;
};

std::optional<Run> read_run(const Conditions& row, std::string& why_not) {
  if (row.gpu == nullptr) { why_not = "GPU not in the catalog"; return std::nullopt; }
  if (row.model == nullptr || !row.model->denoiser_params) { why_not = "model not in the catalog"; return std::nullopt; }
  Run r;
  r.model = row.model;
  r.adapters = contains(row.method, "lora") || contains(row.method, "lokr");
  if (starts_with(row.checkpointing, "full")) r.checkpointing = Checkpointing::kFull;
  r.batch = row.micro_batch.value_or(1);
  r.size = relative_size(*row.model, row.sequence);
  r.engine = row.engine != nullptr ? row.engine->id : std::string();
  r.kind = "transformer";
  for (const Component& part : row.model->components)
    if (part.role == "denoiser" && contains(lower(part.name), "unet")) r.kind = "unet";
  return r;
}

template <class Features>
void set_keys(Features& f, const Run& r, const Conditions& row) {
  set_key(f, kEngine, r.engine);
  set_key(f, kCheckpoint, to_word(r.checkpointing));
  set_key(f, kKind, r.kind);
  set_key(f, kMethodLevel, r.adapters ? "adapters" : "whole");
  set_key(f, kGeneration, row.gpu->generation);
}

}  // namespace

const DomainSpec& image_memory_spec() {
  static const DomainSpec spec{"image-training-memory",
                               {"engine", "checkpointing", "kind", "method", "generation"},
                               {{"weights", 0.0, 0.1, {}},
                                {"frozen", -0.7, 0.7, {{kEngine, 0.5}}},
                                {"states", 0.0, 0.2, {{kEngine, 0.2}}},
                                {"activations", 0.5, 0.8, {{kEngine, 0.4}, {kCheckpoint, 1.0}, {kKind, 0.7}, {kMethodLevel, 0.3}}},
                                {"constant", 0.3, 0.5, {{kEngine, 0.4}}}},
                               {}};
  return spec;
}

double image_memory_log(const ImageMemoryFeatures& f, CoefficientView c) {
  const double need = f.weights_gib * exp(c[kWeights]) + f.frozen_gib * exp(c[kFrozen]) + f.states_gib * exp(c[kStates]) +
                      f.activation_gib * exp(c[kActivations]) + exp(c[kConstant]);
  return log(need * f.copies);
}

std::optional<ImageMemoryFeatures> image_memory_row_features(const Conditions& row, std::string& why_not, bool with_names) {
  const auto run = read_run(row, why_not);
  if (!run) return std::nullopt;
  const Model& m = *run->model;
  ImageMemoryFeatures f;
  f.with_names = with_names;
  const std::string& p = row.precision;
  const double weights = *m.denoiser_params;
  // Fine-tuning all weights keeps them in FP32 under autocast; frozen ones are held as the precision says.
  double bytes = 2;
  if (!run->adapters || starts_with(p, "fp32")) bytes = 4;
  else if (contains(p, "nf4") || contains(p, "4-bit") || contains(p, "int4")) bytes = 0.5625;
  else if (contains(p, "fp8") || contains(p, "int8")) bytes = 1.03;
  const double moments = contains(row.optimizer, "8bit") || contains(row.optimizer, "8-bit") ? 2 : contains(row.optimizer, "adafactor") ? 0.1 : 8;
  double frozen = 0;
  for (const Component& part : m.components)
    if (part.role != "denoiser") frozen += part.params;
  // DeepSpeed keeps 16-bit weights on the card and shares out, or moves to the host, the FP32 copy and the states.
  const bool zero = contains(row.parallelism, "zero");
  const double gpus = row.gpu_count;
  const double stage = number_after(row.parallelism, "zero").value_or(2);
  double states = run->adapters ? 0.005 * weights * (4 + 4 + moments) : weights * (4 + moments);
  if (zero) {
    if (!run->adapters) {
      bytes = 2;
      states = weights * (2 + 4 + moments) / gpus;
    }
    if (stage >= 3) bytes /= gpus;
    if (contains(row.parallelism, "offload")) states = 0;
    if (contains(row.parallelism, "parameter offload")) bytes = 0;
  }
  f.weights_gib = weights * bytes / kBytesPerGib;
  f.frozen_gib = frozen * 2 / kBytesPerGib;
  f.states_gib = states / kBytesPerGib;
  f.activation_gib = m.denoiser_tokens * run->size * run->batch * pow(weights, 2.0 / 3) * 2 / kBytesPerGib;
  f.capacity_gib = usable_gib(*row.gpu);
  if (row.has(kTotal)) f.copies = row.gpu_count;
  if (row.unit == "gb") f.copies *= kBytesPerGib / kBytesPerGb;
  set_keys(f, *run, row);
  return f;
}

const DomainSpec& image_speed_spec() {
  static const DomainSpec spec{"image-training-speed",
                               {"engine", "checkpointing", "kind", "method", "generation"},
                               {{"products", -1.0, 0.5, {{kEngine, 0.3}, {kKind, 0.3}, {kGeneration, 0.2}}},
                                {"constant", -2.5, 0.7, {{kEngine, 0.3}}}},
                               {}};
  return spec;
}

double image_speed_log(const ImageSpeedFeatures& f, CoefficientView c) {
  const double seconds = f.flops / (f.peak * exp(c[kProducts])) + exp(c[kStepConstant]);
  switch (f.rate) {
    case ImageRate::kStepSeconds: return log(seconds);
    case ImageRate::kStepsPerS: return -log(seconds);
    case ImageRate::kImagesPerS: return log(f.batch * f.gpus / seconds);
    case ImageRate::kTflopsPerGpu: return log(f.useful_flops / seconds / 1e12);
  }
  return 0;
}

std::optional<ImageSpeedFeatures> image_speed_row_features(const Conditions& row, std::string& why_not, bool with_names) {
  ImageSpeedFeatures f;
  f.with_names = with_names;
  if (row.metric == "step_time_s") f.rate = ImageRate::kStepSeconds;
  else if (row.metric == "it_s") f.rate = ImageRate::kStepsPerS;
  else if (row.metric == "images_s") f.rate = ImageRate::kImagesPerS;
  else if (row.metric == "tflops_per_gpu") f.rate = ImageRate::kTflopsPerGpu;
  else { why_not = "the row does not say how many images the run trained on"; return std::nullopt; }
  if (row.has(kOffloadFlag)) { why_not = "the run spilled into host memory"; return std::nullopt; }
  const auto run = read_run(row, why_not);
  if (!run) return std::nullopt;
  if (!run->model->denoiser_gflops_per_step) { why_not = "the model's FLOPs are not known"; return std::nullopt; }
  const bool wide = starts_with(row.precision, "fp32");
  f.peak = peak_flops(*row.gpu, wide ? Arithmetic::kFp32 : Arithmetic::kHalf);
  if (f.peak <= 0) { why_not = "the GPU's rate is not known"; return std::nullopt; }
  f.batch = run->batch;
  f.gpus = row.gpu_count;
  const double passes = run->adapters ? 2 : 3;
  const double forward = *run->model->denoiser_gflops_per_step * 1e9 * run->size * run->batch;
  f.useful_flops = forward * passes;
  f.flops = forward * (passes + (run->checkpointing == Checkpointing::kFull ? 1 : 0));
  set_keys(f, *run, row);
  return f;
}

}  // namespace whichgpu::training

namespace whichgpu {

RowEstimate image_training_row(const Conditions& row) {
  using namespace training;
  std::string why;
  RowEstimate out;
  const auto take = [&](const Predicted& p) {
    out.modelled = true;
    out.value = p.value;
    out.p10 = p.p10;
    out.p90 = p.p90;
  };
  if (row.metric == "peak_vram_gb" || row.metric == "fits") {
    const auto f = image_memory_row_features(row, why);
    if (!f) return RowEstimate::not_modelled(why);
    take(predict_with_interval(row.catalog->calibration.domain(image_memory_spec().name), image_memory_spec(), f->keys, [&](CoefficientView c) { return image_memory_log(*f, c); }));
    if (row.metric == "fits") out.word = out.value <= kReachableShare * f->capacity_gib ? "yes" : "no";
    return out;
  }
  const auto f = image_speed_row_features(row, why);
  if (!f) return RowEstimate::not_modelled(why);
  take(predict_with_interval(row.catalog->calibration.domain(image_speed_spec().name), image_speed_spec(), f->keys, [&](CoefficientView c) { return image_speed_log(*f, c); }));
  return out;
}

}  // namespace whichgpu
