#include <nlohmann/json.hpp>

#include "base/json_fields.hpp"
#include "estimate/estimate_json.hpp"

namespace whichgpu {

using nlohmann::json;

namespace {

json terms_json(const std::vector<Term>& terms) {
  json list = json::array();
  for (const Term& t : terms) {
    JsonFields o;
    o.set("name", t.name);
    o.set("value", t.value);
    o.set("unit", t.unit);
    if (std::string_view(t.unit) == "GiB") o.set("gib", t.value);
    if (!t.formula.empty()) o.set("formula", t.formula);
    list.push_back(o.take());
  }
  return list;
}

/// What every section about work ends with.
void set_working(JsonFields& o, Bound bound_by, const std::vector<Term>& terms, const char* distance) {
  o.set("bound_by", to_word(bound_by));
  o.set("terms", terms_json(terms));
  o.set("distance", distance);
}

JsonFields memory_json(const MemoryEstimate& m) {
  JsonFields o;
  o.set_known("per_gpu_gib", std::optional(m.per_gpu_gib));
  o.set_or_null("capacity_gib", m.capacity_gib);
  o.set("verdict", to_word(m.verdict));
  o.set("terms", terms_json(m.terms));
  o.set_known("max_context_tokens", m.max_context_tokens);
  o.set_known("max_concurrency", m.max_concurrency);
  o.set_known("max_batch", m.max_batch);
  o.set_known("min_gpu_count", m.min_gpu_count);
  if (m.offloaded_gib > 0) o.set("offloaded_gib", m.offloaded_gib);
  if (m.offloaded_layers > 0) o.set("offloaded_layers", m.offloaded_layers);
  return o;
}

JsonFields speed_json(const SpeedEstimate& s) {
  JsonFields o;
  o.set_known("decode_tokens_per_s", s.decode_tokens_per_s);
  o.set_known("prefill_tokens_per_s", s.prefill_tokens_per_s);
  o.set_known("ttft_s", s.ttft_s);
  o.set_known("tpot_s", s.tpot_s);
  o.set_known("latency_s", s.latency_s);
  o.set_known("throughput_tokens_per_s", s.throughput_tokens_per_s);
  o.set_known("requests_per_s", s.requests_per_s);
  o.set_known("requests_per_s_within_latency", s.requests_per_s_within_latency);
  o.set_known("concurrency_within_latency", s.concurrency_within_latency);
  set_working(o, s.bound_by, s.terms, s.distance);
  return o;
}

JsonFields training_json(const TrainingEstimate& t) {
  JsonFields o, plan;
  o.set_known("tokens_per_s", t.tokens_per_s);
  o.set_known("mfu", t.mfu);
  o.set_known("step_s", t.step_s);
  o.set_known("hours", t.hours);
  o.set_known("gpu_hours", t.gpu_hours);
  set_working(o, t.bound_by, t.terms, t.distance);
  for (const auto& [name, value] : t.plan) plan.set(name.c_str(), value);
  o.set("plan", std::move(plan));
  return o;
}

JsonFields cost_json(const CostEstimate& c) {
  JsonFields o;
  o.set_known("usd_per_hour", c.usd_per_hour);
  o.set_known("usd_per_million_output_tokens", c.usd_per_million_output_tokens);
  o.set_known("usd_per_million_input_tokens", c.usd_per_million_input_tokens);
  o.set_known("usd_per_1000_images", c.usd_per_1000_images);
  o.set_known("usd_total", c.usd_total);
  o.set_known("redone_hours", c.redone_hours);
  o.set_known("market_low_usd_per_hour", c.market_low_usd_per_hour);
  o.set_known("market_high_usd_per_hour", c.market_high_usd_per_hour);
  o.set_known("usd_per_1000_requests", c.usd_per_1000_requests);
  o.set_known("api_usd_per_1000_requests", c.api_usd_per_1000_requests);
  o.set_known("break_even_requests_per_month", c.break_even_requests_per_month);
  if (c.offer) o.set("offer", offer_json(*c.offer));
  o.set("terms", terms_json(c.terms));
  return o;
}

}  // namespace

json to_json(const Estimate& e) {
  JsonFields o;
  o.set("scenario", to_json(e.scenario));
  if (e.memory) o.set("memory", memory_json(*e.memory));
  if (e.speed) o.set("speed", speed_json(*e.speed));
  if (e.training) o.set("training", training_json(*e.training));
  if (e.vision) {
    JsonFields v;
    v.set_known("images_per_s", e.vision->images_per_s);
    v.set_known("hours", e.vision->hours);
    if (e.vision->batch > 0) v.set("batch", e.vision->batch);
    set_working(v, e.vision->bound_by, e.vision->terms, e.vision->distance);
    o.set("vision", std::move(v));
  }
  if (e.image_generation) {
    JsonFields v;
    v.set_known("seconds_per_image", e.image_generation->seconds_per_image);
    v.set_known("images_per_hour", e.image_generation->images_per_hour);
    v.set_known("seconds_per_image_typical", e.image_generation->seconds_per_image_typical);
    set_working(v, e.image_generation->bound_by, e.image_generation->terms, e.image_generation->distance);
    o.set("image_generation", std::move(v));
  }
  if (e.hpc) {
    JsonFields v;
    v.set_known("tflops", e.hpc->tflops);
    v.set_known("gb_per_s", e.hpc->gb_per_s);
    v.set_known("seconds", e.hpc->seconds);
    set_working(v, e.hpc->bound_by, e.hpc->terms, e.hpc->distance);
    o.set("hpc", std::move(v));
  }
  if (e.energy) {
    JsonFields v;
    v.set_known("average_w", e.energy->average_w);
    v.set_known("joules_per_token", e.energy->joules_per_token);
    v.set_known("kwh", e.energy->kwh);
    v.set_known("kg_co2e", e.energy->kg_co2e);
    json energy = v.take();
    if (!energy.empty()) o.set("energy", std::move(energy));
  }
  if (e.cost) o.set("cost", cost_json(*e.cost));
  json evidence = json::array(), warnings = json::array();
  for (const EvidenceRow& r : e.evidence) {
    JsonFields row;
    row.set("id", r.id);
    row.set("metric", r.metric);
    row.set("value", r.value);
    row.set("unit", r.unit);
    row.set("ratio", r.ratio);
    row.set("source", r.source);
    row.set("measured", r.measured);
    row.set("gpu", r.gpu);
    row.set("model", r.model);
    row.set("software", r.software);
    row.set("precision", r.precision);
    row.set("conditions", r.conditions);
    row.set("distance", r.distance);
    evidence.push_back(row.take());
  }
  for (const Warning& w : e.warnings) {
    JsonFields warning;
    warning.set("code", w.code);
    warning.set("message", w.message);
    warnings.push_back(warning.take());
  }
  o.set("evidence", std::move(evidence));
  o.set("warnings", std::move(warnings));
  return o.take();
}

json offer_json(const OfferUsed& offer) {
  JsonFields o;
  o.set("provider", offer.provider);
  o.set("instance", offer.instance);
  o.set("gpu_count", offer.gpu_count);
  o.set("region", offer.region);
  o.set("kind", offer.kind);
  o.set("price_date", offer.price_date);
  o.set("stale", offer.stale);
  if (!offer.labels.empty()) o.set("labels", json(offer.labels));
  return o.take();
}

}  // namespace whichgpu
