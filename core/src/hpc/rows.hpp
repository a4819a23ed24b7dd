#pragma once
#include "whichgpu/measurement.hpp"

namespace whichgpu {

/// Rows of HPC kernels: measured matrix products.
RowEstimate hpc_row(const Conditions& row);

}  // namespace whichgpu
