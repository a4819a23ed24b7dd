#include "whichgpu/compare.hpp"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "base/json_fields.hpp"
#include "base/json_text.hpp"
#include "base/text.hpp"
#include "compare/flips.hpp"
#include "compare/workloads.hpp"
#include "whichgpu/api.hpp"

namespace whichgpu {
namespace {

using nlohmann::json;

/// A win by less than this is a tie to people.
constexpr double kWorthNaming = 1.05;

struct SpecName { const char* name; Figure Gpu::*member; };
constexpr std::array<SpecName, 17> kSpecs = {{{"memory_gb", &Gpu::memory_gb}, {"bandwidth_gb_per_s", &Gpu::bandwidth_gb_per_s}, {"fp64_tflops", &Gpu::fp64_tflops},
    {"fp64_tensor_tflops", &Gpu::fp64_tensor_tflops}, {"fp32_tflops", &Gpu::fp32_tflops}, {"fp16_vector_tflops", &Gpu::fp16_vector_tflops}, {"tf32_tensor_tflops", &Gpu::tf32_tensor_tflops},
    {"fp16_tensor_tflops", &Gpu::fp16_tensor_tflops}, {"bf16_tensor_tflops", &Gpu::bf16_tensor_tflops}, {"fp8_tensor_tflops", &Gpu::fp8_tensor_tflops}, {"int8_tensor_tops", &Gpu::int8_tensor_tops},
    {"fp4_tensor_tflops", &Gpu::fp4_tensor_tflops}, {"sm_count", &Gpu::sm_count}, {"link_gb_per_s_bidirectional", &Gpu::link_gb_per_s_bidirectional}, {"pcie_gen", &Gpu::pcie_gen},
    {"tdp_w", &Gpu::tdp_w}, {"launch_price_usd", &Gpu::launch_price_usd}}};

std::vector<Spec> specs_of(const std::vector<const Gpu*>& gpus) {
  std::vector<Spec> out;
  for (const SpecName& s : kSpecs) {
    Spec spec{s.name, {}, {}};
    for (const Gpu* gpu : gpus) {
      const Figure value = gpu->*s.member;
      const Figure first = gpus.front()->*s.member;
      spec.values.push_back(value);
      spec.ratios.push_back(value && first && *first > 0 ? Figure(*value / *first) : std::nullopt);
    }
    if (std::any_of(spec.values.begin(), spec.values.end(), [](const Figure& f) { return f.has_value(); })) out.push_back(std::move(spec));
  }
  return out;
}

std::string times(double margin) { return format_number(margin, 3) + " times"; }

std::string side_name(const Comparison& c, int side) { return (c.sides[side].gpu_count > 1 ? std::to_string(c.sides[side].gpu_count) + " x " : std::string()) + c.gpus[side]->name; }

void add_wins(Comparison& c, const WorkloadComparison& w) {
  const bool several_run = w.best.margin.has_value();
  const std::string task = w.name + (w.model.empty() ? "" : " (" + w.model + ")");
  if (w.best.winner >= 0) {
    auto& reasons = c.choose[w.best.winner];
    const bool others_fail = std::all_of(w.outcomes.begin(), w.outcomes.end(), [&](const Outcome& o) { return &o == &w.outcomes[w.best.winner] || o.verdict == Verdict::kDoesNotFit || o.verdict == Verdict::kUnsupported; });
    if (!several_run && others_fail) reasons.push_back({"only", w.name, "", "", std::nullopt, std::nullopt, std::nullopt, task + ": the only one that runs it"});
    else if (several_run && *w.best.margin >= kWorthNaming && w.name == "ownership")
      reasons.push_back({"cheaper", w.name, "", "cost", w.best.margin, std::nullopt, std::nullopt, task + ": " + times(*w.best.margin) + " cheaper an hour than the next"});
    else if (several_run && *w.best.margin >= kWorthNaming)
      reasons.push_back({"faster", w.name, "", "speed", w.best.margin, std::nullopt, std::nullopt, task + ": " + times(*w.best.margin) + " the speed of the next" + (w.best.clear ? "" : ", within the error of both")});
  }
  if (w.cheapest.winner >= 0 && w.cheapest.margin && *w.cheapest.margin >= kWorthNaming)
    c.choose[w.cheapest.winner].push_back({"cheaper", w.name, "", "cost", w.cheapest.margin, std::nullopt, std::nullopt, task + ": the next costs " + times(*w.cheapest.margin) + " as much for the same work"});
}

/// A flip is a reason for the side that is better from there on, and for the other one up to there.
void add_ranges(Comparison& c, const Flip& f) {
  const std::string what = std::string(f.workload) + ", by " + f.by + ": ";
  const std::string at = f.model.empty() ? format_number(f.at, 3) + " " + (std::string_view(f.axis) == "prompt_tokens" ? "prompt tokens" : std::string_view(f.axis) == "concurrency" ? "requests at once" : "hours a month") : "models of the size of " + f.model;
  if (f.after >= 0) c.choose[f.after].push_back({"range", f.workload, f.axis, f.by, std::nullopt, Figure(f.at), std::nullopt, what + "from " + at + " on" + (f.others_stop ? ", where " + side_name(c, f.before) + " no longer runs" : "")});
  if (f.before >= 0) c.choose[f.before].push_back({"range", f.workload, f.axis, f.by, std::nullopt, std::nullopt, Figure(f.at), what + "below " + at});
}

}  // namespace

Result<Comparison> compare(const Catalog& catalog, const CompareQuestion& question) {
  if (question.sides.size() < 2 || question.sides.size() > 4) return Error{ErrorCode::kInvalidInput, "gpus", "expected 2 to 4 GPUs, found " + std::to_string(question.sides.size())};
  Comparison out;
  CompareQuestion q = question;
  for (std::size_t i = 0; i < q.sides.size(); ++i) {
    // The names are checked by asking the plainest question.
    const Scenario s = comparing::scenario_of(comparing::workload("hpc"), q, q.sides[i]);
    const Result<Question> resolved = resolve(catalog, s);
    if (!resolved) {
      Error e = resolved.error();
      if (e.path == "gpu") e.path = "gpus/" + std::to_string(i);
      return e;
    }
    const bool custom = question.base.custom_gpu && resolved.value().gpu->index < 0;
    out.gpus.push_back(custom ? &*question.base.custom_gpu : resolved.value().gpu);
    q.sides[i].gpu = resolved.value().scenario.gpu;
    q.sides[i].offer.provider = resolved.value().scenario.offer.provider;
    out.as_of = resolved.value().scenario.as_of;
  }
  out.sides = q.sides;
  out.specs = specs_of(out.gpus);
  for (const comparing::WorkloadSpec& spec : comparing::workloads()) {
    WorkloadComparison w;
    w.name = spec.name;
    w.model = spec.model;
    w.gpu_count = spec.times_gpus;
    w.metric = spec.metric;
    w.lower_is_better = spec.lower_is_better;
    for (const CompareSide& side : q.sides) w.outcomes.push_back(comparing::outcome_of(spec, catalog, comparing::scenario_of(spec, q, side)));
    w.best = comparing::contest(w.outcomes, spec.lower_is_better, false);
    w.cheapest = comparing::contest(w.outcomes, spec.lower_is_better, true);
    out.workloads.push_back(std::move(w));
  }
  out.flips = comparing::find_flips(catalog, q);
  // Money by the month: chatting with the small model sets the pace of the work and the power draw.
  std::vector<Figure> speeds;
  for (std::size_t i = 0; i < q.sides.size(); ++i) {
    const Scenario s = comparing::scenario_of(comparing::workload("chat-small"), q, q.sides[i]);
    const Result<Question> resolved = resolve(catalog, s);
    RentOrOwn money;
    speeds.emplace_back();
    if (resolved) {
      const Estimate e = estimate(resolved.value());
      if (e.speed && e.speed->decode_tokens_per_s && e.speed->decode_tokens_per_s->value > 0) speeds.back() = e.speed->decode_tokens_per_s->value * 3600;
      std::vector<Warning> unread;  // the ownership workload has shown them
      money.owned = owned_hour(resolved.value(), e.energy && e.energy->average_w ? e.energy->average_w->value : 0, unread);
      if (e.cost && e.cost->usd_per_hour && e.cost->offer) money.rent_usd_per_hour = e.cost->usd_per_hour->value;
      if (money.rent_usd_per_hour) money.even = break_even(money.owned, *money.rent_usd_per_hour, s.ownership.lifetime_months, s.utilisation);
    }
    out.rent_or_own.push_back(money);
  }
  for (Flip& f : comparing::find_money_flips(out.rent_or_own, speeds, q.base.ownership.lifetime_months)) out.flips.push_back(std::move(f));
  out.choose.resize(q.sides.size());
  for (const WorkloadComparison& w : out.workloads) add_wins(out, w);
  for (const Flip& f : out.flips) add_ranges(out, f);
  return out;
}

namespace {

json figures_json(const std::vector<Figure>& figures) {
  json list = json::array();
  for (const Figure& f : figures) list.push_back(f ? json(*f) : json());
  return list;
}

json contest_json(const Contest& c) {
  if (c.winner < 0) return nullptr;
  JsonFields o;
  o.set("side", c.winner);
  o.set("clear", c.clear);
  o.set_known("margin", c.margin);
  return o.take();
}

void set_if_named(JsonFields& o, const char* key, const std::string& text) {
  if (!text.empty()) o.set(key, text);
}

json workload_json(const WorkloadComparison& w) {
  json outcomes = json::array();
  for (const Outcome& out : w.outcomes) {
    JsonFields o;
    o.set("verdict", to_word(out.verdict));
    o.set_known("value", out.value);
    o.set_known("cost", out.cost);
    set_if_named(o, "note", out.note);
    outcomes.push_back(o.take());
  }
  JsonFields o;
  o.set("name", w.name);
  o.set("gpu_count_factor", w.gpu_count);
  o.set("metric", w.metric);
  o.set("lower_is_better", w.lower_is_better);
  o.set("outcomes", std::move(outcomes));
  o.set("best", contest_json(w.best));
  o.set("cheapest", contest_json(w.cheapest));
  set_if_named(o, "model", w.model);
  return o.take();
}

}  // namespace

json to_json(const Comparison& c) {
  json sides = json::array(), specs = json::array(), workloads = json::array(), flips = json::array(), money = json::array(), choose = json::array();
  for (std::size_t i = 0; i < c.sides.size(); ++i) {
    JsonFields o;
    o.set("gpu", c.sides[i].gpu);
    o.set("name", c.gpus[i]->name);
    o.set("gpu_count", c.sides[i].gpu_count);
    set_if_named(o, "provider", c.sides[i].offer.provider);
    sides.push_back(o.take());
  }
  for (const Spec& s : c.specs) {
    JsonFields o;
    o.set("name", s.name);
    o.set("values", figures_json(s.values));
    o.set("ratios", figures_json(s.ratios));
    specs.push_back(o.take());
  }
  for (const WorkloadComparison& w : c.workloads) workloads.push_back(workload_json(w));
  for (const Flip& f : c.flips) {
    JsonFields o;
    o.set("workload", f.workload);
    o.set("axis", f.axis);
    o.set("by", f.by);
    o.set("at", f.at);
    o.set("before", f.before < 0 ? json() : json(f.before));
    o.set("after", f.after);
    set_if_named(o, "model", f.model);
    if (f.others_stop) o.set("others_stop", true);
    flips.push_back(o.take());
  }
  for (const RentOrOwn& m : c.rent_or_own) {
    JsonFields o;
    o.set_known("rent_usd_per_hour", m.rent_usd_per_hour);
    if (m.owned.known) {
      o.set("hardware_usd", m.owned.hardware_usd);
      o.set("price_basis", m.owned.price_basis);
      o.set("own_usd_per_hour", m.owned.usd_per_hour);
      o.set("electricity_counted", m.owned.power_usd_per_hour > 0);
    }
    o.set_known("break_even_hours_per_month", m.even.hours_per_month);
    o.set_known("break_even_months", m.even.months);
    money.push_back(o.take());
  }
  for (const auto& reasons : c.choose) {
    json list = json::array();
    for (const Reason& r : reasons) {
      JsonFields o;
      o.set("code", r.code);
      o.set("workload", r.workload);
      o.set("text", r.text);
      set_if_named(o, "axis", r.axis);
      set_if_named(o, "by", r.by);
      o.set_known("margin", r.margin);
      o.set_known("from", r.from);
      o.set_known("to", r.to);
      list.push_back(o.take());
    }
    choose.push_back(std::move(list));
  }
  JsonFields o;
  o.set("as_of", c.as_of);
  o.set("sides", std::move(sides));
  o.set("specs", std::move(specs));
  o.set("workloads", std::move(workloads));
  o.set("flips", std::move(flips));
  o.set("rent_or_own", std::move(money));
  o.set("choose", std::move(choose));
  return o.take();
}

std::string compare_json(const Catalog& catalog, std::string_view text) {
  const Result<json> document = parse_json(text, "question");
  if (!document) return error_json(document.error());
  const json& d = document.value();
  if (!d.is_object() || !d.contains("gpus") || !d["gpus"].is_array()) return error_json({ErrorCode::kInvalidInput, "gpus", "expected a list of 2 to 4 GPUs"});
  for (const auto& [key, value] : d.items())
    if (key != "gpus" && key != "base") return error_json({ErrorCode::kInvalidInput, key.substr(0, 60), "unknown field; a comparison has gpus and base"});
  CompareQuestion q;
  if (d.contains("base")) {
    Result<Scenario> base = read_scenario(d["base"]);
    if (!base) return error_json({base.error().code, "base/" + base.error().path, base.error().message});
    q.base = std::move(base.value());
  }
  const json& gpus = d["gpus"];
  if (gpus.size() > 4) return error_json({ErrorCode::kInvalidInput, "gpus", "expected 2 to 4 GPUs, found " + std::to_string(gpus.size())});
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const std::string where = "gpus/" + std::to_string(i);
    // A side is a small scenario, so that its fields are checked as those of any other.
    const json side = gpus[i].is_string() ? json{{"gpu", gpus[i]}} : gpus[i];
    if (!side.is_object()) return error_json({ErrorCode::kInvalidInput, where, "expected a GPU's name or {gpu, gpu_count, offer}"});
    for (const auto& [key, value] : side.items())
      if (key != "gpu" && key != "gpu_count" && key != "offer") return error_json({ErrorCode::kInvalidInput, where + "/" + key.substr(0, 60), "unknown field; a side has gpu, gpu_count and offer"});
    const Result<Scenario> read = read_scenario(side);
    if (!read) return error_json({read.error().code, where + "/" + read.error().path, read.error().message});
    CompareSide s{read.value().gpu, read.value().gpu_count, read.value().offer};
    if (s.gpu.empty()) return error_json({ErrorCode::kInvalidInput, where, "expected a GPU"});
    if (s.offer.provider.empty()) s.offer = q.base.offer;
    q.sides.push_back(std::move(s));
  }
  const Result<Comparison> answer = compare(catalog, q);
  if (!answer) return error_json(answer.error());
  return json_text(to_json(answer.value()));
}

}  // namespace whichgpu
