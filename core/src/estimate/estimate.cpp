#include "whichgpu/estimate.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace whichgpu {
namespace {

bool has(const std::vector<std::string>& words, std::string_view word) { return std::find(words.begin(), words.end(), word) != words.end(); }

bool is_training(Workload w) { return w == Workload::kFinetune || w == Workload::kPretrain; }

/// The programming platform of a card, as engines state what they run on: a vendor's accelerators that are no GPUs need
/// software of their own.
std::string platform_of(const Gpu& gpu) { return gpu.generation == "gaudi" ? "Gaudi" : gpu.vendor; }

/// Why engine, format and vendor do not go together; empty when they do or when nobody can tell.
std::string unsupported_reason(const Question& q) {
  if (!q.engine) return "";
  for (const auto& [gpu, count] : q.box)
    if (!q.engine->vendors.empty() && !gpu->vendor.empty() && !has(q.engine->vendors, platform_of(*gpu))) return q.engine->name + " does not run on " + platform_of(*gpu) + " hardware";
  if (q.quant && !q.engine->formats.empty() && !has(q.engine->formats, q.quant->family)) return q.engine->name + " does not run the format " + q.quant->name;
  return "";
}

}  // namespace

Estimate estimate(const Question& q) {
  Estimate e;
  const Scenario& s = q.scenario;
  const std::string unsupported = unsupported_reason(q);
  switch (s.workload) {
    case Workload::kChat:
    case Workload::kServing:
    case Workload::kRag:
      e.memory = estimate_memory(q, e.warnings);
      if (!unsupported.empty()) e.memory->verdict = Verdict::kUnsupported;
      else if (e.memory->verdict != Verdict::kDoesNotFit) e.speed = estimate_speed(q, *e.memory, e.warnings);
      if (q.model->max_context > 0 && q.kv_tokens() > q.model->max_context)
        e.warnings.push_back({"context-above-maximum", "The context of " + format_number(q.kv_tokens()) + " tokens is above the model's maximum of " + format_number(q.model->max_context) + "."});
      if (s.context_tokens > 0 && s.prompt_tokens + s.output_tokens > s.context_tokens)
        e.warnings.push_back({"prompt-above-context", "Prompt and output (" + format_number(s.prompt_tokens + s.output_tokens) + " tokens) do not go into the context of " + format_number(s.context_tokens) + "."});
      break;
    case Workload::kFinetune:
    case Workload::kPretrain:
      e.memory.emplace();
      e.training = estimate_training(q, *e.memory, e.warnings);
      break;
    case Workload::kVisionTraining:
    case Workload::kVisionInference:
      e.memory.emplace();
      e.vision = estimate_vision(q, *e.memory, e.warnings);
      break;
    case Workload::kImageGeneration:
      e.memory.emplace();
      e.image_generation = estimate_image_generation(q, *e.memory, e.warnings);
      break;
    case Workload::kHpc:
      e.hpc = estimate_hpc(q, e.warnings);
      break;
  }
  if (!unsupported.empty()) e.warnings.push_back({"unsupported", unsupported + "."});
  e.scenario = s;
  if (is_training(s.workload) && e.training) {
    // The plan that was chosen is part of the answer's scenario, so that asking the echo again gives the same answer.
    for (const auto& [name, value] : e.training->plan) {
      const auto number = to_number(value);
      if (name == "micro_batch" && number) e.scenario.training.micro_batch = *number;
      if (name == "checkpointing") e.scenario.training.checkpointing = value;
      if (name == "sharding") e.scenario.training.sharding = value;
      if (name == "tensor" && number) e.scenario.parallelism.tensor = static_cast<int>(*number);
      if (name == "pipeline" && number) e.scenario.parallelism.pipeline = static_cast<int>(*number);
      // Copies that the batch is too small for stand idle; the scenario then leaves their number open.
      const Scenario::Parallelism& p = e.scenario.parallelism;
      if (name == "data" && number && static_cast<long long>(*number) * p.tensor * p.pipeline == s.gpu_count) e.scenario.parallelism.data = static_cast<int>(*number);
      if (name == "expert" && number) e.scenario.parallelism.expert = static_cast<int>(*number);
    }
  }
  e.energy = estimate_energy(q, e);
  e.cost = estimate_cost(q, e, e.warnings);
  return e;
}

}  // namespace whichgpu
