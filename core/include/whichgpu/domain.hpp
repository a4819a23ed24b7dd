#pragma once
#include "whichgpu/calibration.hpp"
#include "whichgpu/math.hpp"

namespace whichgpu {

struct Predicted { double value = 0, p10 = 0, p90 = 0, log_value = 0; };

/// Value and 80 % interval of a domain's prediction. `log_predict(CoefficientView)` is the domain's pure
/// function. The variance of the coefficients is carried through by finite differences.
/// `c`: what calibration.resolve(spec, keys) gives.
template <class LogPredict>
Predicted predict_with_interval(const DomainCalibration& calibration, const DomainSpec& spec, const Keys& keys, Coefficients c, LogPredict&& log_predict) {
  Remembered remembered;
  const CoefficientView view(c.value, &remembered);
  const double base = log_predict(view);
  double variance = 0;
  constexpr double kStep = 1e-3;
  for (std::size_t i = 0; i < spec.coefficients.size(); ++i) {
    if (c.variance[i] <= 0 || !remembered.used(static_cast<int>(i))) continue;
    const double kept = c.value[i];
    c.value[i] = kept + kStep;
    remembered.restart(Remembered::Kind::kRead);
    const double share = (log_predict(view) - base) / kStep;
    c.value[i] = kept;
    variance += share * share * c.variance[i];
  }
  const LogInterval interval = interval_of(base, calibration.residual_sd(spec, keys), variance, calibration.interval_scale);
  return {exp(base), interval.p10, interval.p90, base};
}

template <class LogPredict>
Predicted predict_with_interval(const DomainCalibration& calibration, const DomainSpec& spec, const Keys& keys, LogPredict&& log_predict) {
  return predict_with_interval(calibration, spec, keys, calibration.resolve(spec, keys), log_predict);
}

}  // namespace whichgpu
