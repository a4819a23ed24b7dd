#include <utility>

#include "fit.hpp"
#include "image_generation/generation.hpp"
#include "whichgpu/math.hpp"
#include "whichgpu/units.hpp"

namespace whichgpu::calibrate {

Domain image_speed_domain() {
  Domain d;
  d.spec = &generation::speed_spec();
  d.source_sd = 0.1;
  d.terms = {{"launch", kNothing}, {"rest", kNothing}, {"steps", kFlat}, {"scale", kNothing}, {"offload", kNothing}, {"typical", kFlat}};
  d.observe = [](const Conditions& row, const MeasurementRow&, Observation& out) {
    std::string why;
    if (row.workload != "diffusion-infer") return false;
    auto f = generation::speed_row_features(row, why, true);
    if (!f) return false;
    out.keys = f->keys;
    for (std::size_t i = 0; i < generation::speed_spec().levels.size(); ++i) out.key_names[i] = f->key_names[i];
    out.predict = [features = std::move(*f)](const double* c) { return generation::speed_log(features, c); };
    return true;
  };
  return d;
}

Domain image_memory_domain() {
  Domain d;
  d.spec = &generation::memory_spec();
  d.source_sd = 0.05;
  d.terms = {{"encoders", kNothing}, {"activations", kNothing}, {"runtime", kNothing}};
  d.observe = [](const Conditions& row, const MeasurementRow&, Observation& out) {
    std::string why;
    if (row.workload != "diffusion-infer" || row.metric != "peak_vram_gb") return false;
    const auto setup = generation::setup_of(row, why);
    if (!setup) return false;
    generation::MemoryFeatures f = generation::memory_features(*setup, true);
    out.keys = f.keys;
    for (std::size_t i = 0; i < generation::memory_spec().levels.size(); ++i) out.key_names[i] = f.key_names[i];
    const double unit = row.unit == "gib" ? 1.0 : kBytesPerGib / kBytesPerGb;
    out.predict = [features = std::move(f), unit](const double* c) { return log(generation::memory_parts(features, c).total * unit); };
    return true;
  };
  return d;
}

}  // namespace whichgpu::calibrate
