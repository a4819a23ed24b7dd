#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "gpu/rates.hpp"
#include "vision/vision.hpp"
#include "whichgpu/domain.hpp"
#include "whichgpu/estimate.hpp"
#include "whichgpu/units.hpp"

namespace whichgpu {
namespace {

using namespace vision;

constexpr double kTight = 0.95;                    // under 5 % free
constexpr double kUsualTrainingBatch = 256;        // per GPU; larger ones change the recipe
constexpr double kUsualInferenceBatch = 128;
constexpr double kDecodedImagesPerCoreSecond = 120;  // JPEG decoding and augmentation at 224 pixels on one CPU core (Pillow-SIMD, from memory)
constexpr double kCoresPerGpu = 16;                // of usual rented machines
constexpr double kStoredBytesPerImage = 110e3;     // ImageNet: 1.28 million JPEG files are 138 GB, of 400 x 350 pixels on average
constexpr double kDiskBytesPerSecond = 2e9;        // of a network disk or one NVMe drive of a rented machine

std::string number(double v) { return format_number(v, 4); }

double need_gib(Setup s, double batch, const DomainCalibration& calibration) {
  s.batch = batch;
  std::string why;
  const auto f = memory_features(s, why);
  return f ? memory_parts(*f, calibration.resolve(memory_spec(), f->keys).value).total : 0;
}

/// Largest batch per GPU that fits: doubling, then halving the interval. 0: not even one image.
double largest_batch(const Setup& s, const DomainCalibration& calibration, double capacity) {
  const auto fits = [&](double batch) { return need_gib(s, batch, calibration) <= capacity; };
  if (!fits(1)) return 0;
  double low = 1, high = 2;
  while (high < 1e6 && fits(high)) { low = high; high *= 2; }
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace

VisionEstimate estimate_vision(const Question& q, MemoryEstimate& memory, std::vector<Warning>& warnings) {
  VisionEstimate out;
  const Scenario& sc = q.scenario;
  const Gpu& gpu = *q.gpu;
  const Model& m = *q.model;
  Setup s;
  s.model = &m;
  s.gpu = &gpu;
  s.training = sc.workload == Workload::kVisionTraining;
  // The newest stacks that measurements know; a named engine counts where it is a class of its own.
  s.software = s.training ? "ngc-24" : "timm-2.9";
  // PyTorch has no INT8 path on GPUs: eight bits mean TensorRT or its like.
  if (!s.training && contains(lower(sc.precision.weights), "int8")) s.software = "tensorrt";
  if (q.engine && software_class(q.engine->id) != "pytorch") s.software = software_class(q.engine->id);
  const std::string weights = sc.precision.weights;
  s.precision = precision_class(s.training && contains(lower(sc.training.precision), "32") ? std::string_view(sc.training.precision) : std::string_view(weights), gpu);
  if (s.precision == "not stated") s.precision = "half";
  s.gpus = sc.gpu_count;
  const double side = sc.vision.resolution > 0 ? sc.vision.resolution : m.resolution;
  s.area = m.resolution > 0 ? side * side / (static_cast<double>(m.resolution) * m.resolution) : 1;

  const DomainCalibration& memory_calibration = q.catalog->calibration.domain(memory_spec().name);
  const double capacity = memory_gib(gpu);
  std::string why;
  memory.capacity_gib = capacity;
  const auto one = memory_features(s, why);
  if (one && capacity > 0) memory.max_batch = largest_batch(s, memory_calibration, capacity);
  const double usual = s.training ? kUsualTrainingBatch : kUsualInferenceBatch;
  s.batch = sc.vision.batch > 0 ? sc.vision.batch : memory.max_batch ? std::clamp(*memory.max_batch, 1.0, usual) : usual;
  out.batch = s.batch;
  if (const auto f = memory_features(s, why)) {
    const MemoryParts parts = memory_parts(*f, memory_calibration.resolve(memory_spec(), f->keys).value);
    const Predicted p = predict_with_interval(memory_calibration, memory_spec(), f->keys, [&](CoefficientView c) { return log(memory_parts(*f, c).total); });
    memory.per_gpu_gib = Quantity::between(p.value, p.p10, p.p90, "GiB");
    const auto add = [&](const char* name, double gib, std::string formula) { memory.terms.push_back({name, gib, "GiB", q.explain ? std::move(formula) : std::string()}); };
    add(s.training ? "weights_gradients_and_optimizer" : "weights", parts.states, number(m.params_total) + " parameters");
    add("activations", parts.activations, number(s.batch) + " images of " + number(side) + " pixels, " + number(*m.mega_activations_per_image * s.area) + " million outputs each");
    add("runtime", parts.runtime, "context, kernels and workspace");
    memory.verdict = capacity <= 0 ? Verdict::kUnknown : p.value > capacity ? Verdict::kDoesNotFit : p.value > kTight * capacity ? Verdict::kTight : Verdict::kFits;
    if (capacity > 0 && memory.verdict != Verdict::kDoesNotFit) memory.min_gpu_count = 1;
  } else {
    warnings.push_back({"missing-data", "The memory of " + m.name + " cannot be estimated: " + why + "."});
  }

  const auto f = speed_features(s, why);
  if (!f) {
    warnings.push_back({"missing-data", "The speed of " + m.name + " on " + gpu.name + " cannot be estimated: " + why + "."});
    return out;
  }
  const DomainCalibration& calibration = q.catalog->calibration.domain(speed_spec().name);
  const Predicted rate = predict_with_interval(calibration, speed_spec(), f->keys, [&](CoefficientView c) { return speed_log(*f, c); });
  const Parts parts = speed_parts(*f, calibration.resolve(speed_spec(), f->keys).value);
  out.images_per_s = Quantity::between(rate.value, rate.p10, rate.p90, "images/s");
  const double images = sc.vision.images * (s.training ? sc.vision.epochs : 1);
  out.hours = Quantity::between(images / rate.value / 3600, images / rate.p90 / 3600, images / rate.p10 / 3600, "h");
  const auto add = [&](const char* name, double seconds, std::string formula) {
    if (seconds > 0) out.terms.push_back({name, seconds, "s", q.explain ? std::move(formula) : std::string()});
  };
  add("arithmetic", parts.compute, number(s.batch) + " images x " + number(f->flops / 1e9) + " GFLOP, peak " + number(f->peak / 1e12) + " TFLOP/s in " + s.precision);
  add("activation_traffic", parts.bandwidth, number(s.batch) + " images x " + number(f->bytes / 1e6) + " MB of layer outputs at " + number(f->bytes_per_s / 1e9) + " GB/s");
  add("kernel_launches", parts.launches, "once a batch");
  add("gradient_exchange", parts.exchange, number(s.gpus) + " GPUs");
  const double most = std::max({parts.compute, parts.bandwidth, parts.launches, parts.exchange});
  out.bound_by = most == parts.compute ? Bound::kCompute : most == parts.bandwidth ? Bound::kBandwidth : most == parts.launches ? Bound::kOverhead : Bound::kInterconnect;
  if (memory.verdict == Verdict::kDoesNotFit) out.bound_by = Bound::kCapacity;
  constexpr int kGenerationLevel = 4, kGpuLevel = 5;
  out.distance = calibration.rows_seen(kGpuLevel, f->keys.at[kGpuLevel]) > 0 ? "same" : calibration.rows_seen(kGenerationLevel, f->keys.at[kGenerationLevel]) > 0 ? "near" : "far";
  if (out.distance[0] == 'f') warnings.push_back({"extrapolated", "No vision measurement of this GPU's generation is known; the estimate is extrapolated from others."});
  const double cores = rate.value * (side * side) / (224.0 * 224) / kDecodedImagesPerCoreSecond;
  if (cores > kCoresPerGpu * s.gpus)
    warnings.push_back({"data-feeding", "Decoding " + number(rate.value) + " images a second takes about " + number(std::floor(cores + 0.5)) + " CPU cores; with fewer, the GPUs wait. Decode on the GPU or store decoded images."});
  const double disk = rate.value * kStoredBytesPerImage;
  if (disk > kDiskBytesPerSecond)
    warnings.push_back({"disk-feeding", "Reading " + number(rate.value) + " images a second takes about " + number(disk / 1e9) + " GB/s, more than a usual disk gives. Keep the data set in memory or on several drives."});
  return out;
}

}  // namespace whichgpu
