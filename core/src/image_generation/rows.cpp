#include "image_generation/rows.hpp"

#include "image_generation/generation.hpp"
#include "whichgpu/domain.hpp"
#include "whichgpu/units.hpp"

namespace whichgpu {

RowEstimate image_generation_row(const Conditions& row) {
  std::string why;
  Predicted p;
  RowEstimate out;
  if (row.metric == "peak_vram_gb" || row.metric == "fits") {
    const auto setup = generation::setup_of(row, why);
    if (!setup) return RowEstimate::not_modelled(why);
    const generation::MemoryFeatures f = generation::memory_features(*setup);
    const double unit = row.metric == "fits" || row.unit == "gib" ? 1.0 : kBytesPerGib / kBytesPerGb;
    p = predict_with_interval(row.catalog->calibration.domain(generation::memory_spec().name), generation::memory_spec(), f.keys,
                              [&](CoefficientView c) { return log(generation::memory_parts(f, c).total * unit); });
    if (row.metric == "fits") {
      if (f.capacity_gib <= 0) return RowEstimate::not_modelled("the GPU's memory is not known");
      out.word = p.value <= f.capacity_gib ? "yes" : "no";
    }
  } else {
    const auto f = generation::speed_row_features(row, why);
    if (!f) return RowEstimate::not_modelled(why);
    p = predict_with_interval(row.catalog->calibration.domain(generation::speed_spec().name), generation::speed_spec(), f->keys, [&](CoefficientView c) { return generation::speed_log(*f, c); });
  }
  out.modelled = true;
  out.value = p.value;
  out.p10 = p.p10;
  out.p90 = p.p90;
  return out;
}

}  // namespace whichgpu
