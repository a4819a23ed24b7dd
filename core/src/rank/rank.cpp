#include "whichgpu/rank.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/order.hpp"
#include "base/json_text.hpp"
#include "base/text.hpp"
#include "estimate/estimate_json.hpp"
#include "whichgpu/cost.hpp"

namespace whichgpu {
namespace {

/// Formats offered when models are ranked for one GPU: the largest of these that fits is shown. The order follows the
/// published quality losses (data/quality.json): from no visible loss to a clear one.
constexpr const char* kLadder[] = {"gguf-q8_0", "gguf-q6_k", "gguf-q5_k_m", "gguf-q4_k_m", "gguf-iq4_xs", "gguf-q3_k_m", "gguf-iq2_m"};

bool fits(Verdict v) { return v == Verdict::kFits || v == Verdict::kTight || v == Verdict::kOffload; }

std::string reason_of(const Estimate& e) {
  if (!e.memory) return "";
  const MemoryEstimate& m = *e.memory;
  if (m.verdict == Verdict::kDoesNotFit) {
    std::string text = "needs " + format_number(m.per_gpu_gib.value, 3) + " GiB, has " + format_number(m.capacity_gib, 3);
    if (m.min_gpu_count) text += "; fits on " + format_number(*m.min_gpu_count) + " of these";
    return text;
  }
  if (m.verdict == Verdict::kUnsupported || m.verdict == Verdict::kUnknown)
    for (const Warning& w : e.warnings)
      if (w.code == "unsupported" || w.code == "memory-unknown") return w.message;
  return "";
}

RankRow row_of(const Question& q, const Estimate& e, RankBy by) {
  RankRow r;
  r.gpu = q.gpu;
  r.model = q.model;
  r.quant = q.quant;
  r.gpu_count = q.scenario.gpu_count;
  if (e.memory) {
    r.verdict = e.memory->verdict;
    r.per_gpu_gib = e.memory->per_gpu_gib.value;
    r.capacity_gib = e.memory->capacity_gib;
    r.max_context_tokens = e.memory->max_context_tokens;
    r.max_concurrency = e.memory->max_concurrency;
    r.min_gpu_count = e.memory->min_gpu_count;
  } else if (e.hpc) {
    r.verdict = e.hpc->tflops || e.hpc->gb_per_s ? Verdict::kFits : Verdict::kUnknown;
  }
  const bool speed_counts = fits(r.verdict);
  if (e.speed && speed_counts) {
    r.decode_tokens_per_s = e.speed->decode_tokens_per_s;
    r.prefill_tokens_per_s = e.speed->prefill_tokens_per_s;
    r.ttft_s = e.speed->ttft_s;
    r.latency_s = e.speed->latency_s;
    if (q.scenario.workload != Workload::kChat) {  // of one stream they are the same figures once more
      r.throughput_tokens_per_s = e.speed->throughput_tokens_per_s;
      r.requests_per_s = e.speed->requests_per_s;
    }
    r.bound_by = e.speed->bound_by;
    r.distance = e.speed->distance;
  }
  if (e.training && speed_counts) {
    r.hours = e.training->hours;
    r.throughput_tokens_per_s = e.training->tokens_per_s;
    r.bound_by = e.training->bound_by;
    r.distance = e.training->distance;
  }
  if (e.vision && speed_counts) {
    r.images_per_s = e.vision->images_per_s;
    r.hours = e.vision->hours;
    r.bound_by = e.vision->bound_by;
    r.distance = e.vision->distance;
  }
  if (e.image_generation && speed_counts) {
    r.seconds_per_image = e.image_generation->seconds_per_image;
    r.bound_by = e.image_generation->bound_by;
    r.distance = e.image_generation->distance;
  }
  if (e.hpc) {
    r.tflops = e.hpc->tflops;
    r.bound_by = e.hpc->bound_by;
    r.distance = e.hpc->distance;
  }
  if (e.cost) {
    r.usd_per_hour = e.cost->usd_per_hour;
    r.offer = e.cost->offer;
    if (speed_counts) {
      r.usd_per_million_output_tokens = e.cost->usd_per_million_output_tokens;
      r.usd_total = e.cost->usd_total;
    }
  }
  if (e.energy && speed_counts) {
    r.joules_per_token = e.energy->joules_per_token;
  }
  r.reason = reason_of(e);
  if (by == RankBy::kUpfront) r.upfront_usd = cards_usd(q);
  const Scenario::Limits& limits = q.scenario.limits;
  if (limits.budget_usd && !(r.usd_total ? r.usd_total->value <= *limits.budget_usd : r.usd_per_hour && r.usd_per_hour->value <= *limits.budget_usd)) r.within_limits = false;
  if (limits.deadline_h && !(r.hours && r.hours->value <= *limits.deadline_h)) r.within_limits = false;
  if (limits.latency_s && !((r.latency_s && r.latency_s->value <= *limits.latency_s) || (r.seconds_per_image && r.seconds_per_image->value <= *limits.latency_s))) r.within_limits = false;
  if (limits.headroom_gib && !(r.capacity_gib - r.per_gpu_gib >= *limits.headroom_gib)) r.within_limits = false;
  if (limits.single_node && q.scenario.nodes > 1) r.within_limits = false;
  if (!limits.provider_kinds.empty() && !r.offer) r.within_limits = false;
  if (!limits.gpus.empty() && std::find(limits.gpus.begin(), limits.gpus.end(), q.gpu->id) == limits.gpus.end()) r.within_limits = false;
  return r;
}

/// How much work a second: the figure that the workload is about. Unknown stays unknown.
Figure speed_of(const RankRow& r) {
  if (r.images_per_s) return r.images_per_s->value;
  if (r.seconds_per_image) return 1.0 / r.seconds_per_image->value;
  if (r.throughput_tokens_per_s) return r.throughput_tokens_per_s->value;
  if (r.decode_tokens_per_s) return r.decode_tokens_per_s->value;
  if (r.tflops) return r.tflops->value;
  return std::nullopt;
}

/// Dollars for one unit of work: what "value" compares.
Figure cost_of_work(const RankRow& r) {
  if (r.usd_per_million_output_tokens) return r.usd_per_million_output_tokens->value;
  const Figure speed = speed_of(r);
  if (r.usd_per_hour && speed && *speed > 0) return r.usd_per_hour->value / *speed;
  return std::nullopt;
}

Figure negated(const Figure& f) { return f ? Figure(-*f) : std::nullopt; }
Figure value_of(const std::optional<Quantity>& q) { return q ? Figure(q->value) : std::nullopt; }

/// The figure to minimise.
Figure rank_key(const RankRow& r, RankBy by) {
  switch (by) {
    case RankBy::kValue: return cost_of_work(r);
    case RankBy::kSpeed: return negated(speed_of(r));
    case RankBy::kPrice: return value_of(r.usd_per_hour);
    case RankBy::kLatency: return r.latency_s ? value_of(r.latency_s) : value_of(r.ttft_s);
    case RankBy::kEnergy: return value_of(r.joules_per_token);
    case RankBy::kMemory: return r.capacity_gib;
    case RankBy::kUpfront: return r.upfront_usd;
  }
  return std::nullopt;
}

int group_of(const RankRow& r) { return fits(r.verdict) ? (r.within_limits ? 0 : 1) : r.verdict == Verdict::kDoesNotFit ? 2 : 3; }

void order(std::vector<RankRow>& rows, RankBy by) {
  struct Sortable { int group; bool known; double key, speed; };
  std::vector<Sortable> keys(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Figure key = rank_key(rows[i], by);
    keys[i] = {group_of(rows[i]), key.has_value(), key.value_or(0), speed_of(rows[i]).value_or(0)};
  }
  const std::vector<int> positions = order_of(static_cast<int>(keys.size()), keys.data(), [](const void* all, int i, int j) {
    const Sortable &a = static_cast<const Sortable*>(all)[i], &b = static_cast<const Sortable*>(all)[j];
    if (a.group != b.group) return a.group < b.group;
    if (a.known != b.known) return a.known;
    if (a.key != b.key) return a.key < b.key;
    return a.speed > b.speed;
  });
  std::vector<RankRow> sorted;
  sorted.reserve(rows.size());
  for (const int at : positions) sorted.push_back(std::move(rows[at]));
  rows = std::move(sorted);
}

/// Marks rows that no other row beats in both speed and price.
void mark_pareto(std::vector<RankRow>& rows) {
  std::vector<std::size_t> by_price;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (group_of(rows[i]) == 0 && rows[i].usd_per_hour && speed_of(rows[i])) by_price.push_back(i);
  sort_rows(by_price, [&](std::size_t a, std::size_t b) {
    if (rows[a].usd_per_hour->value != rows[b].usd_per_hour->value) return rows[a].usd_per_hour->value < rows[b].usd_per_hour->value;
    return *speed_of(rows[a]) > *speed_of(rows[b]);
  });
  double fastest = 0;
  for (const std::size_t i : by_price)
    if (*speed_of(rows[i]) > fastest) {
      fastest = *speed_of(rows[i]);
      rows[i].pareto = true;
    }
}

int best(const std::vector<RankRow>& rows, RankBy by) {
  int at = -1;
  Figure lowest;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (group_of(rows[i]) != 0) continue;
    const Figure key = rank_key(rows[i], by);
    if (key && (!lowest || *key < *lowest)) {
      lowest = key;
      at = static_cast<int>(i);
    }
  }
  return at;
}

/// Fine-tuning beside chatting and serving: LoRA (QLoRA where that alone fits) with the scenario's data set.
std::optional<Quantity> finetune_hours(const Catalog& catalog, const Scenario& scenario, const Gpu& gpu) {
  Scenario s = scenario;
  s.workload = Workload::kFinetune;
  s.gpu = gpu.id;
  s.gpus.clear();
  s.engine.clear();
  s.precision = {};
  s.parallelism = {};
  s.offload = OffloadKind::kNone;
  Result<Question> q = resolve(catalog, s);
  if (!q) return std::nullopt;
  q.value().explain = false;
  return training_hours(q.value());
}

Result<Ranking> rank_gpus(const Catalog& catalog, const Scenario& scenario, RankBy by) {
  Ranking out;
  out.rows.reserve(catalog.gpus.size() + 1);
  Scenario s = scenario;
  s.gpus.clear();
  std::optional<Error> first_error;
  const auto add = [&](const std::string& gpu) {
    s.gpu = gpu;
    Result<Question> q = resolve(catalog, s);
    if (!q) {
      if (!first_error) first_error = q.error();
      return;
    }
    q.value().explain = false;
    const Estimate e = estimate(q.value());
    RankRow row = row_of(q.value(), e, by);
    if (e.speed && q.value().model) row.finetune_hours = finetune_hours(catalog, s, *q.value().gpu);
    if (out.rows.empty()) out.scenario = e.scenario;
    out.fits += fits(row.verdict);
    out.rows.push_back(std::move(row));
  };
  if (scenario.custom_gpu) add(scenario.custom_gpu->id);
  for (const Gpu& gpu : catalog.gpus) {
    add(gpu.id);
    if (out.rows.empty() && first_error) return *first_error;  // the same for every GPU: a name or a field is wrong
  }
  if (out.rows.empty()) return first_error ? *first_error : Error{ErrorCode::kBadData, "gpus", "the catalog holds no GPU"};
  out.scenario.gpu.clear();
  order(out.rows, by);
  return out;
}

Result<Ranking> rank_models(const Catalog& catalog, const Scenario& scenario, RankBy by) {
  Ranking out;
  Scenario s = scenario;
  std::optional<Error> first_error;
  for (const Model& model : catalog.models) {
    if (!model.has_layers() || model.kind == "embedding") continue;
    s.model = model.id;
    std::optional<RankRow> kept;
    const bool ladder = scenario.precision.weights.empty();
    for (const char* format : kLadder) {
      if (ladder) s.precision.weights = format;
      Result<Question> q = resolve(catalog, s);
      if (!q) {
        if (!first_error) first_error = q.error();
        break;
      }
      q.value().explain = false;
      const Estimate e = estimate(q.value());
      if (out.scenario.gpu.empty()) out.scenario = e.scenario;
      kept = row_of(q.value(), e, by);
      if (!ladder || fits(kept->verdict)) break;
    }
    if (out.rows.empty() && !kept && first_error) return *first_error;
    if (!kept) continue;
    out.fits += fits(kept->verdict);
    out.rows.push_back(std::move(*kept));
  }
  if (out.rows.empty()) return first_error ? *first_error : Error{ErrorCode::kBadData, "models", "the catalog holds no language model"};
  out.scenario.model.clear();
  if (scenario.precision.weights.empty()) out.scenario.precision.weights.clear();
  order(out.rows, by);
  return out;
}

/// Why a row is picked, made from its numbers and those of the row that it is set against.
std::string why(const RankRow& r, const RankRow& other) {
  std::string text;
  if (r.capacity_gib > 0) text = "fits with " + format_number(r.capacity_gib - r.per_gpu_gib, 2) + " GiB to spare";
  const auto against = [&](const Figure& mine, const Figure& theirs, const char* more, const char* less) -> std::string {
    if (!mine || !theirs || !(*mine > 0) || !(*theirs > 0)) return "";
    const double ratio = *mine > *theirs ? *mine / *theirs : *theirs / *mine;
    return ratio < 1.01 ? "" : format_number(ratio, 2) + " x " + (*mine > *theirs ? more : less);
  };
  const std::string speed = against(speed_of(r), speed_of(other), "faster", "slower"), cost = against(cost_of_work(r), cost_of_work(other), "dearer", "cheaper");
  if (speed.empty() && cost.empty()) return text;
  if (!text.empty()) text += "; ";
  text += speed + (speed.empty() ? "" : " than ") + (speed.empty() ? "" : other.model && other.model != r.model ? other.model->name : other.gpu->name);
  if (!cost.empty()) text += (speed.empty() ? "" : (speed.back() == 'r' && speed.find("faster") != std::string::npos) == (cost.find("cheaper") != std::string::npos) ? " and " : " but ") + cost + " for the same work" + (speed.empty() ? " than " + other.gpu->name : "");
  return text;
}

}  // namespace

constexpr const char* kRankWords[] = {"value", "speed", "price", "latency", "energy", "memory", "upfront"};  // in the order of RankBy

const char* to_word(RankBy by) { return kRankWords[static_cast<std::size_t>(by)]; }

std::optional<RankBy> rank_by(std::string_view word) {
  for (std::size_t i = 0; i < std::size(kRankWords); ++i)
    if (word == kRankWords[i]) return static_cast<RankBy>(i);
  return std::nullopt;
}

Result<Ranking> rank(const Catalog& catalog, const Scenario& scenario, RankBy by) {
  const bool models = scenario.model.empty() && !scenario.custom_model && scenario.workload != Workload::kHpc && (!scenario.gpu.empty() || scenario.custom_gpu);
  Result<Ranking> out = models ? rank_models(catalog, scenario, by) : rank_gpus(catalog, scenario, by);
  if (!out) return out;
  Ranking& r = out.value();
  mark_pareto(r.rows);
  r.best_value = best(r.rows, RankBy::kValue);
  r.fastest = best(r.rows, RankBy::kSpeed);
  r.cheapest = best(r.rows, RankBy::kPrice);
  r.smallest = best(r.rows, RankBy::kMemory);
  return out;
}

std::string rank_text(const Ranking& ranking) {
  const bool models = ranking.scenario.model.empty() && ranking.scenario.workload != Workload::kHpc && !ranking.scenario.gpu.empty();
  JsonText text;
  text.open('{');
  text.key("counts");
  text.value({{"fits", ranking.fits}, {"of", ranking.rows.size()}});
  text.key("picks");
  text.open('{');
  const auto pick = [&](const char* name, int at, int other) {
    if (at < 0) return;
    const RankRow& r = ranking.rows[at];
    text.key(name);
    text.open('{');
    text.put("gpu", r.gpu->id);
    if (models && r.model) text.put("model", r.model->id);
    text.key("row");
    text.whole(at);
    text.put("why", why(r, ranking.rows[other < 0 ? at : other]));
    text.close('}');
  };
  pick("best_value", ranking.best_value, ranking.fastest);
  pick("cheapest", ranking.cheapest, ranking.fastest);
  pick("fastest", ranking.fastest, ranking.best_value);
  pick("smallest", ranking.smallest, ranking.fastest);
  text.close('}');
  text.key("rows");
  text.open('[');
  for (const RankRow& r : ranking.rows) {
    const bool memory_known = r.verdict != Verdict::kUnknown && r.capacity_gib > 0;
    text.open('{');
    if (r.bound_by != Bound::kUnknown) text.put("bound_by", to_word(r.bound_by));
    if (memory_known) text.put("capacity_gib", Figure(r.capacity_gib));
    text.put("decode_tokens_per_s", r.decode_tokens_per_s);
    text.put("distance", r.distance);
    text.put("finetune_hours", r.finetune_hours);
    text.put("gpu", r.gpu->id);
    text.key("gpu_count");
    text.whole(r.gpu_count);
    text.put("hours", r.hours);
    text.put("images_per_s", r.images_per_s);
    text.put("joules_per_token", r.joules_per_token);
    text.put("latency_s", r.latency_s);
    text.put("max_concurrency", r.max_concurrency);
    text.put("max_context_tokens", r.max_context_tokens);
    text.put("min_gpu_count", r.min_gpu_count);
    if (models && r.model) text.put("model", r.model->id);
    if (r.offer) {
      text.key("offer");
      text.value(offer_json(*r.offer));
    }
    if (r.pareto) {
      text.key("pareto");
      text.boolean(true);
    }
    if (memory_known) text.put("per_gpu_gib", Figure(r.per_gpu_gib));
    if (models && r.quant) text.put("precision", r.quant->id);
    text.put("prefill_tokens_per_s", r.prefill_tokens_per_s);
    if (!r.reason.empty()) text.put("reason", r.reason);
    text.put("requests_per_s", r.requests_per_s);
    text.put("seconds_per_image", r.seconds_per_image);
    text.put("tflops", r.tflops);
    text.put("throughput_tokens_per_s", r.throughput_tokens_per_s);
    text.put("ttft_s", r.ttft_s);
    text.put("upfront_usd", r.upfront_usd);
    text.put("usd_per_hour", r.usd_per_hour);
    text.put("usd_per_million_output_tokens", r.usd_per_million_output_tokens);
    text.put("usd_total", r.usd_total);
    text.put("verdict", to_word(r.verdict));
    if (!r.within_limits) {
      text.key("within_limits");
      text.boolean(false);
    }
    text.close('}');
  }
  text.close(']');
  text.key("scenario");
  text.value(to_json(ranking.scenario));
  text.close('}');
  return text.take();
}

}  // namespace whichgpu
