#include "compare/workloads.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace whichgpu::comparing {

// Well-known models, so that the figures can be held against what others published. Sizes are those of the published
// comparisons: 1,500 tokens in and 100 out for RAG, ImageNet for CNNs, a LoRA on ten million tokens.
const std::vector<WorkloadSpec>& workloads() {
  static const std::vector<WorkloadSpec> list = {
      {"chat-small", "llama-3.1-8b", 1, [](Scenario& s) { s.workload = Workload::kChat; }, "decode_tokens_per_s", false},
      {"chat-large", "llama-3.1-70b", 1, [](Scenario& s) { s.workload = Workload::kChat; }, "decode_tokens_per_s", false},
      {"serving", "llama-3.1-8b", 1, [](Scenario& s) { s.workload = Workload::kServing; s.concurrency = 32; }, "throughput_tokens_per_s", false},
      {"rag", "llama-3.1-8b", 1, [](Scenario& s) { s.workload = Workload::kRag; s.concurrency = 32; s.rag.requests_per_s = 1e4; s.prompt_tokens = 1500; s.output_tokens = 100; }, "requests_per_s", false},
      {"finetune", "llama-3.1-8b", 1, [](Scenario& s) { s.workload = Workload::kFinetune; }, "hours", true},
      {"pretrain", "llama-3.2-1b", 1, [](Scenario& s) { s.workload = Workload::kPretrain; s.training.method = "pretrain"; s.training.tokens = 1e9; s.training.global_batch = 256; }, "hours", true},
      {"cnn-training", "resnet-50", 1, [](Scenario& s) { s.workload = Workload::kVisionTraining; }, "images_per_s", false},
      {"image-generation", "sdxl-1.0", 1, [](Scenario& s) { s.workload = Workload::kImageGeneration; }, "seconds_per_image", true},
      {"hpc", "", 1, [](Scenario& s) { s.workload = Workload::kHpc; }, "tflops", false},
      {"multi-gpu", "llama-3.1-70b", 4, [](Scenario& s) { s.workload = Workload::kServing; s.concurrency = 32; }, "throughput_tokens_per_s", false},
      {"ownership", "llama-3.1-8b", 1, [](Scenario& s) { s.workload = Workload::kChat; s.ownership.own = true; s.price_usd_per_hour.reset(); }, "usd_per_hour", true},
  };
  return list;
}

const WorkloadSpec& workload(std::string_view name) {
  const auto& list = workloads();
  return *std::find_if(list.begin(), list.end(), [&](const WorkloadSpec& w) { return name == w.name; });
}

Scenario scenario_of(const WorkloadSpec& spec, const CompareQuestion& question, const CompareSide& side) {
  Scenario s;
  s.as_of = question.base.as_of;
  s.utilisation = question.base.utilisation;
  s.ownership = question.base.ownership;
  s.offer = side.offer;
  s.custom_gpu = question.base.custom_gpu;
  s.model = spec.model;
  s.gpu = side.gpu;
  s.gpu_count = side.gpu_count * spec.times_gpus;
  spec.set(s);
  return s;
}

namespace {

std::optional<Quantity> metric_of(const Estimate& e, std::string_view metric) {
  if (metric == "usd_per_hour") return e.cost ? e.cost->usd_per_hour : std::nullopt;
  if (e.memory && e.memory->verdict != Verdict::kFits && e.memory->verdict != Verdict::kTight) return std::nullopt;
  if (e.speed && metric == "decode_tokens_per_s") return e.speed->decode_tokens_per_s;
  if (e.speed && metric == "throughput_tokens_per_s") return e.speed->throughput_tokens_per_s;
  if (e.speed && metric == "requests_per_s") return e.speed->requests_per_s;
  if (e.training && metric == "hours") return e.training->hours;
  if (e.vision && metric == "images_per_s") return e.vision->images_per_s;
  if (e.image_generation && metric == "seconds_per_image") return e.image_generation->seconds_per_image;
  if (e.hpc && metric == "tflops") return e.hpc->tflops;
  return std::nullopt;
}

/// Dollars for the same work on every side. Where the answer has no price of the work, the hour's price over the speed.
std::optional<Quantity> cost_of(const Estimate& e, const std::optional<Quantity>& value, bool lower_is_better) {
  if (!value || !e.cost) return std::nullopt;
  if (e.cost->usd_total) return e.cost->usd_total;
  if (e.cost->usd_per_1000_images) return e.cost->usd_per_1000_images;
  if (e.cost->usd_per_million_output_tokens) return e.cost->usd_per_million_output_tokens;
  if (!e.cost->usd_per_hour || lower_is_better || value->value <= 0) return std::nullopt;
  const double hour = e.cost->usd_per_hour->value;
  if (value->exact) return Quantity::exactly(hour / value->value, "USD/TFLOPS-hour");
  return Quantity::between(hour / value->value, hour / value->p90, hour / value->p10, "USD/TFLOPS-hour");
}

}  // namespace

Outcome outcome_of(const WorkloadSpec& spec, const Catalog& catalog, const Scenario& scenario) {
  Outcome out;
  Result<Question> q = resolve(catalog, scenario);
  if (!q) {
    out.note = q.error().message;
    return out;
  }
  q.value().explain = false;
  const Estimate e = estimate(q.value());
  out.value = metric_of(e, spec.metric);
  out.verdict = e.memory ? e.memory->verdict : out.value ? Verdict::kFits : Verdict::kUnknown;
  if (std::string_view(spec.metric) != "usd_per_hour") out.cost = cost_of(e, out.value, spec.lower_is_better);
  if (!out.value && e.memory && e.memory->verdict == Verdict::kDoesNotFit) {
    out.note = "needs " + format_number(e.memory->per_gpu_gib.value, 3) + " GiB, has " + format_number(e.memory->capacity_gib, 3);
  } else if (!out.value && !e.warnings.empty()) {
    out.note = e.warnings.front().message;
  }
  return out;
}

Contest contest(const std::vector<Outcome>& outcomes, bool lower_is_better, bool by_cost) {
  Contest out;
  const auto figure = [&](int side) -> const std::optional<Quantity>& { return by_cost ? outcomes[side].cost : outcomes[side].value; };
  const bool low = lower_is_better || by_cost;
  const auto better = [&](const Quantity& a, const Quantity& b) { return low ? a.value < b.value : a.value > b.value; };
  int next = -1;
  for (int i = 0; i < static_cast<int>(outcomes.size()); ++i) {
    if (!figure(i) || !(figure(i)->value > 0)) continue;
    if (out.winner < 0 || better(*figure(i), *figure(out.winner))) {
      next = out.winner;
      out.winner = i;
    } else if (next < 0 || better(*figure(i), *figure(next))) {
      next = i;
    }
  }
  if (out.winner < 0 || next < 0) return out;
  const Quantity& a = *figure(out.winner);
  const Quantity& b = *figure(next);
  out.margin = low ? b.value / a.value : a.value / b.value;
  out.clear = low ? a.p90 < b.p10 : a.p10 > b.p90;
  return out;
}

}  // namespace whichgpu::comparing
