#include <nlohmann/json.hpp>

#include "estimate/estimate_json.hpp"

namespace whichgpu {

using nlohmann::json;

json quantity_json(const Quantity& q) {
  json o = {{"value", q.value}, {"unit", q.unit}};
  if (!q.exact) {
    o["p10"] = q.p10;
    o["p90"] = q.p90;
  }
  return o;
}

void put(json& o, const char* key, const std::optional<Quantity>& q) {
  if (q) o[key] = quantity_json(*q);
}

void put(json& o, const char* key, const Figure& f) {
  if (f) o[key] = *f;
}

namespace {

json terms_json(const std::vector<Term>& terms) {
  json list = json::array();
  for (const Term& t : terms) {
    json o = {{"name", t.name}, {"value", t.value}, {"unit", t.unit}};
    if (std::string_view(t.unit) == "GiB") o["gib"] = t.value;
    if (!t.formula.empty()) o["formula"] = t.formula;
    list.push_back(std::move(o));
  }
  return list;
}

json memory_json(const MemoryEstimate& m) {
  json o = {{"per_gpu_gib", quantity_json(m.per_gpu_gib)}, {"capacity_gib", m.capacity_gib > 0 ? json(m.capacity_gib) : json()}, {"verdict", to_word(m.verdict)}, {"terms", terms_json(m.terms)}};
  put(o, "max_context_tokens", m.max_context_tokens);
  put(o, "max_concurrency", m.max_concurrency);
  put(o, "max_batch", m.max_batch);
  put(o, "min_gpu_count", m.min_gpu_count);
  if (m.offloaded_gib > 0) o["offloaded_gib"] = m.offloaded_gib;
  return o;
}

json speed_json(const SpeedEstimate& s) {
  json o = json::object();
  put(o, "decode_tokens_per_s", s.decode_tokens_per_s);
  put(o, "prefill_tokens_per_s", s.prefill_tokens_per_s);
  put(o, "ttft_s", s.ttft_s);
  put(o, "tpot_s", s.tpot_s);
  put(o, "latency_s", s.latency_s);
  put(o, "throughput_tokens_per_s", s.throughput_tokens_per_s);
  put(o, "requests_per_s", s.requests_per_s);
  put(o, "requests_per_s_within_latency", s.requests_per_s_within_latency);
  put(o, "concurrency_within_latency", s.concurrency_within_latency);
  o["bound_by"] = to_word(s.bound_by);
  o["terms"] = terms_json(s.terms);
  o["distance"] = s.distance;
  return o;
}

json training_json(const TrainingEstimate& t) {
  json o = json::object();
  put(o, "tokens_per_s", t.tokens_per_s);
  put(o, "mfu", t.mfu);
  put(o, "step_s", t.step_s);
  put(o, "hours", t.hours);
  put(o, "gpu_hours", t.gpu_hours);
  o["bound_by"] = to_word(t.bound_by);
  o["terms"] = terms_json(t.terms);
  o["distance"] = t.distance;
  json plan = json::object();
  for (const auto& [name, value] : t.plan) plan[name] = value;
  o["plan"] = std::move(plan);
  return o;
}

}  // namespace

json to_json(const Estimate& e) {
  json o;
  o["scenario"] = to_json(e.scenario);
  if (e.memory) o["memory"] = memory_json(*e.memory);
  if (e.speed) o["speed"] = speed_json(*e.speed);
  if (e.training) o["training"] = training_json(*e.training);
  if (e.vision) {
    json v = json::object();
    put(v, "images_per_s", e.vision->images_per_s);
    put(v, "hours", e.vision->hours);
    if (e.vision->batch > 0) v["batch"] = e.vision->batch;
    v["bound_by"] = to_word(e.vision->bound_by);
    v["terms"] = terms_json(e.vision->terms);
    v["distance"] = e.vision->distance;
    o["vision"] = std::move(v);
  }
  if (e.image_generation) {
    json v = json::object();
    put(v, "seconds_per_image", e.image_generation->seconds_per_image);
    put(v, "images_per_hour", e.image_generation->images_per_hour);
    put(v, "seconds_per_image_typical", e.image_generation->seconds_per_image_typical);
    v["bound_by"] = to_word(e.image_generation->bound_by);
    v["terms"] = terms_json(e.image_generation->terms);
    v["distance"] = e.image_generation->distance;
    o["image_generation"] = std::move(v);
  }
  if (e.hpc) {
    json v = json::object();
    put(v, "tflops", e.hpc->tflops);
    put(v, "gb_per_s", e.hpc->gb_per_s);
    put(v, "seconds", e.hpc->seconds);
    v["bound_by"] = to_word(e.hpc->bound_by);
    v["terms"] = terms_json(e.hpc->terms);
    v["distance"] = e.hpc->distance;
    o["hpc"] = std::move(v);
  }
  if (e.energy) {
    json v = json::object();
    put(v, "average_w", e.energy->average_w);
    put(v, "joules_per_token", e.energy->joules_per_token);
    put(v, "kwh", e.energy->kwh);
    put(v, "kg_co2e", e.energy->kg_co2e);
    if (!v.empty()) o["energy"] = std::move(v);
  }
  if (e.cost) {
    json v = json::object();
    put(v, "usd_per_hour", e.cost->usd_per_hour);
    put(v, "usd_per_million_output_tokens", e.cost->usd_per_million_output_tokens);
    put(v, "usd_per_million_input_tokens", e.cost->usd_per_million_input_tokens);
    put(v, "usd_per_1000_images", e.cost->usd_per_1000_images);
    put(v, "usd_total", e.cost->usd_total);
    put(v, "market_low_usd_per_hour", e.cost->market_low_usd_per_hour);
    put(v, "market_high_usd_per_hour", e.cost->market_high_usd_per_hour);
    put(v, "usd_per_1000_requests", e.cost->usd_per_1000_requests);
    put(v, "api_usd_per_1000_requests", e.cost->api_usd_per_1000_requests);
    put(v, "break_even_requests_per_month", e.cost->break_even_requests_per_month);
    if (e.cost->offer) v["offer"] = offer_json(*e.cost->offer);
    v["terms"] = terms_json(e.cost->terms);
    o["cost"] = std::move(v);
  }
  o["evidence"] = json::array();
  for (const EvidenceRow& r : e.evidence)
    o["evidence"].push_back({{"id", r.id}, {"metric", r.metric}, {"value", r.value}, {"unit", r.unit}, {"ratio", r.ratio}, {"source", r.source}, {"measured", r.measured}, {"gpu", r.gpu}, {"model", r.model},
        {"software", r.software}, {"precision", r.precision}, {"conditions", r.conditions}, {"distance", r.distance}});
  o["warnings"] = json::array();
  for (const Warning& w : e.warnings) o["warnings"].push_back({{"code", w.code}, {"message", w.message}});
  return o;
}

json offer_json(const OfferUsed& offer) {
  json o = {{"provider", offer.provider}, {"instance", offer.instance}, {"gpu_count", offer.gpu_count}, {"region", offer.region}, {"kind", offer.kind}, {"price_date", offer.price_date}, {"stale", offer.stale}};
  if (!offer.labels.empty()) o["labels"] = offer.labels;
  return o;
}

}  // namespace whichgpu
