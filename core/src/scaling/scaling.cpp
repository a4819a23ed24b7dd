#include "whichgpu/scaling.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/json_fields.hpp"
#include "base/json_text.hpp"
#include "whichgpu/api.hpp"
#include "whichgpu/cost.hpp"

namespace whichgpu {
namespace {

using nlohmann::json;

constexpr int kUsualMost = 32;
constexpr int kLargestMost = 65536;

/// What a workload produces per unit of time, by all GPUs together.
std::optional<Quantity> rate_of(const Estimate& e) {
  if (e.training) return e.training->tokens_per_s;
  if (e.vision) return e.vision->images_per_s;
  if (e.image_generation) return e.image_generation->images_per_hour;
  if (e.hpc) return e.hpc->tflops;
  if (e.speed) return e.speed->throughput_tokens_per_s ? e.speed->throughput_tokens_per_s : e.speed->decode_tokens_per_s;
  return std::nullopt;
}

std::string bound_of(const Estimate& e) {
  if (e.training) return to_word(e.training->bound_by);
  if (e.vision) return to_word(e.vision->bound_by);
  if (e.image_generation) return to_word(e.image_generation->bound_by);
  if (e.hpc) return to_word(e.hpc->bound_by);
  return e.speed ? to_word(e.speed->bound_by) : "";
}

Result<ScalingPoint> point_of(const Catalog& catalog, Scenario s, const std::string& gpu, int count, std::string& id) {
  s.gpu = gpu;
  s.gpus.clear();
  s.gpu_count = count;
  s.nodes = std::min(s.nodes, count);
  s.parallelism = {};  // chosen anew for every count
  const Result<Question> question = resolve(catalog, s);
  if (!question) return question.error();
  Question q = question.value();
  q.explain = false;
  const Estimate e = estimate(q);
  ScalingPoint p;
  id = q.scenario.gpu;
  p.gpu_count = count;
  p.nodes = q.scenario.nodes;
  if (e.memory) p.verdict = e.memory->verdict;
  const bool runs = !e.memory || (p.verdict != Verdict::kDoesNotFit && p.verdict != Verdict::kUnsupported);
  if (runs) {
    p.rate = rate_of(e);
    if (e.training) p.hours = e.training->hours;
    if (e.vision) p.hours = e.vision->hours;
  }
  if (e.cost && e.cost->usd_per_hour) p.usd_per_hour = e.cost->usd_per_hour->value;
  p.bound_by = bound_of(e);
  return p;
}

const ScalingPoint* point_at(const ScalingCurve& curve, int count) {
  for (const ScalingPoint& p : curve.points)
    if (p.gpu_count == count && p.rate && p.usd_per_hour) return &p;
  return nullptr;
}

/// One dearer GPU, or the fewest of them that run, against as many of the cheaper ones as are needed.
std::optional<Overtaking> overtaking(const ScalingCurve& a, const ScalingCurve& b) {
  const ScalingPoint* first = nullptr;
  for (const ScalingPoint& p : a.points)
    if (!first && p.rate && p.usd_per_hour) first = &p;
  if (!first) return std::nullopt;
  const ScalingPoint* same = point_at(b, first->gpu_count);
  if (same && *same->usd_per_hour >= *first->usd_per_hour) return std::nullopt;  // not the cheaper card
  Overtaking o{a.gpu, b.gpu, first->gpu_count, 0, 0, 0};
  for (const ScalingPoint& p : b.points) {
    if (!p.rate || !p.usd_per_hour || p.rate->value < first->rate->value || *p.usd_per_hour >= *first->usd_per_hour) continue;
    o.needed = p.gpu_count;
    o.speed_ratio = p.rate->value / first->rate->value;
    o.price_ratio = *p.usd_per_hour / *first->usd_per_hour;
    break;
  }
  return o;
}

}  // namespace

Result<Scaling> scaling(const Catalog& catalog, const Scenario& scenario, const std::vector<std::string>& gpus, int most) {
  Scaling out;
  out.scenario = scenario;
  std::vector<std::string> wanted = gpus;
  if (wanted.empty()) wanted.push_back(scenario.gpu);
  for (const std::string& gpu : wanted) {
    ScalingCurve curve;
    double single = 0;  // rate per GPU at the smallest count that runs
    for (int count = 1; count <= most; count *= 2) {
      Result<ScalingPoint> point = point_of(catalog, scenario, gpu, count, curve.gpu);
      if (!point) return point.error();
      ScalingPoint p = std::move(point.value());
      if (p.rate) {
        if (single == 0) single = p.rate->value / count;
        p.efficiency = p.rate->value / count / single;
        curve.unit = p.rate->unit;
      }
      curve.points.push_back(std::move(p));
    }
    out.curves.push_back(std::move(curve));
  }
  for (const ScalingCurve& a : out.curves)
    for (const ScalingCurve& b : out.curves)
      if (&a != &b)
        if (const auto o = overtaking(a, b)) out.overtakings.push_back(*o);
  return out;
}

std::string scaling_json(const Catalog& catalog, std::string_view text) {
  const Result<json> document = parse_json(text, "question");
  if (!document) return error_json(document.error());
  const json& d = document.value();
  if (!d.is_object()) return error_json({ErrorCode::kInvalidInput, "question", "expected an object"});
  std::vector<std::string> gpus;
  int most = kUsualMost;
  json asked = json::object();
  for (const auto& [key, value] : d.items()) {
    if (key == "scenario") asked = value;
    else if (key == "gpus" && value.is_array() && value.size() <= 16) {
      for (const json& gpu : value) {
        if (!gpu.is_string()) return error_json({ErrorCode::kInvalidInput, "gpus", "expected a list of at most 16 names"});
        gpus.push_back(gpu.get<std::string>());
      }
    } else if (key == "most" && value.is_number_integer() && value >= 1 && value <= kLargestMost) most = value.get<int>();
    else return error_json({ErrorCode::kInvalidInput, key, "expected scenario, gpus (at most 16 names) or most (1 to 65536)"});
  }
  const Result<Scenario> scenario = read_scenario(asked);
  if (!scenario) return error_json(scenario.error());
  const Result<Scaling> result = scaling(catalog, scenario.value(), gpus, most);
  if (!result) return error_json(result.error());
  json out = {{"scenario", to_json(result.value().scenario)}, {"curves", json::array()}, {"overtakings", json::array()}};
  for (const ScalingCurve& curve : result.value().curves) {
    json points = json::array();
    for (const ScalingPoint& p : curve.points) {
      JsonFields row;
      row.set("gpu_count", p.gpu_count);
      row.set("nodes", p.nodes);
      row.set("verdict", to_word(p.verdict));
      row.set_known("rate", p.rate);
      row.set_known("efficiency", p.efficiency);
      row.set_known("hours", p.hours);
      row.set_known("usd_per_hour", p.usd_per_hour);
      if (p.rate) row.set("bound_by", p.bound_by);
      points.push_back(row.take());
    }
    out["curves"].push_back({{"gpu", curve.gpu}, {"unit", curve.unit}, {"points", std::move(points)}});
  }
  for (const Overtaking& o : result.value().overtakings) {
    json row = {{"dearer", o.dearer}, {"count", o.count}, {"cheaper", o.cheaper}};
    if (o.needed > 0) row.update({{"needed", o.needed}, {"speed_ratio", o.speed_ratio}, {"price_ratio", o.price_ratio}});
    out["overtakings"].push_back(std::move(row));
  }
  return json_text(out);
}

}  // namespace whichgpu
