#include "vision/vision.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "gpu/rates.hpp"
#include "whichgpu/math.hpp"
#include "whichgpu/units.hpp"

namespace whichgpu::vision {
namespace {

enum Level { kSoftware, kClass, kFamily, kPrecision, kGeneration, kGpuLevel, kMode, kFamilyMode, kLink, kTargetLevel };
enum Coefficient { kCompute, kBandwidth, kLaunch, kScale, kTarget, kTargetSlope };
enum MemoryLevel { kMemoryClass, kMemoryMode };
enum MemoryCoefficient { kActivations, kRuntime };

constexpr double kReferenceBatch = 256;  // of the time-to-quality rows; only ratios matter
constexpr double kOutputsPerGflop = 1.2e6;  // where a model's layer outputs are not known: the ResNets' and detectors' middle
constexpr double kUsualSpeechBatch = 32;    // clips per GPU where a row does not say

/// Families whose layers behave alike.
std::string family_of(const Model& m) {
  for (const char* name : {"vit", "deit", "dinov2", "siglip", "eva", "clip"})
    if (m.family == name) return "vit";
  for (const char* name : {"faster-rcnn", "mask-rcnn", "retinanet"})
    if (m.family == name) return "rcnn";
  return m.family;
}

const char* class_of(const std::string& family) {
  struct Entry { const char* family; const char* name; };
  static constexpr Entry kClasses[] = {{"vit", "transformer"}, {"rcnn", "detector"}, {"ssd", "detector"}, {"efficientnet", "depthwise"}, {"efficientnetv2", "depthwise"},
      {"mobilenet", "depthwise"}, {"convnext", "depthwise"}, {"convnextv2", "depthwise"}, {"xception", "depthwise"}, {"swin", "windowed"}, {"maxvit", "windowed"},
      {"coatnet", "windowed"}, {"hiera", "windowed"}, {"sam", "windowed"}, {"sam2", "windowed"}, {"tacotron2", "recurrent"}, {"waveglow", "waveform"}};
  for (const Entry& e : kClasses)
    if (family == e.family) return e.name;
  return "convolution";
}

template <class F>
void set_key(F& f, int level, const std::string& name) {
  f.keys.at[level] = key_of(name);
  if (f.with_names) f.key_names[level] = name;
}

bool has_fast_link(const Gpu& gpu) {
  const std::string link = lower(gpu.link_type);
  return contains(link, "nvlink") || contains(link, "infinity") || contains(link, "ici") || contains(link, "neuronlink");
}

double peak_of(const Gpu& gpu, const std::string& precision) {
  if (precision == "fp32") return single_rate(gpu);
  if (precision == "tf32") return tf32_rate(gpu);
  if (precision == "int8") return int8_rate(gpu);
  if (precision == "fp8") return fp8_rate(gpu);
  return half_rate(gpu);
}

double element_bytes(const std::string& precision) { return precision == "fp32" || precision == "tf32" ? 4 : precision == "int8" || precision == "fp8" ? 1 : 2; }

}  // namespace

std::string software_class(std::string_view s) {
  if (contains(s, "timm")) {
    const double version = number_after(s, "pytorch").value_or(2.9);
    return version < 2 ? "timm-1" : version < 2.3 ? "timm-2.1" : version < 2.7 ? "timm-2.4" : "timm-2.9";
  }
  struct Entry { const char* word; const char* name; };
  static constexpr Entry kWords[] = {{"tensorrt", "tensorrt"}, {"paddle", "tensorrt"}, {"openvino", "tensorrt"}, {"tensorflow2", "tensorflow"}, {"tensorflow", "tensorflow"},
      {"mxnet", "mxnet"}, {"detectron", "detectron2"}, {"neuron", "neuron"}, {"yolo", "yolo"}, {"ultralytics", "yolo"}, {"tinygrad", "tinygrad"}};
  for (const Entry& e : kWords)
    if (contains(s, e.word)) return e.name;
  if (contains(s, "ngc")) return contains(s, "ngc 24") || contains(s, "ngc 25") ? "ngc-24" : "ngc";
  return "pytorch";
}

std::string precision_class(std::string_view p, const Gpu& gpu) {
  if (contains(p, "usually fp8")) return "half";
  if (contains(p, "int8")) return "int8";
  if (contains(p, "fp8")) return "fp8";
  for (const char* word : {"fp16", "bf16", "f16", "half", "16-bit", "mixed"})
    if (contains(p, word)) return "half";
  if (p == "amp") return "half";
  if (contains(p, "tf32")) return gpu.tf32_tensor_tflops ? "tf32" : "fp32";
  if (contains(p, "fp32") || contains(p, "float32")) return "fp32";
  return "not stated";
}

const DomainSpec& speed_spec() {
  static const DomainSpec spec{
      "vision-speed",
      {"software", "class", "family", "precision", "generation", "gpu", "mode", "family-mode", "link", "target"},
      {{"compute", -0.3, 1.0, {{kSoftware, 0.25}, {kClass, 0.4}, {kFamily, 0.25}, {kPrecision, 0.3}, {kGeneration, 0.2}, {kGpuLevel, 0.1}, {kMode, 0.3}, {kFamilyMode, 0.15}}},
       {"bandwidth", -2.2, 1.0, {{kSoftware, 0.25}, {kClass, 0.5}, {kFamily, 0.4}, {kPrecision, 0.3}, {kGeneration, 0.2}, {kGpuLevel, 0.1}, {kMode, 0.5}, {kFamilyMode, 0.2}}},
       {"launch", -4.8, 1.5, {{kSoftware, 0.7}, {kFamily, 0.7}, {kPrecision, 0.3}, {kGeneration, 0.3}, {kMode, 0.7}, {kFamilyMode, 0.4}}},
       {"scale", -3.2, 1.0, {{kLink, 0.5}, {kFamily, 0.4}, {kGeneration, 0.3}, {kSoftware, 0.5}}},
       {"target", 17.0, 2.0, {{kTargetLevel, 2.0}}},
       {"target-slope", 0.1, 0.2, {{kTargetLevel, 0.1}}}},
      {kSoftware, kMode}};
  return spec;
}

const DomainSpec& memory_spec() {
  static const DomainSpec spec{"vision-memory",
      {"class", "mode"},
      // Saved layer outputs: what a layer writes, its normalised and its rectified form (about three copies in training);
      // in inference two or three live layers of the whole network.
      {{"activations", 0.9, 0.4, {{kMemoryClass, 0.3}}}, {"runtime", -0.2, 0.3, {}}},
      {kMemoryClass}};
  return spec;
}

std::optional<Features> speed_features(const Setup& s, std::string& why_not, bool with_names) {
  const Model& m = *s.model;
  const Gpu& g = *s.gpu;
  // Work of one sample: an image, or for speech a mel frame or an audio sample.
  const bool speech = m.gmacs_per_sample.has_value();
  const double gflops = speech ? 2 * *m.gmacs_per_sample : m.gflops_per_image.value_or(0);
  const double outputs = speech ? m.activations_per_sample.value_or(0) : m.mega_activations_per_image ? *m.mega_activations_per_image * 1e6 : gflops * kOutputsPerGflop;
  if (gflops <= 0) { why_not = "the model's FLOPs per image are not known"; return std::nullopt; }
  Features f;
  f.with_names = with_names;
  f.peak = peak_of(g, s.precision);
  f.bytes_per_s = memory_rate(g);
  if (f.peak <= 0 || f.bytes_per_s <= 0) { why_not = "the GPU's rate or bandwidth is not known"; return std::nullopt; }
  // Backward passes by the inputs and by the weights cost one forward pass each.
  f.flops = gflops * 1e9 * s.area * (s.training ? 3 : 1);
  f.bytes = outputs * element_bytes(s.precision) * s.area;
  f.batch = s.batch * m.samples_per_launch.value_or(1);
  f.gpus = s.gpus;
  f.doublings = s.gpus > 1 ? log(s.gpus) / log(2.0) : 0;
  const std::string family = family_of(m), mode = s.training ? "training" : "inference";
  set_key(f, kSoftware, s.software);
  set_key(f, kClass, class_of(family));
  set_key(f, kFamily, family);
  set_key(f, kPrecision, s.precision);
  set_key(f, kGeneration, g.generation);
  set_key(f, kGpuLevel, g.id);
  set_key(f, kMode, mode);
  set_key(f, kFamilyMode, family + "|" + mode);
  if (s.gpus > 1) set_key(f, kLink, has_fast_link(g) ? "fast" : "pcie");
  return f;
}

Parts speed_parts(const Features& f, CoefficientView c) {
  Parts p;
  p.compute = f.batch * f.flops / (f.peak * c.exp(c[kCompute]));
  p.bandwidth = f.batch * f.bytes / (f.bytes_per_s * c.exp(c[kBandwidth]));
  p.launches = c.exp(c[kLaunch]);
  const double alone = p.compute + p.bandwidth + p.launches;
  p.exchange = alone * c.exp(c[kScale]) * f.doublings;
  p.total = alone + p.exchange;
  return p;
}

bool benchmark_known(const DomainCalibration& calibration, const Features& f) { return calibration.rows_seen(kTargetLevel, f.keys.at[kTargetLevel]) > 0; }

double speed_log(const Features& f, CoefficientView c) {
  const double step = speed_parts(f, c).total;
  switch (f.metric) {
    case Metric::kImagesPerS: return c.log(f.batch * f.gpus / step);
    case Metric::kStepSeconds: return c.log(step);
    case Metric::kHoursToTarget: return c[kTarget] + c[kTargetSlope] * c.log(f.batch_ratio) - c.log(3600 * f.batch * f.gpus / step);
  }
  return 0;
}

std::optional<MemoryFeatures> memory_features(const Setup& s, std::string& why_not, bool with_names) {
  const Model& m = *s.model;
  if (!m.mega_activations_per_image) { why_not = "the model's activations per image are not known"; return std::nullopt; }
  MemoryFeatures f;
  f.with_names = with_names;
  f.training = s.training;
  const bool half = element_bytes(s.precision) < 4;
  // Training: FP32 weights, gradients and one moment, and a 16-bit copy of the weights in mixed precision.
  f.states_gib = m.params_total * (s.training ? (half ? 14.0 : 12.0) : element_bytes(s.precision)) / kBytesPerGib;
  f.activations_gib = s.batch * s.area * *m.mega_activations_per_image * 1e6 * element_bytes(s.precision) / kBytesPerGib;
  set_key(f, kMemoryClass, class_of(family_of(m)));
  set_key(f, kMemoryMode, s.training ? "training" : "inference");
  return f;
}

MemoryParts memory_parts(const MemoryFeatures& f, CoefficientView c) {
  // Inference frees a layer's output after the next: the largest two or three layers of a network hold about a sixth.
  constexpr double kLiveShare = 1.0 / 6;
  MemoryParts p;
  p.states = f.states_gib;
  p.activations = f.activations_gib * c.exp(c[kActivations]) * (f.training ? 1 : kLiveShare);
  p.runtime = c.exp(c[kRuntime]);
  p.total = p.states + p.activations + p.runtime;
  return p;
}

std::optional<Setup> setup_of(const Conditions& row, std::string& why_not) {
  if (!row.gpu) { why_not = "the GPU is not in the catalog"; return std::nullopt; }
  if (!row.model) { why_not = "the model is not in the catalog"; return std::nullopt; }
  const bool speech = row.model->gmacs_per_sample.has_value();
  if (!speech && (row.model->kind != "vision" || row.model->resolution <= 0)) { why_not = "not a vision model"; return std::nullopt; }
  Setup s;
  s.model = row.model;
  s.gpu = row.gpu;
  s.training = row.workload != "vision-infer";
  s.software = contains(row.precision, "usually fp8") ? (contains(row.software, "tinygrad") ? "tinygrad" : "mlperf") : software_class(row.software);
  s.precision = precision_class(row.precision, *row.gpu);
  s.gpus = row.gpu_count;
  const std::string family = family_of(*row.model);
  if (family == "rcnn") {
    // Detectors resize to a short side of 800 whatever the set; large-scale jitter pads to 1024 x 1024.
    s.area = contains(row.sequence, "lsj") ? 1024.0 * 1024 / (800.0 * 1216) : 1;
  } else if (const auto side = first_number(row.sequence); side && !speech && !contains(row.sequence, "/") && *side >= 16) {
    const double ratio = *side / row.model->resolution;
    s.area = ratio * ratio;
  }
  if (row.micro_batch) s.batch = *row.micro_batch;
  else if (row.global_batch) s.batch = *row.global_batch / s.gpus;
  else if (!s.training) s.batch = 128;
  else if (speech) s.batch = kUsualSpeechBatch;
  else {
    // Not stated: what fills most of the card, as such suites choose it.
    const double image = row.model->mega_activations_per_image.value_or(10) * 1e6 * 3 * element_bytes(s.precision) * s.area;
    s.batch = std::clamp(0.8 * memory_gib(*row.gpu) * kBytesPerGib / image, 1.0, 256.0);
  }
  return s;
}

std::optional<Features> speed_row_features(const Conditions& row, std::string& why_not, bool with_names) {
  Metric metric = Metric::kImagesPerS;
  if (row.metric == "images_s" || row.metric == "samples_s") metric = Metric::kImagesPerS;
  else if (row.metric == "step_time_s") metric = Metric::kStepSeconds;
  else if (row.metric == "wall_hours" && contains(row.precision, "usually fp8") && row.global_batch) metric = Metric::kHoursToTarget;
  else {
    why_not = row.metric == "wall_hours" || row.metric == "gpu_hours_total" ? "the row does not say how many images the run saw" : "metric " + row.metric + " is not modelled for vision";
    return std::nullopt;
  }
  const auto setup = setup_of(row, why_not);
  if (!setup) return std::nullopt;
  auto f = speed_features(*setup, why_not, with_names);
  if (!f) return std::nullopt;
  f->metric = metric;
  if (metric == Metric::kHoursToTarget) {
    set_key(*f, kTargetLevel, row.model->id);
    f->batch_ratio = *row.global_batch / kReferenceBatch;
  }
  return f;
}

}  // namespace whichgpu::vision
