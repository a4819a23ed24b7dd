#pragma once
#include "whichgpu/measurement.hpp"

namespace whichgpu {

/// Rows of language-model training and fine-tuning: speed, memory, `fits`, longest sequence.
RowEstimate training_row(const Conditions& row);

}  // namespace whichgpu
