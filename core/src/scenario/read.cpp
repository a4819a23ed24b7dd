#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "base/json_fields.hpp"
#include "base/json_text.hpp"
#include "catalog/row_reader.hpp"
#include "scenario/field_reader.hpp"
#include "whichgpu/scenario.hpp"

namespace whichgpu {
namespace {

using nlohmann::json;

struct WorkloadName { const char* name; Workload workload; };
constexpr std::array<WorkloadName, 9> kWorkloads = {{{"chat", Workload::kChat}, {"serving", Workload::kServing}, {"rag", Workload::kRag}, {"finetune", Workload::kFinetune},
    {"pretrain", Workload::kPretrain}, {"vision-training", Workload::kVisionTraining}, {"vision-inference", Workload::kVisionInference},
    {"image-generation", Workload::kImageGeneration}, {"hpc", Workload::kHpc}}};
struct OffloadName { const char* name; OffloadKind kind; };
constexpr std::array<OffloadName, 4> kOffloads = {{{"none", OffloadKind::kNone}, {"cpu", OffloadKind::kCpu}, {"experts", OffloadKind::kExperts}, {"optimizer", OffloadKind::kOptimizer}}};

constexpr double kLargestCount = 1e6;     // GPUs, nodes, users: beyond any machine
constexpr double kLargestTokens = 1e15;   // tokens of a data set
constexpr double kLargestMoney = 1e12;

bool is_date(const std::string& s) {
  if (s.size() != 10 || s[4] != '-' || s[7] != '-') return false;
  for (const std::size_t i : {0, 1, 2, 3, 5, 6, 8, 9})
    if (s[i] < '0' || s[i] > '9') return false;
  const int month = (s[5] - '0') * 10 + s[6] - '0', day = (s[8] - '0') * 10 + s[9] - '0';
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

}  // namespace

const char* to_word(Workload workload) {
  for (const WorkloadName& w : kWorkloads)
    if (w.workload == workload) return w.name;
  return "chat";
}

Result<Scenario> read_scenario(const json& document) {
  Scenario s;
  std::optional<Error> error;
  FieldReader r(document, "", error);
  if (error) {
    error->path = "scenario";
    return *error;
  }
  r.whole("version", s.version, 1, 1);
  r.text("as_of", s.as_of);
  if (!s.as_of.empty() && !is_date(s.as_of)) r.fail("as_of", "expected a date YYYY-MM-DD, found \"" + s.as_of + "\"");
  std::string word;
  r.text("workload", word);
  if (!word.empty()) {
    const auto it = std::find_if(kWorkloads.begin(), kWorkloads.end(), [&](const WorkloadName& w) { return word == w.name; });
    if (it == kWorkloads.end()) r.fail("workload", "expected one of chat, serving, rag, finetune, pretrain, vision-training, vision-inference, image-generation, hpc; found \"" + word + "\"");
    else s.workload = it->workload;
  }
  r.text("model", s.model);
  r.text("draft_model", s.draft_model);
  r.text("engine", s.engine);
  r.text("gpu", s.gpu);
  r.whole("gpu_count", s.gpu_count, 1, kLargestCount);
  r.whole("nodes", s.nodes, 1, kLargestCount);
  if (const json* v = r.get("precision")) {
    if (v->is_string()) {
      r.text("precision", s.precision.weights);
    } else {
      FieldReader p(*v, "precision", error);
      p.text("weights", s.precision.weights);
      p.text("kv_cache", s.precision.kv_cache);
      p.finish();
    }
  }
  if (const json* v = r.get("gpus")) {
    if (!v->is_array() || v->empty() || v->size() > 64) {
      r.fail("gpus", "expected a list of 1 to 64 {gpu, count}, found " + RowReader::describe(*v));
    } else {
      for (std::size_t i = 0; i < v->size(); ++i) {
        FieldReader g((*v)[i], "gpus/" + std::to_string(i), error);
        GpuCount entry;
        g.text("gpu", entry.gpu);
        g.whole("count", entry.count, 1, kLargestCount);
        if (entry.gpu.empty()) g.fail("gpu", "expected a GPU");
        g.finish();
        s.gpus.push_back(std::move(entry));
      }
    }
  }
  if (const json* v = r.get("parallelism")) {
    FieldReader p(*v, "parallelism", error);
    p.whole("tensor", s.parallelism.tensor, 1, kLargestCount);
    p.whole("pipeline", s.parallelism.pipeline, 1, kLargestCount);
    p.whole("expert", s.parallelism.expert, 1, kLargestCount);
    p.whole("data", s.parallelism.data, 1, kLargestCount);
    p.finish();
  }
  word.clear();
  r.word("offload", word, {"none", "cpu", "experts", "optimizer"});
  for (const OffloadName& o : kOffloads)
    if (word == o.name) s.offload = o.kind;
  if (const json* v = r.get("host")) {
    FieldReader h(*v, "host", error);
    h.number("ram_gib", s.host.ram_gib, 0, 1e6);
    h.number("ram_gb_per_s", s.host.ram_gb_per_s, 1, 1e6);
    h.number("pcie_gb_per_s", s.host.pcie_gb_per_s, 0.1, 1e6);
    h.number("vram_reserved_gib", s.host.vram_reserved_gib, 0, 1e5);
    h.finish();
  }
  if (r.get("context_tokens")) s.explicit_context = true;
  r.number("context_tokens", s.context_tokens, 1, 1e9, true);
  r.number("prompt_tokens", s.prompt_tokens, 1, 1e9, true);
  r.number("output_tokens", s.output_tokens, 1, 1e9, true);
  r.number("concurrency", s.concurrency, 1, kLargestCount, true);
  if (const json* v = r.get("rag")) {
    FieldReader p(*v, "rag", error);
    p.number("requests_per_s", s.rag.requests_per_s, 1e-6, 1e6);
    p.number("latency_s", s.rag.latency_s, 1e-3, 1e6);
    p.finish();
  }
  if (const json* v = r.get("training")) {
    FieldReader t(*v, "training", error);
    t.word("method", s.training.method, {"full", "pretrain", "lora", "qlora", "dora", "qdora", "dpo", "grpo", "lora-dpo", "lora-grpo", "qlora-dpo", "qlora-grpo"});
    t.word("precision", s.training.precision, {"bf16-mixed", "fp16-mixed", "bf16", "fp16", "tf32", "fp32", "fp8"});
    t.word("optimizer", s.training.optimizer, {"adamw", "adamw-8bit", "paged-adamw-8bit", "paged-adamw", "adafactor", "lion", "lion-8bit", "muon", "galore", "sgd", "sgd-momentum"});
    t.word("checkpointing", s.training.checkpointing, {"none", "selective", "full"});
    t.word("sharding", s.training.sharding, {"none", "zero-1", "zero-2", "zero-3", "fsdp", "auto"});
    t.number("samples", s.training.samples, 1, kLargestTokens);
    t.number("tokens", s.training.tokens, 1, kLargestTokens);
    t.number("epochs", s.training.epochs, 1e-3, 1e6);
    t.number("sequence_tokens", s.training.sequence_tokens, 1, 1e8, true);
    t.number("micro_batch", s.training.micro_batch, 1, kLargestCount, true);
    t.number("global_batch", s.training.global_batch, 1, 1e8, true);
    t.whole("lora_rank", s.training.lora_rank, 1, 65536);
    t.finish();
  }
  if (const json* v = r.get("vision")) {
    FieldReader p(*v, "vision", error);
    p.number("images", s.vision.images, 1, 1e13);
    p.number("epochs", s.vision.epochs, 1e-3, 1e6);
    p.whole("resolution", s.vision.resolution, 8, 16384);
    p.number("batch", s.vision.batch, 1, kLargestCount, true);
    p.finish();
  }
  if (const json* v = r.get("image")) {
    FieldReader p(*v, "image", error);
    p.whole("width", s.image.width, 64, 16384);
    p.whole("height", s.image.height, 64, 16384);
    p.whole("steps", s.image.steps, 1, 10000);
    p.number("batch", s.image.batch, 1, 10000, true);
    p.whole("frames", s.image.frames, 1, 100000);
    p.finish();
  }
  if (const json* v = r.get("hpc")) {
    FieldReader p(*v, "hpc", error);
    p.text("kernel", s.hpc.kernel);
    p.number("size", s.hpc.size, 1, 1e12);
    p.finish();
  }
  if (const json* v = r.get("offer")) {
    FieldReader p(*v, "offer", error);
    p.text("provider", s.offer.provider);
    p.word("kind", s.offer.kind, {"on-demand", "spot", "reserved-1y", "reserved-3y"});
    p.text("region", s.offer.region);
    p.text("instance", s.offer.instance);
    p.finish();
  }
  r.figure("price_usd_per_hour", s.price_usd_per_hour, 0, kLargestMoney);
  if (const json* v = r.get("price")) {
    FieldReader p(*v, "price", error);
    p.figure("per_hour", s.price.per_hour, 0, kLargestMoney);
    p.text("currency", s.price.currency);
    p.text("seller", s.price.seller);
    if (s.price.per_hour && s.price_usd_per_hour) p.fail("per_hour", "price_usd_per_hour is given too: which of the two?");
    p.finish();
  }
  if (const json* v = r.get("api")) {
    FieldReader p(*v, "api", error);
    p.figure("usd_per_million_input_tokens", s.api.usd_per_million_input_tokens, 0, kLargestMoney);
    p.figure("usd_per_million_output_tokens", s.api.usd_per_million_output_tokens, 0, kLargestMoney);
    p.finish();
  }
  r.number("utilisation", s.utilisation, 1e-6, 1);
  if (const json* v = r.get("ownership")) {
    FieldReader p(*v, "ownership", error);
    p.figure("card_price_usd", s.ownership.card_price_usd, 0, kLargestMoney);
    p.number("lifetime_months", s.ownership.lifetime_months, 1, 1200);
    p.figure("usd_per_kwh", s.ownership.usd_per_kwh, 0, 1000);
    p.text("country", s.ownership.country);
    p.number("pue", s.ownership.pue, 1, 10);
    if (const json* own = p.get("own")) {
      if (own->is_boolean()) s.ownership.own = own->get<bool>();
      else p.fail("own", "expected true or false, found " + RowReader::describe(*own));
    }
    p.finish();
  }
  if (const json* v = r.get("limits")) {
    FieldReader p(*v, "limits", error);
    p.figure("budget_usd", s.limits.budget_usd, 0, kLargestMoney);
    p.figure("deadline_h", s.limits.deadline_h, 0, 1e9);
    p.figure("latency_s", s.limits.latency_s, 0, 1e9);
    p.figure("headroom_gib", s.limits.headroom_gib, 0, 1e6);
    p.finish();
  }
  if (const json* v = r.get("custom_gpu"); v && !error) {
    json row = *v;
    if (row.is_object()) {
      if (!row.contains("id")) row["id"] = "custom-gpu";
      if (!row.contains("name")) row["name"] = row["id"];
    }
    Result<Gpu> gpu = read_gpu(row, "custom_gpu");
    if (!gpu) error = Error{ErrorCode::kInvalidInput, gpu.error().path, gpu.error().message};
    else {
      s.custom_gpu = std::move(gpu.value());
      s.custom_gpu_json = json_text(*v);
    }
  }
  if (const json* v = r.get("custom_model"); v && !error) {
    json row = *v;
    if (row.is_object()) {
      if (!row.contains("id")) row["id"] = "custom-model";
      if (!row.contains("name")) row["name"] = row["id"];
    }
    Result<Model> model = read_model(row, "custom_model");
    if (!model) error = Error{ErrorCode::kInvalidInput, model.error().path, model.error().message};
    else {
      s.custom_model = std::move(model.value());
      s.custom_model_json = json_text(*v);
    }
  }
  r.finish();
  if (error) return *error;
  return s;
}

json to_json(const Scenario& s) {
  JsonFields o;
  o.set("version", s.version);
  o.set_or_null("as_of", s.as_of);
  o.set("workload", to_word(s.workload));
  o.set_or_null("model", s.model);
  o.set_or_null("draft_model", s.draft_model);
  o.set_or_null("engine", s.engine);
  JsonFields precision;
  precision.set_or_null("weights", s.precision.weights);
  precision.set_or_null("kv_cache", s.precision.kv_cache);
  o.set("precision", std::move(precision));
  o.set_or_null("gpu", s.gpu);
  o.set("gpu_count", s.gpu_count);
  o.set("nodes", s.nodes);
  o.set("gpus", json());
  if (!s.gpus.empty()) {
    json gpus = json::array();
    for (const GpuCount& g : s.gpus) {
      JsonFields entry;
      entry.set("gpu", g.gpu);
      entry.set("count", g.count);
      gpus.push_back(entry.take());
    }
    o.set("gpus", std::move(gpus));
  }
  JsonFields parallelism;
  parallelism.set_or_null("tensor", s.parallelism.tensor);
  parallelism.set_or_null("pipeline", s.parallelism.pipeline);
  parallelism.set_or_null("expert", s.parallelism.expert);
  parallelism.set_or_null("data", s.parallelism.data);
  o.set("parallelism", std::move(parallelism));
  for (const OffloadName& k : kOffloads)
    if (k.kind == s.offload) o.set("offload", k.name);
  JsonFields host;
  host.set("ram_gib", s.host.ram_gib);
  host.set("ram_gb_per_s", s.host.ram_gb_per_s);
  host.set("pcie_gb_per_s", s.host.pcie_gb_per_s);
  host.set("vram_reserved_gib", s.host.vram_reserved_gib);
  o.set("host", std::move(host));
  o.set_or_null("context_tokens", s.context_tokens);
  o.set("prompt_tokens", s.prompt_tokens);
  o.set("output_tokens", s.output_tokens);
  o.set("concurrency", s.concurrency);
  JsonFields rag;
  rag.set("requests_per_s", s.rag.requests_per_s);
  rag.set("latency_s", s.rag.latency_s);
  o.set("rag", std::move(rag));
  const Scenario::Training& t = s.training;
  JsonFields training;
  training.set("method", t.method);
  training.set_or_null("samples", t.samples);
  training.set_or_null("tokens", t.tokens);
  training.set("epochs", t.epochs);
  training.set("sequence_tokens", t.sequence_tokens);
  training.set_or_null("micro_batch", t.micro_batch);
  training.set("global_batch", t.global_batch);
  training.set("precision", t.precision);
  training.set("optimizer", t.optimizer);
  training.set_or_null("checkpointing", t.checkpointing);
  training.set("sharding", t.sharding);
  training.set("lora_rank", t.lora_rank);
  o.set("training", std::move(training));
  JsonFields vision;
  vision.set("images", s.vision.images);
  vision.set("epochs", s.vision.epochs);
  vision.set_or_null("resolution", s.vision.resolution);
  vision.set_or_null("batch", s.vision.batch);
  o.set("vision", std::move(vision));
  JsonFields image;
  image.set_or_null("width", s.image.width);
  image.set_or_null("height", s.image.height);
  image.set_or_null("steps", s.image.steps);
  image.set("batch", s.image.batch);
  image.set_or_null("frames", s.image.frames);
  o.set("image", std::move(image));
  JsonFields hpc;
  hpc.set("kernel", s.hpc.kernel);
  hpc.set("size", s.hpc.size);
  o.set("hpc", std::move(hpc));
  JsonFields offer;
  offer.set_or_null("provider", s.offer.provider);
  offer.set("kind", s.offer.kind);
  offer.set_or_null("region", s.offer.region);
  offer.set_or_null("instance", s.offer.instance);
  o.set("offer", std::move(offer));
  o.set_or_null("price_usd_per_hour", s.price_usd_per_hour);
  JsonFields price;
  price.set_or_null("per_hour", s.price.per_hour);
  price.set("currency", s.price.currency);
  price.set_or_null("seller", s.price.seller);
  o.set("price", std::move(price));
  JsonFields api;
  api.set_or_null("usd_per_million_input_tokens", s.api.usd_per_million_input_tokens);
  api.set_or_null("usd_per_million_output_tokens", s.api.usd_per_million_output_tokens);
  o.set("api", std::move(api));
  o.set("utilisation", s.utilisation);
  JsonFields ownership;
  ownership.set("own", s.ownership.own);
  ownership.set_or_null("card_price_usd", s.ownership.card_price_usd);
  ownership.set("lifetime_months", s.ownership.lifetime_months);
  ownership.set_or_null("usd_per_kwh", s.ownership.usd_per_kwh);
  ownership.set_or_null("country", s.ownership.country);
  ownership.set("pue", s.ownership.pue);
  o.set("ownership", std::move(ownership));
  JsonFields limits;
  limits.set_or_null("budget_usd", s.limits.budget_usd);
  limits.set_or_null("deadline_h", s.limits.deadline_h);
  limits.set_or_null("latency_s", s.limits.latency_s);
  limits.set_or_null("headroom_gib", s.limits.headroom_gib);
  o.set("limits", std::move(limits));
  o.set("custom_gpu", s.custom_gpu ? json::parse(s.custom_gpu_json, nullptr, false) : json());
  o.set("custom_model", s.custom_model ? json::parse(s.custom_model_json, nullptr, false) : json());
  return o.take();
}

}  // namespace whichgpu
