#include "hpc/rows.hpp"

#include "hpc/matmul.hpp"
#include "whichgpu/domain.hpp"

namespace whichgpu {

RowEstimate hpc_row(const Conditions& row) {
  std::string why;
  const auto f = hpc::matmul_row_features(row, why);
  if (!f) return RowEstimate::not_modelled(why);
  const Predicted p = predict_with_interval(row.catalog->calibration.domain(hpc::matmul_spec().name), hpc::matmul_spec(), f->keys, [&](CoefficientView c) { return hpc::matmul_log(*f, c) - log(1e12); });
  RowEstimate out;
  out.modelled = true;
  out.value = p.value;
  out.p10 = p.p10;
  out.p90 = p.p90;
  return out;
}

}  // namespace whichgpu
