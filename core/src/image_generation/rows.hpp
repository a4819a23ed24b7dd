#pragma once
#include "whichgpu/measurement.hpp"

namespace whichgpu {

/// Rows of image and video generation: steps per second, seconds per picture, peak memory, `fits`.
RowEstimate image_generation_row(const Conditions& row);

}  // namespace whichgpu
