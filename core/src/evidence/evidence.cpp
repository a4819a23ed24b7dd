#include "whichgpu/evidence.hpp"

#include <algorithm>
#include <cmath>

#include "base/order.hpp"
#include "base/text.hpp"
#include "whichgpu/math.hpp"

namespace whichgpu {
namespace {

struct Wanted { const char* workload; const char* metric; };

/// The rows that measure what the answer of a workload says, in the order in which the answer leads with them.
const std::vector<Wanted>& wanted(Workload workload) {
  static const std::vector<Wanted> chat = {{"chat", "decode_tok_s_per_user"}, {"chat", "prefill_tok_s"}};
  static const std::vector<Wanted> serving = {{"serving", "throughput_out_tok_s"}, {"serving", "throughput_total_tok_s"}, {"serving", "tpot_ms"}, {"serving", "ttft_ms"}};
  static const std::vector<Wanted> finetune = {{"llm-finetune", "tokens_s_per_gpu"}, {"llm-finetune", "tokens_s_total"}, {"llm-finetune", "samples_s"}, {"llm-finetune", "step_time_s"}, {"llm-finetune", "peak_vram_gb"}};
  static const std::vector<Wanted> pretrain = {{"llm-pretrain", "tokens_s_per_gpu"}, {"llm-pretrain", "tokens_s_total"}, {"llm-pretrain", "mfu_pct"}, {"llm-pretrain", "tflops_per_gpu"}};
  static const std::vector<Wanted> vision_training = {{"vision-train", "images_s"}};
  static const std::vector<Wanted> vision_inference = {{"vision-infer", "images_s"}};
  static const std::vector<Wanted> images = {{"diffusion-infer", "seconds_per_image"}, {"diffusion-infer", "it_s"}, {"diffusion-infer", "images_s"}};
  static const std::vector<Wanted> hpc = {{"hpc", "tflops_per_gpu"}, {"hpc", "gb_s"}};
  switch (workload) {
    case Workload::kChat: return chat;
    case Workload::kServing:
    case Workload::kRag: return serving;
    case Workload::kFinetune: return finetune;
    case Workload::kPretrain: return pretrain;
    case Workload::kVisionTraining: return vision_training;
    case Workload::kVisionInference: return vision_inference;
    case Workload::kImageGeneration: return images;
    case Workload::kHpc: return hpc;
  }
  return chat;
}

/// |log2(a / b)|: how many doublings two loads are apart; nothing known counts as a few.
double doublings(const Figure& measured, double asked) {
  constexpr double kUnknownLoad = 3;
  if (!measured || asked <= 0) return kUnknownLoad;
  return std::abs(log(*measured / asked)) / log(2.0);
}

struct Candidate {
  const MeasurementRow* row = nullptr;
  Conditions conditions;
  const char* distance = "far";
  double far = 0;  ///< smaller is nearer
};

// What a difference costs, in doublings of the load. Weights of an order, not of physics: a difference further up must not
// be outweighed by any usual difference in load.
constexpr double kOtherModel = 64, kOtherGpu = 32, kOtherGeneration = 32, kOtherEngine = 8, kOtherFormat = 8, kPerGpuDoubling = 4, kOtherMetric = 0.5;

bool is_training(Workload w) { return w == Workload::kFinetune || w == Workload::kPretrain; }

/// Training has a method and a precision of arithmetic ("bf16-mixed" asks for rows of bf16) where inference has a format.
bool same_recipe(const Question& q, const Conditions& c) {
  const Scenario::Training& t = q.scenario.training;
  const std::string arithmetic = t.precision.substr(0, t.precision.find('-'));
  return contains(c.precision, arithmetic) && (q.scenario.workload == Workload::kPretrain || c.method == t.method);
}

/// The load's distance in the figures that the workload has.
double load_distance(const Question& q, const Conditions& c) {
  const Scenario& s = q.scenario;
  switch (s.workload) {
    case Workload::kChat: return 0.5 * doublings(c.prompt_tokens, s.prompt_tokens) + 0.25 * doublings(c.output_tokens, s.output_tokens);
    case Workload::kServing:
    case Workload::kRag: return doublings(c.concurrency, s.concurrency) + 0.5 * doublings(c.prompt_tokens, s.prompt_tokens) + 0.5 * doublings(c.output_tokens, s.output_tokens);
    case Workload::kFinetune:
    case Workload::kPretrain: return doublings(c.sequence_tokens, s.training.sequence_tokens);
    case Workload::kVisionTraining:
    case Workload::kVisionInference: return s.vision.batch > 0 ? 0.5 * doublings(c.micro_batch, s.vision.batch) : 0;
    case Workload::kImageGeneration: return doublings(c.micro_batch, s.image.batch);
    case Workload::kHpc: return contains(c.method + " " + c.model_word, s.hpc.kernel) ? 0 : kOtherFormat;
  }
  return 0;
}

/// Nothing when the row has too little in common with the question.
std::optional<Candidate> candidate_of(const Question& q, const MeasurementRow& row, double metric_distance) {
  // The cheap look first: most rows share neither name.
  const bool hpc = q.scenario.workload == Workload::kHpc;
  const bool model_named = q.model && row.model == q.model->id;
  const bool gpu_named = row.gpu == q.gpu->id;
  if (!model_named && !gpu_named && !hpc) return std::nullopt;
  Candidate out;
  out.row = &row;
  out.conditions = read_conditions(*q.catalog, row);
  const Conditions& c = out.conditions;
  if (!c.gpu) return std::nullopt;
  const bool same_model = hpc || model_named;
  const bool same_family = c.model && q.model && !q.model->family.empty() && c.model->family == q.model->family;
  const bool same_gpu = c.gpu->id == q.gpu->id;
  const bool same_generation = same_gpu || (!q.gpu->generation.empty() && c.gpu->generation == q.gpu->generation);
  if (hpc ? !same_generation : !(same_model || (same_gpu && same_family))) return std::nullopt;
  const bool same_engine = !q.engine || c.engine == q.engine;
  const bool same_format = is_training(q.scenario.workload) ? same_recipe(q, c) : !q.quant || c.quant == q.quant;
  const bool same_count = c.gpu_count == q.scenario.gpu_count;
  out.far = metric_distance + load_distance(q, c) + kPerGpuDoubling * doublings(Figure(c.gpu_count), q.scenario.gpu_count);
  if (!same_model) out.far += kOtherModel;
  if (!same_gpu) out.far += kOtherGpu;
  if (!same_generation) out.far += kOtherGeneration;
  if (!same_engine) out.far += kOtherEngine;
  if (!same_format) out.far += kOtherFormat;
  if (same_model && same_gpu && same_engine && same_format && same_count) out.distance = "same";
  else if (same_model && same_generation) out.distance = "near";
  return out;
}

/// What the row was measured under, in a few words.
std::string conditions_of(const MeasurementRow& r) {
  std::string text;
  const auto add = [&](const std::string& value, const char* before, const char* after) {
    if (!value.empty() && value != "0" && value != "n/a") text += (text.empty() ? "" : ", ") + std::string(before) + value + after;
  };
  if (r.gpu_count != "1") add(r.gpu_count, "", " GPUs");
  if (r.nodes != "1") add(r.nodes, "", " nodes");
  add(r.method, "", "");
  if (r.concurrency != "1") add(r.concurrency, "concurrency ", "");
  add(r.prompt_tokens, "prompt ", "");
  add(r.output_tokens, "output ", "");
  add(r.context_tokens, "context ", "");
  add(r.sequence_or_resolution, "size ", "");
  add(r.micro_batch, "batch ", "");
  return text;
}

}  // namespace

std::vector<EvidenceRow> find_evidence(const Question& q, const std::vector<MeasurementRow>& rows, RowEstimator estimator) {
  std::vector<EvidenceRow> out;
  if (!q.gpu || (!q.model && q.scenario.workload != Workload::kHpc)) return out;
  const std::vector<Wanted>& metrics = wanted(q.scenario.workload);
  std::vector<Candidate> candidates;
  for (const MeasurementRow& row : rows) {
    if (row.quality == "suspect" || row.quality == "pool" || row.quality == "statement") continue;
    const auto metric = std::find_if(metrics.begin(), metrics.end(), [&](const Wanted& w) { return row.metric == w.metric && row.workload == w.workload; });
    if (metric == metrics.end()) continue;
    if (std::optional<Candidate> c = candidate_of(q, row, kOtherMetric * static_cast<double>(metric - metrics.begin()))) candidates.push_back(std::move(*c));
  }
  sort_rows(candidates, [](const Candidate& a, const Candidate& b) {
    if (a.far != b.far) return a.far < b.far;
    if (a.row->measured != b.row->measured) return a.row->measured > b.row->measured;  // of equally near rows the newest
    return a.row->id < b.row->id;
  });
  for (const Candidate& c : candidates) {
    if (out.size() == kMostEvidence) break;
    const Figure measured = measured_value(*c.row);
    if (!measured || *measured <= 0) continue;
    Figure estimate = to_number(c.row->estimate);
    if (!estimate && estimator) {
      const RowEstimate made = estimator(c.conditions);
      if (made.modelled) estimate = made.value;
    }
    if (!estimate) continue;
    const MeasurementRow& r = *c.row;
    EvidenceRow e;
    e.id = r.id;
    e.metric = r.metric;
    e.unit = r.unit;
    e.source = r.source;
    e.measured = r.measured;
    e.gpu = r.gpu;
    e.model = r.model.empty() ? r.model_name : r.model;
    e.software = r.software;
    e.precision = r.precision;
    e.conditions = conditions_of(r);
    e.distance = c.distance;
    e.value = *measured;
    e.ratio = *estimate / *measured;
    out.push_back(std::move(e));
  }
  return out;
}

}  // namespace whichgpu
