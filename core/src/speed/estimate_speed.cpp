#include "speed/chat.hpp"
#include "speed/serving.hpp"

namespace whichgpu {

SpeedEstimate estimate_speed(const Question& question, const MemoryEstimate& memory, std::vector<Warning>& warnings) {
  return question.scenario.workload == Workload::kChat ? estimate_chat_speed(question, memory, warnings) : estimate_serving_speed(question, memory, warnings);
}

}  // namespace whichgpu
