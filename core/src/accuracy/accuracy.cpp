#include "whichgpu/accuracy.hpp"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "whichgpu/math.hpp"

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

namespace {

constexpr int kBins = 44;
constexpr std::size_t kGroupsShown = 8, kWorstShown = 40;

std::string context_bucket(const MeasurementRow& r) {
  for (const std::string* text : {&r.context_tokens, &r.prompt_tokens, &r.sequence_or_resolution})
    if (const auto n = to_number(*text); n && *n > 0) return *n < 1024 ? "below 1K" : *n < 4096 ? "1K to 4K" : *n < 16384 ? "4K to 16K" : *n < 65536 ? "16K to 64K" : "64K and more";
  return "not a number";
}

std::string first_word(const std::string& text) { return text.substr(0, text.find(' ')); }

/// "llama-3.1-8b" -> "llama": the letters before the first digit or dash.
std::string family_of(const MeasurementRow& r) {
  const std::string name = lower(r.model.empty() ? r.model_name : r.model);
  std::size_t end = 0;
  while (end < name.size() && name[end] >= 'a' && name[end] <= 'z') ++end;
  return end == 0 ? "other" : name.substr(0, end);
}

double log10_of(double v) { return log(v) / log(10.0); }

}  // namespace

json details_json(const Accuracy& a) {
  std::map<std::string, std::vector<const JudgedRow*>> lines;
  std::vector<const JudgedRow*> numbers;
  for (const JudgedRow& j : a.rows) {
    if (!j.judged || !j.estimate.modelled || !j.estimate.word.empty() || contains(j.line, "(crowd)") || starts_with(j.line, "other") || !(j.estimate.value > 0)) continue;
    lines[j.line].push_back(&j);
    numbers.push_back(&j);
  }
  json out = {{"lines", json::array()}, {"groups", json::array()}, {"worst", json::array()}, {"bins", kBins}};
  for (const auto& [line, rows] : lines) {
    double low = 1e300, high = -1e300;
    for (const JudgedRow* j : rows)
      for (const double v : {log10_of(*j->measured), log10_of(j->estimate.value)}) {
        low = std::min(low, v);
        high = std::max(high, v);
      }
    low = std::floor(low * 2) / 2;
    high = std::max(std::ceil(high * 2) / 2, low + 0.5);
    std::map<std::pair<int, int>, int> density;
    const auto bin = [&](double v) { return std::clamp(static_cast<int>((log10_of(v) - low) / (high - low) * kBins), 0, kBins - 1); };
    for (const JudgedRow* j : rows) ++density[{bin(*j->measured), bin(j->estimate.value)}];
    json cells = json::array();
    for (const auto& [at, count] : density) cells.push_back({at.first, at.second, count});
    out["lines"].push_back({{"line", line}, {"log10_low", low}, {"log10_high", high}, {"density", std::move(cells)}});

    using KeyOf = std::string (*)(const MeasurementRow&);
    const std::pair<const char*, KeyOf> ways[] = {{"gpu", [](const MeasurementRow& r) { return r.gpu; }}, {"program", [](const MeasurementRow& r) { return first_word(r.software); }},
        {"precision", [](const MeasurementRow& r) { return lower(r.precision); }}, {"model family", family_of}, {"context", context_bucket}};
    for (const auto& [by, key] : ways) {
      std::map<std::string, std::vector<const JudgedRow*>> groups;
      for (const JudgedRow* j : rows) groups[key(*j->row)].push_back(j);
      std::vector<GroupAccuracy> list;
      for (const auto& [name, members] : groups) list.push_back(summarize(name.empty() ? "not stated" : name, members));
      std::stable_sort(list.begin(), list.end(), [](const GroupAccuracy& x, const GroupAccuracy& y) { return x.cells > y.cells; });
      for (std::size_t i = 0; i < list.size() && i < kGroupsShown; ++i)
        out["groups"].push_back({{"line", line}, {"by", by}, {"name", list[i].name}, {"cells", list[i].cells}, {"median_error", list[i].median_error}, {"p90_error", list[i].p90_error}, {"bias", list[i].bias}});
    }
  }
  // One row of a cell is enough: the same run stands in many rows.
  std::map<std::string, const JudgedRow*> by_cell;
  const auto miss = [](const JudgedRow* j) { return std::abs(log(j->estimate.value / *j->measured)); };
  for (const JudgedRow* j : numbers) {
    const JudgedRow*& kept = by_cell[cell_name(*j->row)];
    if (!kept || miss(j) > miss(kept)) kept = j;
  }
  std::vector<const JudgedRow*> worst;
  for (const auto& [cell, j] : by_cell) worst.push_back(j);
  std::stable_sort(worst.begin(), worst.end(), [&](const JudgedRow* x, const JudgedRow* y) { return miss(x) > miss(y); });
  for (std::size_t i = 0; i < worst.size() && i < kWorstShown; ++i) {
    const JudgedRow& j = *worst[i];
    const MeasurementRow& r = *j.row;
    out["worst"].push_back({{"id", r.id}, {"line", j.line}, {"metric", r.metric}, {"unit", r.unit}, {"measured", *j.measured}, {"estimate", j.estimate.value}, {"gpu", r.gpu}, {"gpu_count", r.gpu_count},
        {"model", r.model.empty() ? r.model_name : r.model}, {"software", r.software}, {"precision", r.precision}, {"concurrency", r.concurrency}, {"source", r.source}});
  }
  return out;
}

}  // namespace whichgpu
