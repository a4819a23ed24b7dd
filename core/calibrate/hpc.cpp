#include <utility>

#include "fit.hpp"
#include "hpc/matmul.hpp"
#include "whichgpu/math.hpp"

namespace whichgpu::calibrate {

Domain hpc_matmul_domain() {
  Domain d;
  d.spec = &hpc::matmul_spec();
  d.source_sd = 0.05;
  d.residual_scale = 0.08;
  d.observe = [](const Conditions& row, const MeasurementRow&, Observation& out) {
    std::string why;
    if (row.workload != "hpc") return false;
    auto f = hpc::matmul_row_features(row, why, true);
    if (!f) return false;
    out.keys = f->keys;
    for (std::size_t i = 0; i < hpc::matmul_spec().levels.size(); ++i) out.key_names[i] = f->key_names[i];
    out.predict = [features = std::move(*f)](const double* c) { return hpc::matmul_log(features, c) - log(1e12); };
    return true;
  };
  return d;
}

}  // namespace whichgpu::calibrate
