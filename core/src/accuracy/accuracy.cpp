#include "whichgpu/accuracy.hpp"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace whichgpu {
namespace {

using nlohmann::json;

double quantile(std::vector<double> v, double q) {
  if (v.empty()) return 0;
  std::sort(v.begin(), v.end());
  const double at = q * static_cast<double>(v.size() - 1);
  const std::size_t low = static_cast<std::size_t>(at);
  return low + 1 < v.size() ? v[low] + (at - static_cast<double>(low)) * (v[low + 1] - v[low]) : v[low];
}

bool one_of(std::string_view word, std::initializer_list<std::string_view> words) { return std::find(words.begin(), words.end(), word) != words.end(); }

}  // namespace

std::string goal_line(const Conditions& c) {
  const std::string& m = c.metric;
  const bool llm_training = c.workload == "llm-pretrain" || c.workload == "llm-finetune";
  if (m == "fits") return "fits, yes or no";
  if (c.workload == "chat" && m == "decode_tok_s_per_user") return c.model && (c.model->is_moe() || c.model->is_hybrid()) ? "decode, one stream, MoE and hybrid" : "decode, one stream, dense";
  if (c.workload == "chat" && m == "prefill_tok_s") return "prefill, one stream";
  if (c.workload == "serving" && m == "tpot_ms") return "serving TPOT";
  if (c.workload == "serving" && one_of(m, {"throughput_out_tok_s", "throughput_total_tok_s", "decode_tok_s_total"})) return "serving throughput";
  if (c.workload == "serving" && m == "ttft_ms") return "TTFT under load";
  if (llm_training && one_of(m, {"tokens_s_total", "tokens_s_per_gpu", "mfu_pct", "tflops_per_gpu"})) return "LLM training throughput, MFU, TFLOPS";
  if (one_of(c.workload, {"vision-train", "speech-train"}) && one_of(m, {"images_s", "samples_s", "tokens_s_total"})) return "vision and speech training";
  if (c.workload == "vision-infer" && m == "images_s") return "vision inference";
  if (c.workload == "diffusion-infer" && one_of(m, {"it_s", "seconds_per_image", "images_s"})) return "image generation";
  if (c.workload == "memory" && one_of(m, {"peak_vram", "weights", "kv_cache", "file_size"})) return "inference memory";
  if (m == "peak_vram_gb") return "training memory";
  return "other: " + c.workload + " " + m;
}

std::string cell_name(const MeasurementRow& r) {
  bool number = !r.concurrency.empty();
  for (const char ch : r.concurrency) number = number && ch >= '0' && ch <= '9';
  const std::string load = number ? std::to_string(r.concurrency.size()) + " digits" : r.concurrency;
  return r.gpu_name + "|" + r.gpu_count + "|" + r.model_name + "|" + r.software + "|" + r.precision + "|" + r.metric + "|" + r.method + "|" + r.sequence_or_resolution + "|" + load;
}

GroupAccuracy summarize(const std::string& name, const std::vector<const JudgedRow*>& rows) {
  GroupAccuracy g;
  g.name = name;
  std::map<std::string, std::vector<double>> cells;
  int held = 0, right = 0;
  for (const JudgedRow* r : rows) {
    ++g.rows;
    if (r->estimate.modelled) ++g.modelled;
    if (!r->judged || !r->estimate.modelled) continue;
    ++g.judged;
    if (!r->estimate.word.empty()) {
      g.yes_no = true;
      right += lower(trim(r->row->value)) == r->estimate.word;
      continue;
    }
    cells[cell_name(*r->row)].push_back(r->estimate.value / *r->measured - 1);
    held += *r->measured >= r->estimate.p10 && *r->measured <= r->estimate.p90;
  }
  std::vector<double> errors, signed_errors;
  for (auto& [cell, list] : cells) {
    std::vector<double> absolute;
    for (const double e : list) absolute.push_back(std::abs(e));
    errors.push_back(quantile(absolute, 0.5));
    signed_errors.push_back(quantile(list, 0.5));
  }
  g.cells = static_cast<int>(cells.size());
  g.median_error = quantile(errors, 0.5);
  g.p90_error = quantile(errors, 0.9);
  g.bias = quantile(signed_errors, 0.5);
  if (g.judged > 0) {
    g.coverage = static_cast<double>(held) / g.judged;
    g.right = static_cast<double>(right) / g.judged;
  }
  return g;
}

Accuracy judge(const Catalog& catalog, const std::vector<MeasurementRow>& rows) {
  Accuracy out;
  out.rows.reserve(rows.size());
  std::map<std::string, int> reasons;
  for (const MeasurementRow& row : rows) {
    const Conditions c = read_conditions(catalog, row);
    JudgedRow j;
    j.row = &row;
    j.line = goal_line(c) + (row.quality == "crowd" ? " (crowd)" : "");
    j.estimate = estimate_row(c);
    j.measured = measured_value(row);
    const bool yes_no = c.metric == "fits";
    j.judged = !one_of(row.quality, {"suspect", "pool", "statement"}) && (yes_no ? one_of(lower(trim(row.value)), {"yes", "no"}) : j.measured && *j.measured > 0);
    if (c.gpu && c.model) {
      ++out.resolved;
      if (!j.estimate.modelled) ++out.resolved_not_modelled;
    }
    if (!j.estimate.modelled) ++reasons[j.estimate.reason];
    out.rows.push_back(std::move(j));
  }
  std::map<std::string, std::vector<const JudgedRow*>> lines;
  for (const JudgedRow& j : out.rows) lines[j.line].push_back(&j);
  for (const auto& [line, members] : lines) out.lines.push_back(summarize(line, members));
  out.reasons.assign(reasons.begin(), reasons.end());
  std::stable_sort(out.reasons.begin(), out.reasons.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}

json to_json(const JudgedRow& j) {
  json o = {{"id", j.row->id}, {"metric", j.row->metric}};
  if (!j.estimate.modelled) {
    o["not_modelled"] = j.estimate.reason;
    return o;
  }
  if (!j.estimate.word.empty()) {
    o["measured"] = lower(trim(j.row->value));
    o["estimate"] = {{"value", j.estimate.word}};
  } else {
    o["measured"] = j.measured ? json(*j.measured) : json();
    o["estimate"] = {{"value", j.estimate.value}, {"p10", j.estimate.p10}, {"p90", j.estimate.p90}};
  }
  return o;
}

json to_json(const Accuracy& a) {
  json lines = json::array();
  for (const GroupAccuracy& g : a.lines) {
    json o = {{"line", g.name}, {"rows", g.rows}, {"modelled", g.modelled}, {"judged", g.judged}};
    if (g.yes_no) {
      o["right"] = g.right;
    } else {
      o["cells"] = g.cells;
      o["median_error"] = g.median_error;
      o["p90_error"] = g.p90_error;
      o["bias"] = g.bias;
      o["coverage"] = g.coverage;
    }
    lines.push_back(std::move(o));
  }
  json reasons = json::array();
  for (const auto& [reason, count] : a.reasons) reasons.push_back({{"reason", reason}, {"rows", count}});
  return {{"lines", std::move(lines)}, {"not_modelled", std::move(reasons)}, {"resolved", a.resolved}, {"resolved_not_modelled", a.resolved_not_modelled}, {"rows", a.rows.size()}};
}

}  // namespace whichgpu
