#include <utility>

#include "fit.hpp"
#include "vision/vision.hpp"
#include "whichgpu/math.hpp"
#include "whichgpu/units.hpp"

namespace whichgpu::calibrate {
namespace {

bool vision_row(const Conditions& row) { return row.workload == "vision-train" || row.workload == "vision-infer" || row.workload == "speech-train"; }

}  // namespace

Domain vision_speed_domain() {
  Domain d;
  d.spec = &vision::speed_spec();
  d.source_sd = 0.1;
  d.residual_scale = 0.12;
  d.terms = {{"bandwidth", kInstantly}, {"launch", kNothing}, {"scale", kNothing}};
  d.observe = [](const Conditions& row, const MeasurementRow&, Observation& out) {
    std::string why;
    if (!vision_row(row)) return false;
    auto f = vision::speed_row_features(row, why, true);
    if (!f) return false;
    out.keys = f->keys;
    for (std::size_t i = 0; i < vision::speed_spec().levels.size(); ++i) out.key_names[i] = f->key_names[i];
    out.predict = [features = std::move(*f)](const double* c) { return vision::speed_log(features, c); };
    return true;
  };
  return d;
}

Domain vision_memory_domain() {
  Domain d;
  d.spec = &vision::memory_spec();
  d.source_sd = 0.05;
  d.observe = [](const Conditions& row, const MeasurementRow&, Observation& out) {
    std::string why;
    if (!vision_row(row) || row.metric != "peak_vram_gb") return false;
    const auto setup = vision::setup_of(row, why);
    auto f = setup ? vision::memory_features(*setup, why, true) : std::nullopt;
    if (!f) return false;
    out.keys = f->keys;
    for (std::size_t i = 0; i < vision::memory_spec().levels.size(); ++i) out.key_names[i] = f->key_names[i];
    const double unit = row.unit == "gib" ? 1.0 : kBytesPerGib / kBytesPerGb;
    out.predict = [features = std::move(*f), unit](const double* c) { return log(vision::memory_parts(features, c).total * unit); };
    return true;
  };
  return d;
}

}  // namespace whichgpu::calibrate
