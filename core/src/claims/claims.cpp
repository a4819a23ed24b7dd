#include "whichgpu/claims.hpp"

#include <algorithm>
#include <functional>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "whichgpu/cost.hpp"
#include "whichgpu/estimate.hpp"

namespace whichgpu {
namespace {

constexpr const char* kA6000 = "nvidia-rtx-a6000";
constexpr const char* k4090 = "nvidia-rtx-4090";
constexpr const char* kA100Pcie40 = "nvidia-a100-pcie-40gb";
constexpr const char* kA100Pcie80 = "nvidia-a100-pcie-80gb";
constexpr const char* kA100Sxm80 = "nvidia-a100-sxm-80gb";

std::string n(double v, int digits = 3) { return format_number(v, digits); }
std::string range(double low, double high) { return n(low) + " to " + n(high); }

using Ask = std::function<void(Scenario&)>;

/// The answers that the claims need. A claim about something that the catalog does not hold is left out.
class Desk {
 public:
  explicit Desk(const Catalog& catalog) : catalog_(catalog) {}

  std::optional<Estimate> ask(const char* model, const char* gpu, Workload workload, const Ask& more = {}) const {
    Scenario s;
    s.model = model;
    s.gpu = gpu;
    s.workload = workload;
    if (more) more(s);
    Result<Question> q = resolve(catalog_, s);
    if (!q) return std::nullopt;
    q.value().explain = false;
    return estimate(q.value());
  }
  bool runs(const char* model, const char* gpu, const char* format, const char* engine) const {
    const auto e = ask(model, gpu, Workload::kChat, [&](Scenario& s) {
      s.precision.weights = format;
      s.engine = engine;
      s.context_tokens = 4096;
      s.explicit_context = true;
    });
    return e && e->memory && (e->memory->verdict == Verdict::kFits || e->memory->verdict == Verdict::kTight);
  }
  double chat(const char* model, const char* gpu, const char* format) const {
    const auto e = ask(model, gpu, Workload::kChat, [&](Scenario& s) { s.precision.weights = format; });
    return e && e->speed && e->speed->decode_tokens_per_s ? e->speed->decode_tokens_per_s->value : 0;
  }
  double training_hours(const char* model, const char* gpu, Workload workload, const Ask& more = {}) const {
    const auto e = ask(model, gpu, workload, more);
    if (e && e->training && e->training->hours) return e->training->hours->value;
    if (e && e->vision && e->vision->images_per_s) return 1 / e->vision->images_per_s->value;
    return 0;
  }
  const Gpu& gpu(const char* id) const { return *catalog_.find_gpu(id); }
  const Catalog& catalog() const { return catalog_; }

  /// Prices of one GPU for an hour on demand, cheapest first: the newest of each offer that is a real one.
  std::vector<double> prices(const char* gpu, const char* provider = "") const {
    Scenario s;
    s.workload = Workload::kChat;
    s.model = "llama-3.1-8b";
    s.gpu = gpu;
    if (*provider) s.offer.provider = provider;
    std::vector<double> out;
    const Result<Question> q = resolve(catalog_, s);
    if (!q) return out;
    for (const PricedOffer& p : offers_for(q.value()))
      if (p.proper && !p.stale && p.offer->gpu_count > 0) out.push_back(p.usd_per_hour / (p.instances * p.offer->gpu_count));
    std::sort(out.begin(), out.end());
    return out;
  }
  bool offered(const char* provider, const char* gpu) const {
    return std::any_of(catalog_.offers.begin(), catalog_.offers.end(), [&](const Offer& o) { return o.provider == provider && o.gpu == gpu; });
  }
  double usd_per(const char* currency) const {
    for (const Currency& c : catalog_.currencies)
      if (c.code == currency && c.usd_per_unit) return *c.usd_per_unit;
    return 0;
  }

 private:
  const Catalog& catalog_;
};

double middle(const std::vector<double>& sorted) { return sorted.empty() ? 0 : sorted[sorted.size() / 2]; }

struct Answer { ClaimVerdict verdict; ClaimText text; };
ClaimVerdict agree_if(bool yes) { return yes ? ClaimVerdict::kAgree : ClaimVerdict::kDisagree; }
ClaimVerdict partly_if(bool all, bool some) { return all ? ClaimVerdict::kAgree : some ? ClaimVerdict::kPartly : ClaimVerdict::kDisagree; }

// ---- one function a claim; the rule of its verdict is its last expression ----

Answer bandwidth(const Desk& d) {
  const double a = *d.gpu(kA6000).bandwidth_gb_per_s, low = *d.gpu(kA100Pcie40).bandwidth_gb_per_s, high = *d.gpu(kA100Sxm80).bandwidth_gb_per_s;
  const double first = low / a, second = high / a;
  return {partly_if(first > 1.8 && second < 2.3, first > 1.8),
      {n(low, 4) + " and " + n(high, 4) + " GB/s against " + n(a) + ": " + n(first) + " times with 40 GB, " + n(second) + " times with 80 GB.",
       n(low, 4) + " y " + n(high, 4) + " GB/s frente a " + n(a) + ": " + n(first) + " veces con 40 GB y " + n(second) + " veces con 80 GB."}};
}

Answer training(const Desk& d) {
  const auto lora = [](Scenario&) {};
  const auto pretrain = [](Scenario& s) { s.training.method = "pretrain"; s.training.tokens = 1e9; s.training.global_batch = 256; };
  const double fine = d.training_hours("llama-3.1-8b", kA6000, Workload::kFinetune, lora) / d.training_hours("llama-3.1-8b", kA100Sxm80, Workload::kFinetune, lora);
  const double pre = d.training_hours("llama-3.2-1b", kA6000, Workload::kPretrain, pretrain) / d.training_hours("llama-3.2-1b", kA100Sxm80, Workload::kPretrain, pretrain);
  const double cnn = d.training_hours("resnet-50", kA6000, Workload::kVisionTraining) / d.training_hours("resnet-50", kA100Sxm80, Workload::kVisionTraining);
  const auto inside = [](double v) { return v >= 1.5 && v <= 3; };
  const std::string list = n(fine) + ", " + n(pre) + ", " + n(cnn);
  return {partly_if(inside(fine) && inside(pre) && inside(cnn), inside(fine) || inside(pre) || inside(cnn)),
      {"Times faster in mixed precision (SXM, 80 GB): LoRA of 8 B, pretraining of 1 B, ResNet-50: " + list + ".",
       "Veces más rápida en precisión mixta (SXM, 80 GB): LoRA de 8 B, preentrenar 1 B, ResNet-50: " + list + "."}};
}

Answer seventy_on_a100(const Desk& d) {
  const bool half = d.runs("llama-2-70b", kA100Sxm80, "fp16", "vllm"), eight = d.runs("llama-2-70b", kA100Sxm80, "q8_0", "llama.cpp"), four = d.runs("llama-2-70b", kA100Sxm80, "q4_k_m", "llama.cpp");
  const auto weights = [&](const char* format) {
    const auto e = d.ask("llama-2-70b", kA100Sxm80, Workload::kChat, [&](Scenario& s) { s.precision.weights = format; });
    return e && e->memory ? e->memory->per_gpu_gib.value : 0;
  };
  const std::string w16 = n(weights("fp16")), w8 = n(weights("q8_0")), w4 = n(weights("q4_k_m"));
  const auto word = [](bool fits, bool spanish) { return std::string(spanish ? (fits ? "cabe" : "no cabe") : fits ? "fits" : "does not fit"); };
  return {partly_if(half, eight || four),
      {"At 16 bits it needs " + w16 + " GiB and " + word(half, false) + "; at 8 bits " + w8 + " GiB, " + word(eight, false) + "; at 4 bits " + w4 + " GiB, " + word(four, false) + ".",
       "Con 16 bits necesita " + w16 + " GiB y " + word(half, true) + "; con 8 bits " + w8 + " GiB, " + word(eight, true) + "; con 4 bits " + w4 + " GiB, " + word(four, true) + "."}};
}

Answer seventy_on_a6000(const Desk& d) {
  const bool half = d.runs("llama-2-70b", kA6000, "fp16", "vllm"), eight = d.runs("llama-2-70b", kA6000, "q8_0", "llama.cpp"), four = d.runs("llama-2-70b", kA6000, "q4_k_m", "llama.cpp");
  return {agree_if(!half && four),
      {std::string("Neither 16 nor ") + (eight ? "more than 8" : "8") + " bits go into 48 GB; 4 bits do.", std::string("Con 16 bits no cabe en 48 GB") + (eight ? "" : ", con 8 tampoco") + "; con 4 bits, sí."}};
}

Answer fp16_rates(const Desk& d) {
  const Gpu &a = d.gpu(kA100Sxm80), &g = d.gpu(k4090);
  const double av = *a.fp16_vector_tflops, gv = *g.fp16_vector_tflops, at = *a.fp16_tensor_tflops, gt = *g.fp16_tensor_tflops;
  return {av > 77 && av < 79 && gv > 82 && gv < 83 ? ClaimVerdict::kPartly : ClaimVerdict::kDisagree,
      {"Those are the vector units (" + n(av) + " and " + n(gv) + "). Models run on the tensor cores: " + n(at) + " against " + n(gt) + " TFLOPS with FP32 sums, " + n(at / gt) + " times.",
       "Son las unidades vectoriales (" + n(av) + " y " + n(gv) + "). Los modelos usan los núcleos tensoriales: " + n(at) + " frente a " + n(gt) + " TFLOPS con sumas FP32, " + n(at / gt) + " veces."}};
}

Answer eighty_doubles(const Desk& d) {
  const Gpu &small = d.gpu("nvidia-a100-sxm-40gb"), &large = d.gpu(kA100Sxm80);
  const double tf32 = *large.tf32_tensor_tflops / *small.tf32_tensor_tflops, bf16 = *large.bf16_tensor_tflops / *small.bf16_tensor_tflops, bandwidth_ratio = *large.bandwidth_gb_per_s / *small.bandwidth_gb_per_s;
  return {agree_if(tf32 > 1.8 && bf16 > 1.8),
      {"TF32 " + n(*large.tf32_tensor_tflops) + " and BF16 " + n(*large.bf16_tensor_tflops) + " TFLOPS are the same on both (" + n(tf32) + " and " + n(bf16) + " times); memory doubles and bandwidth grows " + n(bandwidth_ratio) + " times.",
       "TF32 " + n(*large.tf32_tensor_tflops) + " y BF16 " + n(*large.bf16_tensor_tflops) + " TFLOPS son iguales en ambas (" + n(tf32) + " y " + n(bf16) + " veces); se dobla la memoria y el ancho de banda crece " + n(bandwidth_ratio) + " veces."}};
}

Answer twenty_four(const Desk& d) {
  const bool small_half = d.runs("llama-2-7b", k4090, "fp16", "vllm"), large_half = d.runs("llama-2-13b", k4090, "fp16", "vllm"), large_eight = d.runs("llama-2-13b", k4090, "q8_0", "llama.cpp");
  return {partly_if(small_half && large_half && large_eight, small_half && large_eight),
      {std::string("7 B at 16 bits ") + (small_half ? "fits" : "does not fit") + ", 13 B at 16 bits " + (large_half ? "fits" : "does not") + ", 13 B at 8 bits " + (large_eight ? "fits" : "does not") + ".",
       std::string("7 B con 16 bits ") + (small_half ? "cabe" : "no cabe") + ", 13 B con 16 bits " + (large_half ? "cabe" : "no") + ", 13 B con 8 bits " + (large_eight ? "cabe" : "no") + "."}};
}

Answer power(const Desk& d) {
  const double p40 = *d.gpu(kA100Pcie40).tdp_w, p80 = *d.gpu(kA100Pcie80).tdp_w, sxm = *d.gpu(kA100Sxm80).tdp_w, g = *d.gpu(k4090).tdp_w;
  const auto joules = [&](const char* gpu) {
    const auto e = d.ask("llama-3.1-8b", gpu, Workload::kServing, [](Scenario& s) { s.concurrency = 32; });
    return e && e->energy && e->energy->joules_per_token ? e->energy->joules_per_token->value : 0;
  };
  const double ja = joules(kA100Sxm80), jg = joules(k4090);
  return {agree_if(p40 == 250 && p80 == 300 && sxm == 400 && g == 450),
      {"Limits: A100 " + n(p40) + " and " + n(p80) + " W (PCIe), " + n(sxm) + " W (SXM); RTX 4090 " + n(g) + " W. What counts is energy per token: serving Llama-3.1-8B to 32 users " + n(ja) + " J on the A100 SXM and " + n(jg) + " J on the 4090.",
       "Límites: A100 " + n(p40) + " y " + n(p80) + " W (PCIe), " + n(sxm) + " W (SXM); RTX 4090 " + n(g) + " W. Lo que cuenta es la energía por token: sirviendo Llama-3.1-8B a 32 usuarios, " + n(ja) + " J en la A100 SXM y " + n(jg) + " J en la 4090."}};
}

Answer azure(const Desk& d) {
  const bool small = d.offered("azure", "nvidia-a100-sxm-40gb"), large = d.offered("azure", kA100Sxm80);
  return {partly_if(large && !small, large), {std::string("Its price list has ND96asr v4 with 40 GB") + (small ? "" : " no more") + " and ND96amsr A100 v4 with 80 GB.", "Su lista de precios tiene ND96asr v4, con 40 GB, y ND96amsr A100 v4, con 80 GB."}};
}

Answer lambda(const Desk& d) {
  const bool sold = d.offered("lambda", kA6000);
  return {agree_if(!sold), {sold ? "Its price list has had the RTX A6000, single and in groups." : "No offer of it is in the data.", sold ? "Su lista de precios ha tenido la RTX A6000, sola y en grupos." : "No hay ninguna oferta en los datos."}};
}

Answer seven_b_speed(const Desk& d) {
  const double g4 = d.chat("llama-2-7b", k4090, "q4_k_m"), g8 = d.chat("llama-2-7b", k4090, "q8_0"), g16 = d.chat("llama-2-7b", k4090, "fp16");
  const double a4 = d.chat("llama-2-7b", kA100Sxm80, "q4_k_m"), a8 = d.chat("llama-2-7b", kA100Sxm80, "q8_0"), a16 = d.chat("llama-2-7b", kA100Sxm80, "fp16");
  const auto near = [](double v) { return v > 110 && v < 150; };
  return {partly_if(near(g16) && near(a16), near(g4) || near(g8) || near(a4) || near(a8) || near(a16)),
      {"It depends on the format: 4, 8 and 16 bits give " + n(g4) + ", " + n(g8) + " and " + n(g16) + " tokens/s on the 4090, " + n(a4) + ", " + n(a8) + " and " + n(a16) + " on the A100 SXM, in one stream of llama.cpp.",
       "Depende del formato: 4, 8 y 16 bits dan " + n(g4) + ", " + n(g8) + " y " + n(g16) + " tokens/s en la 4090, y " + n(a4) + ", " + n(a8) + " y " + n(a16) + " en la A100 SXM, en un solo flujo de llama.cpp."}};
}

Answer rag(const Desk& d) {
  const auto load = [&](double users, double offered) {
    return d.ask("llama-3.1-8b", kA100Pcie40, offered > 0 ? Workload::kRag : Workload::kServing, [&](Scenario& s) {
      s.prompt_tokens = 1500;
      s.output_tokens = 100;
      s.concurrency = users;
      if (offered > 0) s.rag.requests_per_s = offered;
    });
  };
  const auto closed = load(68, 0), open = load(1, 2.8);
  const double rate = closed && closed->speed && closed->speed->requests_per_s ? closed->speed->requests_per_s->value : 0, wait = closed && closed->speed && closed->speed->latency_s ? closed->speed->latency_s->value : 0;
  const double calm = open && open->speed && open->speed->latency_s ? open->speed->latency_s->value : 0;
  const double in_flight = 2.8 * 2.3;  // Little's law with the claim's own figures
  return {agree_if(in_flight > 60 && wait < 3),
      {"Two load levels in one sentence: 2.8 requests/s at 2.3 s are " + n(in_flight) + " requests in flight (Little's law), not 68. Llama-3.1-8B in 16 bits: at 2.8 requests/s an answer takes " + n(calm) + " s; 68 at once get " + n(rate) + " requests/s and wait " + n(wait) + " s.",
       "Dos niveles de carga en una frase: 2.8 peticiones/s a 2.3 s son " + n(in_flight) + " peticiones a la vez (ley de Little), no 68. Llama-3.1-8B con 16 bits: a 2.8 peticiones/s una respuesta tarda " + n(calm) + " s; 68 a la vez reciben " + n(rate) + " peticiones/s y esperan " + n(wait) + " s."}};
}

Answer resnet_step(const Desk& d) {
  const double ratio = d.training_hours("resnet-50", kA100Sxm80, Workload::kVisionTraining) / d.training_hours("resnet-50", k4090, Workload::kVisionTraining);
  return {partly_if(ratio > 0.85, ratio > 0.6), {"In mixed precision the 4090 trains ResNet-50 at " + n(ratio) + " times the images/s of an A100 SXM.", "En precisión mixta la 4090 entrena ResNet-50 a " + n(ratio) + " veces las imágenes/s de una A100 SXM."}};
}

Answer two_cards(const Desk& d) {
  const auto throughput = [&](const char* gpu, int count) {
    const auto e = d.ask("llama-3.1-8b", gpu, Workload::kServing, [&](Scenario& s) {
      s.gpu_count = count;
      s.concurrency = 64;
      s.parallelism.data = count;
      s.parallelism.tensor = s.parallelism.pipeline = 1;
    });
    return e && e->speed && e->speed->throughput_tokens_per_s ? e->speed->throughput_tokens_per_s->value : 0;
  };
  const double speed = throughput(k4090, 2) / throughput(kA100Sxm80, 1);
  double card = 0, server = 0;
  for (const Ownership& o : d.catalog().ownership) {
    if (o.gpu == k4090) card = o.street_price_low_usd.value_or(o.used_price_low_usd.value_or(0));
    if (o.gpu == kA100Sxm80) server = o.street_price_low_usd.value_or(o.used_price_low_usd.value_or(0));
  }
  const double price = server > 0 ? 2 * card / server : 0;
  return {partly_if(speed > 1 && price > 0 && price < 1.0 / 3, speed > 1 || (price > 0 && price < 1.0 / 3)),
      {"Serving Llama-3.1-8B to 64 users, a copy on each card: " + n(speed) + " times the tokens/s of one A100 SXM, for " + n(price) + " of its card price (2 x " + n(card, 4) + " against " + n(server, 5) + " USD).",
       "Sirviendo Llama-3.1-8B a 64 usuarios, una copia en cada tarjeta: " + n(speed) + " veces los tokens/s de una A100 SXM, por " + n(price) + " de su precio (2 x " + n(card, 4) + " frente a " + n(server, 5) + " USD)."}};
}

Answer price_of(const Desk& d, const char* gpu, double low, double high, const char* other = "") {
  std::vector<double> list = d.prices(gpu);
  if (*other) {
    for (const double p : d.prices(other)) list.push_back(p);
    std::sort(list.begin(), list.end());
  }
  if (list.empty()) return {ClaimVerdict::kDisagree, {"No price of it is in the data.", "No hay ningún precio en los datos."}};
  const auto inside = static_cast<double>(std::count_if(list.begin(), list.end(), [&](double p) { return p >= low * 0.95 && p <= high * 1.05; }));
  const double share = inside / static_cast<double>(list.size());
  return {partly_if(share >= 0.75, share >= 0.3),
      {n(inside) + " of " + n(static_cast<double>(list.size())) + " offers of today are in that range; all are from $" + range(list.front(), list.back()) + " an hour, the middle one $" + n(middle(list)) + ".",
       n(inside) + " de " + n(static_cast<double>(list.size())) + " ofertas de hoy están en ese margen; van de " + n(list.front()) + " a " + n(list.back()) + " $ por hora, la mediana " + n(middle(list)) + " $."}};
}

Answer euro_a100(const Desk& d) {
  std::vector<double> list;
  for (const char* provider : {"aws", "azure", "gcp"})
    for (const char* gpu : {"nvidia-a100-sxm-40gb", kA100Sxm80, kA100Pcie80})
      for (const double p : d.prices(gpu, provider)) list.push_back(p / d.usd_per("EUR"));
  std::sort(list.begin(), list.end());
  if (list.empty()) return {ClaimVerdict::kDisagree, {"No price of today is in the data.", "No hay precios de hoy en los datos."}};
  return {partly_if(middle(list) > 2.9 && middle(list) < 3.9, list.front() < 3.4 && list.back() > 3.4),
      {"On demand at AWS, Azure and Google: " + range(list.front(), list.back()) + " EUR, the middle one " + n(middle(list)) + ".", "Bajo demanda en AWS, Azure y Google: de " + n(list.front()) + " a " + n(list.back()) + " EUR, la mediana " + n(middle(list)) + "."}};
}

Answer euro_4090(const Desk& d) {
  std::vector<double> list = d.prices(k4090);
  for (double& p : list) p /= d.usd_per("EUR");
  if (list.empty()) return {ClaimVerdict::kDisagree, {"No price of today is in the data.", "No hay precios de hoy en los datos."}};
  return {partly_if(middle(list) > 1 && middle(list) < 1.4, list.back() > 1.1),
      {"Offers of today are from " + range(list.front(), list.back()) + " EUR, the middle one " + n(middle(list)) + ".", "Las ofertas de hoy van de " + n(list.front()) + " a " + n(list.back()) + " EUR, la mediana " + n(middle(list)) + "."}};
}

struct Entry { const char *id, *about, *en, *es; std::function<Answer(const Desk&)> answer; };

}  // namespace

const char* to_word(ClaimVerdict v) { return v == ClaimVerdict::kAgree ? "agree" : v == ClaimVerdict::kPartly ? "partly" : "disagree"; }

std::vector<Claim> check_claims(const Catalog& catalog) {
  std::vector<Claim> out;
  for (const char* id : {kA6000, k4090, kA100Pcie40, kA100Pcie80, kA100Sxm80, "nvidia-a100-sxm-40gb"})
    if (!catalog.find_gpu(id)) return out;
  const Desk desk(catalog);
  const Entry entries[] = {
      {"bandwidth", "a6000-a100", "The A100's memory bandwidth is about twice the RTX A6000's.", "El ancho de banda de la A100 es más o menos el doble que el de la RTX A6000.", bandwidth},
      {"training-speed", "a6000-a100", "In mixed precision an A100 trains 1.5 to 3 times faster than an RTX A6000.", "En precisión mixta, una A100 entrena de 1.5 a 3 veces más rápido que una RTX A6000.", training},
      {"70b-on-a100", "a6000-a100", "One A100 80 GB holds Llama-2 70B entirely.", "Una A100 de 80 GB aloja entero Llama-2 70B.", seventy_on_a100},
      {"70b-on-a6000", "a6000-a100", "An RTX A6000 needs quantization or offload for Llama-2 70B.", "Una RTX A6000 necesita cuantizar o descargar Llama-2 70B.", seventy_on_a6000},
      {"azure-nd-a100", "a6000-a100", "Azure's ND A100 v4 has 80 GB.", "La ND A100 v4 de Azure tiene 80 GB.", azure},
      {"lambda-a6000", "a6000-a100", "Lambda has no RTX A6000.", "Lambda no tiene la RTX A6000.", lambda},
      {"price-a6000", "a6000-a100", "An RTX A6000 rents at $0.50 to 1.00 an hour.", "Una RTX A6000 se alquila entre 0.50 y 1.00 $ por hora.", [](const Desk& d) { return price_of(d, kA6000, 0.5, 1.0); }},
      {"price-a100-40", "a6000-a100", "An A100 40 GB rents at $1.20 to 2.50 an hour.", "Una A100 de 40 GB se alquila entre 1.20 y 2.50 $ por hora.", [](const Desk& d) { return price_of(d, "nvidia-a100-sxm-40gb", 1.2, 2.5, kA100Pcie40); }},
      {"price-a100-80", "a6000-a100", "An A100 80 GB rents at $1.80 to 4.00 an hour.", "Una A100 de 80 GB se alquila entre 1.80 y 4.00 $ por hora.", [](const Desk& d) { return price_of(d, kA100Sxm80, 1.8, 4.0, kA100Pcie80); }},
      {"fp16-rates", "4090-a100", "In FP16 the A100 does 78 and the RTX 4090 82.6 TFLOPS.", "En FP16 la A100 hace 78 y la RTX 4090 82.6 TFLOPS.", fp16_rates},
      {"80gb-doubles", "4090-a100", "The 80 GB variant of the A100 doubles TF32 and BF16.", "La variante de 80 GB de la A100 dobla TF32 y BF16.", eighty_doubles},
      {"24gb", "4090-a100", "24 GB suit models of 7 to 13 B in FP16 or quantized.", "24 GB sirven para modelos de 7 a 13 B en FP16 o cuantizados.", twenty_four},
      {"power", "4090-a100", "An A100 draws 250 to 300 W (PCIe; SXM 400 W), an RTX 4090 450 W.", "Una A100 consume de 250 a 300 W (PCIe; SXM 400 W) y una RTX 4090, 450 W.", power},
      {"7b-speed", "4090-a100", "A 7 B model runs at 120 to 140 tokens/s on an RTX 4090 or an A100.", "Un modelo de 7 B va a 120-140 tokens/s en una RTX 4090 o una A100.", seven_b_speed},
      {"rag-a100-40", "4090-a100", "An A100 40 GB serves about 68 simultaneous RAG requests of 1,500 tokens in and 100 out, at 2.3 s and 2.8 requests/s.", "Una A100 de 40 GB atiende unas 68 peticiones RAG simultáneas de 1500 tokens de entrada y 100 de salida, a 2.3 s y 2.8 peticiones/s.", rag},
      {"resnet-step", "4090-a100", "An RTX 4090 does a ResNet-50 step about as fast as an A100.", "Una RTX 4090 hace un paso de ResNet-50 casi tan rápido como una A100.", resnet_step},
      {"two-4090", "4090-a100", "Two RTX 4090s out-run one A100 for less than a third of the price.", "Dos RTX 4090 superan a una A100 por menos de un tercio del precio.", two_cards},
      {"price-a100-eur", "4090-a100", "An A100 costs about 3.40 EUR an hour on the large clouds.", "Una A100 cuesta unos 3.40 EUR por hora en las grandes nubes.", euro_a100},
      {"price-4090-eur", "4090-a100", "An RTX 4090 costs near 1.20 EUR an hour.", "Una RTX 4090 cuesta cerca de 1.20 EUR por hora.", euro_4090},
  };
  for (const Entry& e : entries) {
    Answer a = e.answer(desk);
    out.push_back({e.id, e.about, {e.en, e.es}, std::move(a.text), a.verdict});
  }
  return out;
}

nlohmann::json to_json(const std::vector<Claim>& claims) {
  nlohmann::json list = nlohmann::json::array();
  for (const Claim& c : claims)
    list.push_back({{"id", c.id}, {"about", c.about}, {"said", {{"en", c.said.en}, {"es", c.said.es}}}, {"ours", {{"en", c.ours.en}, {"es", c.ours.es}}}, {"verdict", to_word(c.verdict)}});
  return list;
}

}  // namespace whichgpu
