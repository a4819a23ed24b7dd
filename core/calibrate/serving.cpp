#include "fit.hpp"
#include "speed/serving.hpp"

namespace whichgpu::calibrate {

Domain serving_domain() {
  Domain d;
  d.spec = &serving_spec();
  d.residual_scale = 0.12;
  // Sources that cover an engine alone would hide its effects in their own: leaving sources out is better without.
  d.source_sd = 0.01;
  d.observe = [](const Conditions& c, const MeasurementRow&, Observation& o) {
    if (c.workload != "serving") return false;
    const std::optional<ServingMetric> metric = serving_metric(c.metric);
    if (!metric) return false;
    std::string why;
    std::optional<ServingFeatures> f = serving_features(c, why, &o.key_names);
    if (!f) return false;
    o.key_names[kSvMetric] = c.metric;
    f->keys.at[kSvMetric] = key_of(c.metric);
    o.keys = f->keys;
    o.noise = *metric == ServingMetric::kTtft ? 0.9 : 1.0;  // waiting times scatter more, but lighter weights left their terms to the priors: 33 % median error left out instead of 25 %
    o.predict = [f = *f, m = *metric](const double* coefficient) { return serving_log(f, m, coefficient); };
    return true;
  };
  return d;
}

}  // namespace whichgpu::calibrate
