#include "vision/rows.hpp"

#include "vision/vision.hpp"
#include "whichgpu/domain.hpp"
#include "whichgpu/units.hpp"

namespace whichgpu {

RowEstimate vision_row(const Conditions& row) {
  std::string why;
  Predicted p;
  if (row.metric == "peak_vram_gb") {
    const auto setup = vision::setup_of(row, why);
    const auto f = setup ? vision::memory_features(*setup, why) : std::nullopt;
    if (!f) return RowEstimate::not_modelled(why);
    const double unit = row.unit == "gib" ? 1.0 : kBytesPerGib / kBytesPerGb;
    p = predict_with_interval(row.catalog->calibration.domain(vision::memory_spec().name), vision::memory_spec(), f->keys,
                              [&](CoefficientView c) { return log(vision::memory_parts(*f, c).total * unit); });
  } else {
    const auto f = vision::speed_row_features(row, why);
    if (!f) return RowEstimate::not_modelled(why);
    const DomainCalibration& calibration = row.catalog->calibration.domain(vision::speed_spec().name);
    if (f->metric == vision::Metric::kHoursToTarget && !vision::benchmark_known(calibration, *f)) return RowEstimate::not_modelled("no run to this benchmark's quality is known");
    p = predict_with_interval(calibration, vision::speed_spec(), f->keys, [&](CoefficientView c) { return vision::speed_log(*f, c); });
  }
  RowEstimate out;
  out.modelled = true;
  out.value = p.value;
  out.p10 = p.p10;
  out.p90 = p.p90;
  return out;
}

}  // namespace whichgpu
