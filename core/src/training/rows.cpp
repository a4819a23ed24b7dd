#include "training/rows.hpp"

#include "training/memory.hpp"
#include "training/speed.hpp"
#include "whichgpu/catalog.hpp"
#include "whichgpu/domain.hpp"
#include "whichgpu/units.hpp"

namespace whichgpu {
namespace {

using namespace training;

RowEstimate speed_row(const Conditions& row) {
  std::string why;
  const auto f = speed_row_features(row, why);
  if (!f) return RowEstimate::not_modelled(why);
  const DomainCalibration& calibration = row.catalog->calibration.domain(speed_spec().name);
  if (f->metric == RateMetric::kHoursToTarget && !benchmark_known(calibration, *f)) return RowEstimate::not_modelled("no run to this benchmark's quality is known");
  const Predicted p = predict_with_interval(calibration, speed_spec(), f->keys, [&](CoefficientView c) { return speed_log(*f, c); });
  RowEstimate out;
  out.modelled = true;
  out.value = p.value;
  out.p10 = p.p10;
  out.p90 = p.p90;
  return out;
}

RowEstimate memory_row(const Conditions& row) {
  std::string why;
  const auto f = memory_row_features(row, why);
  if (!f) return RowEstimate::not_modelled(why);
  const DomainCalibration& calibration = row.catalog->calibration.domain(memory_spec().name);
  RowEstimate out;
  if (row.metric == "peak_vram_gb") {
    const Predicted p = predict_with_interval(calibration, memory_spec(), f->keys, [&](CoefficientView c) { return memory_shown_log(*f, c); });
    out.value = p.value;
    out.p10 = p.p10;
    out.p90 = p.p90;
  } else {
    const Predicted p = predict_with_interval(calibration, memory_spec(), f->keys, [&](CoefficientView c) { return memory_need_log(*f, c); });
    out.value = p.value;
    out.p10 = p.p10;
    out.p90 = p.p90;
    out.word = p.value <= kReachableShare * f->capacity_gib ? "yes" : "no";
  }
  out.modelled = true;
  return out;
}

/// The longest sequence whose need is within `capacity` times e^margin: doubling, then halving the interval.
double longest_sequence(Setup setup, const double* coefficient, double capacity, double margin) {
  const auto fits = [&](double tokens) {
    setup.sequence = tokens;
    return memory_need_log(memory_features(setup), coefficient) + margin <= log(capacity);
  };
  if (!fits(1)) return 0;
  double low = 1, high = 2;
  while (high < 1e8 && fits(high)) { low = high; high *= 2; }
  while (high - low > 1) {
    const double middle = static_cast<double>(static_cast<long long>((low + high) / 2));
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

RowEstimate longest_row(const Conditions& row) {
  std::string why;
  const auto f = memory_row_features(row, why);
  if (!f) return RowEstimate::not_modelled(why);
  if (f->capacity_gib <= 0) return RowEstimate::not_modelled("the GPU's memory is not known");
  const auto setup = setup_of(row, why);
  const DomainCalibration& calibration = row.catalog->calibration.domain(memory_spec().name);
  const Coefficients c = calibration.resolve(memory_spec(), f->keys);
  const Predicted p = predict_with_interval(calibration, memory_spec(), f->keys, [&](CoefficientView v) { return memory_need_log(*f, v); });
  RowEstimate out;
  out.modelled = true;
  out.value = longest_sequence(*setup, c.value, kReachableShare * f->capacity_gib, 0);
  out.p10 = longest_sequence(*setup, c.value, kReachableShare * f->capacity_gib, log(p.p90 / p.value));
  out.p90 = longest_sequence(*setup, c.value, kReachableShare * f->capacity_gib, log(p.p10 / p.value));
  return out;
}

}  // namespace

RowEstimate training_row(const Conditions& row) {
  if (row.metric == "peak_vram_gb" || row.metric == "fits") return memory_row(row);
  if (row.metric == "max_seq_len") return longest_row(row);
  if (row.metric == "gpu_hours_total") return RowEstimate::not_modelled("the row does not say how many tokens the run trained on");
  return speed_row(row);
}

}  // namespace whichgpu
