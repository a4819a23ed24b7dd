#pragma once
#include "whichgpu/measurement.hpp"

namespace whichgpu {

/// Rows of vision training and inference: images per second, step time, hours to a set quality, peak memory.
RowEstimate vision_row(const Conditions& row);

}  // namespace whichgpu
