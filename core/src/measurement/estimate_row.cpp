#include "base/text.hpp"
#include "hpc/rows.hpp"
#include "image_generation/rows.hpp"
#include "speed/chat.hpp"
#include "speed/serving.hpp"
#include "training/image_training.hpp"
#include "memory/inference.hpp"
#include "training/rows.hpp"
#include "vision/rows.hpp"
#include "whichgpu/measurement.hpp"

namespace whichgpu {

// Which room a row belongs to, by workload and metric.
RowEstimate estimate_row(const Conditions& row) {
  if (starts_with(row.workload, "llm-")) return training_row(row);
  if (row.workload == "diffusion-train") return image_training_row(row);
  if (row.workload == "serving") return estimate_serving_row(row);
  if (row.workload == "hpc") return hpc_row(row);
  if (row.workload == "diffusion-infer") return image_generation_row(row);
  if (starts_with(row.workload, "vision-") || row.workload == "speech-train") return vision_row(row);
  if (row.workload == "memory") return memory::estimate_row(row);
  if (row.workload == "chat") return estimate_chat_row(row);
  return RowEstimate::not_modelled("no room for workload " + row.workload);
}

}  // namespace whichgpu
