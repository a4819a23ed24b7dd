#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "whichgpu/scenario.hpp"

namespace whichgpu {
namespace {

template <class T>
std::string suggestion(const std::vector<T>& rows, const NameIndex& names, const std::string& given) {
  std::vector<std::string> ids;
  ids.reserve(rows.size());
  for (const T& row : rows) ids.push_back(row.id);
  const std::vector<std::string> near = names.nearest(given, ids);
  if (near.empty()) return "";
  std::string text = "; did you mean ";
  for (std::size_t i = 0; i < near.size(); ++i) text += std::string(i ? ", " : "") + near[i];
  return text + "?";
}

template <class T>
Error unknown_id(const char* path, const char* kind, const std::string& given, const std::vector<T>& rows, const NameIndex& names) {
  return {ErrorCode::kUnknownId, path, std::string("no ") + kind + " \"" + given + "\" in the catalog" + suggestion(rows, names, given)};
}

bool is_language(Workload w) { return w == Workload::kChat || w == Workload::kServing || w == Workload::kRag; }
bool is_training(Workload w) { return w == Workload::kFinetune || w == Workload::kPretrain; }

/// The engine people use for a format family when they name none.
const char* engine_for(const std::string& family, Workload workload) {
  if (family == "gguf") return "llama.cpp";
  if (family == "exl2" || family == "exl3") return "exllamav2";
  if (family == "mlx") return "mlx";
  if (family == "bnb") return "transformers";
  return workload == Workload::kChat && family == "plain" ? "llama.cpp" : "vllm";
}

bool before_ampere(const Gpu& gpu) {
  return gpu.vendor == "NVIDIA" && !gpu.bf16_tensor_tflops;
}

/// The family of formats that an engine is made for; the catalog lists it first.
std::string_view own_family(const Engine& e) { return e.formats.empty() ? std::string_view("plain") : std::string_view(e.formats.front()); }

/// What an engine's users load when they choose nothing: the form the model is published in where the engine is made for
/// those, else the usual size of the engine's own format.
const char* usual_format(const Engine& e, const Model* model, const Gpu& gpu) {
  const std::string_view native = model ? std::string_view(model->native_dtype) : std::string_view();
  if (own_family(e) == "gguf" && starts_with(native, "mxfp4")) return "gguf-mxfp4-moe";
  struct Usual { const char* family; const char* format; };
  static constexpr Usual kUsual[] = {{"gguf", "gguf-q4_k_m"}, {"mlx", "mlx-4bit-64g"}, {"exl2", "exl2-4_65bpw"}, {"exl3", "exl3-4bpw"}, {"awq", "awq-4bit-128g"}, {"gptq", "gptq-4bit-128g"}, {"mlc", "mlc-q4f16_1"}};
  for (const Usual& u : kUsual)
    if (own_family(e) == u.family) return u.format;
  for (const char* published : {"mxfp4", "fp8", "int4"})
    if (starts_with(native, published)) return published;
  return before_ampere(gpu) ? "fp16" : "bf16";
}

/// Largest power of two that divides `gpus`, is at most 8 (one node of most machines) and does not split a key/value head
/// group further than engines can (they replicate beyond the key/value heads, but need whole query heads).
int choose_tensor(const Model* model, int gpus_per_node) {
  int tensor = 1;
  while (tensor * 2 <= gpus_per_node && gpus_per_node % (tensor * 2) == 0) {
    if (model && model->num_attention_heads > 0 && model->num_attention_heads % (tensor * 2) != 0) break;
    tensor *= 2;
  }
  return tensor;
}

}  // namespace

double Question::kv_tokens() const { return scenario.context_tokens > 0 ? scenario.context_tokens : scenario.prompt_tokens + scenario.output_tokens; }

Result<Question> resolve(const Catalog& catalog, const Scenario& given) {
  Question q;
  q.catalog = &catalog;
  q.scenario = given;
  Scenario& s = q.scenario;
  if (s.as_of.empty()) s.as_of = catalog.as_of;

  if (s.workload != Workload::kHpc) {
    if (given.custom_model && (s.model.empty() || s.model == given.custom_model->id)) {
      q.model = &*given.custom_model;
    } else {
      if (s.model.empty()) return Error{ErrorCode::kInvalidInput, "model", "expected a model; a scenario needs at least a model and a GPU"};
      q.model = catalog.find_model(s.model);
      if (!q.model) return unknown_id("model", "model", s.model, catalog.models, catalog.model_names);
    }
    s.model = q.model->id;
    const bool language = q.model->has_layers() && q.model->kind != "embedding";
    if ((is_language(s.workload) && !q.model->has_layers()) || (is_training(s.workload) && !q.model->has_layers()))
      return Error{ErrorCode::kInvalidInput, "workload", std::string(to_word(s.workload)) + " needs a language model; " + q.model->id + " is of kind " + q.model->kind};
    if (is_training(s.workload) && !language && q.model->kind != "embedding") return Error{ErrorCode::kInvalidInput, "workload", "cannot train " + q.model->id};
    if ((s.workload == Workload::kVisionTraining || s.workload == Workload::kVisionInference) && q.model->kind != "vision")
      return Error{ErrorCode::kInvalidInput, "workload", std::string(to_word(s.workload)) + " needs a vision model; " + q.model->id + " is of kind " + q.model->kind};
    if (s.workload == Workload::kImageGeneration && q.model->kind != "diffusion" && q.model->kind != "video")
      return Error{ErrorCode::kInvalidInput, "workload", "image-generation needs an image or video model; " + q.model->id + " is of kind " + q.model->kind};
  }
  if (!s.draft_model.empty()) {
    q.draft_model = catalog.find_model(s.draft_model);
    if (!q.draft_model) return unknown_id("draft_model", "model", s.draft_model, catalog.models, catalog.model_names);
    s.draft_model = q.draft_model->id;
  }

  if (!s.gpus.empty()) {
    int total = 0;
    for (std::size_t i = 0; i < s.gpus.size(); ++i) {
      const Gpu* gpu = given.custom_gpu && s.gpus[i].gpu == given.custom_gpu->id ? &*given.custom_gpu : catalog.find_gpu(s.gpus[i].gpu);
      if (!gpu) {
        const std::string path = "gpus/" + std::to_string(i) + "/gpu";
        return unknown_id(path.c_str(), "GPU", s.gpus[i].gpu, catalog.gpus, catalog.gpu_names);
      }
      s.gpus[i].gpu = gpu->id;
      q.box.emplace_back(gpu, s.gpus[i].count);
      total += s.gpus[i].count;
      if (!q.gpu || gpu->memory_gib_usable.value_or(0) < q.gpu->memory_gib_usable.value_or(0)) q.gpu = gpu;
    }
    s.gpu_count = total;
  } else {
    if (given.custom_gpu && (s.gpu.empty() || s.gpu == given.custom_gpu->id)) {
      q.gpu = &*given.custom_gpu;
    } else {
      if (s.gpu.empty()) return Error{ErrorCode::kInvalidInput, "gpu", "expected a GPU; a scenario needs at least a model and a GPU"};
      q.gpu = catalog.find_gpu(s.gpu);
      if (!q.gpu) return unknown_id("gpu", "GPU", s.gpu, catalog.gpus, catalog.gpu_names);
    }
    q.box.emplace_back(q.gpu, s.gpu_count);
  }
  s.gpu = q.gpu->id;
  // More GPUs than one machine holds are several machines: boards of eight, or what the link joins where that is more.
  if (is_training(s.workload) && s.nodes == 1 && s.gpus.empty()) {
    constexpr double kUsualBoard = 8;
    const double joined = std::max(kUsualBoard, q.gpu->link_max_gpus.value_or(0));
    s.nodes = static_cast<int>(std::ceil(s.gpu_count / joined));
  }
  if (s.nodes > s.gpu_count) return Error{ErrorCode::kInvalidInput, "nodes", std::to_string(s.nodes) + " nodes cannot share " + std::to_string(s.gpu_count) + " GPUs"};

  // Engine and precision: each one follows from the other when only one is named.
  if (!s.engine.empty()) {
    q.engine = catalog.find_engine(s.engine);
    if (!q.engine) return unknown_id("engine", "engine", s.engine, catalog.engines, catalog.engine_names);
  }
  if (is_language(s.workload)) {
    if (!q.engine && !s.precision.weights.empty()) {
      // Words such as "fp16" depend on the engine, so they are read with the workload's default engine first.
      const Engine* usual = catalog.find_engine(s.workload == Workload::kChat ? "llama.cpp" : "vllm");
      const Quant* quant = find_precision(catalog, s.precision.weights, usual, q.model);
      if (quant) q.engine = catalog.find_engine(engine_for(quant->family, s.workload));
    }
    if (!q.engine) q.engine = catalog.find_engine(s.workload == Workload::kChat ? "llama.cpp" : "vllm");
    if (!q.engine) return Error{ErrorCode::kBadData, "engines", "the catalog lacks the default engines llama.cpp and vllm"};
    if (s.precision.weights.empty())
      s.precision.weights = usual_format(*q.engine, q.model, *q.gpu);
    if (s.precision.kv_cache.empty()) s.precision.kv_cache = "fp16";
    if (!kv_bits(s.precision.kv_cache)) return Error{ErrorCode::kUnknownId, "precision/kv_cache", "no KV cache format \"" + s.precision.kv_cache + "\"; known are fp16, bf16, fp8, int8, q8_0, q5_1, q5_0, q4_1, q4_0, fp32"};
  } else if (s.workload == Workload::kImageGeneration || s.workload == Workload::kVisionInference || s.workload == Workload::kVisionTraining) {
    if (s.precision.weights.empty()) s.precision.weights = before_ampere(*q.gpu) || s.workload == Workload::kImageGeneration ? "fp16" : "bf16";
  }
  if (!s.precision.weights.empty()) {
    q.quant = find_precision(catalog, s.precision.weights, q.engine, q.model);
    if (!q.quant) return unknown_id("precision/weights", "format", s.precision.weights, catalog.quants, catalog.quant_names);
    s.precision.weights = q.quant->id;
  }
  if (q.engine) s.engine = q.engine->id;

  if (q.model && is_language(s.workload)) {
    const double needed = s.prompt_tokens + s.output_tokens;
    if (!s.explicit_context) {
      const double usual = q.model->max_context > 0 && q.model->max_context < 8192 ? q.model->max_context : 8192;
      s.context_tokens = s.workload == Workload::kChat && usual > needed ? usual : needed;
    }
  }

  // tensor * pipeline * data is all GPUs; what is left out is chosen.
  Scenario::Parallelism& p = s.parallelism;
  if (s.training.samples > 0) s.training.tokens = s.training.samples * s.training.sequence_tokens;
  if (s.training.tokens <= 0) {
    constexpr double kFineTuningTokens = 1e7;  // a usual instruction set
    s.training.tokens = s.workload == Workload::kPretrain && q.model ? kComputeOptimalTokens * q.model->params_total : kFineTuningTokens;
  }
  int* const parts[] = {&p.tensor, &p.pipeline, &p.data};
  long long known = 1;
  bool open = false;
  for (const int* part : parts) {
    open = open || *part == 0;
    known *= std::max(1, *part);
  }
  if (s.gpu_count % known != 0 || (!open && known != s.gpu_count))
    return Error{ErrorCode::kInvalidInput, "parallelism", "tensor x pipeline x data must equal the GPU count, " + std::to_string(s.gpu_count)};
  if (!is_training(s.workload)) {
    const bool layer_split = q.engine && (own_family(*q.engine) == "gguf" || q.box.size() > 1);
    const int per_node = s.gpu_count / s.nodes;
    if (p.tensor == 0 && p.pipeline == 0 && p.data == 0) {
      if (!is_language(s.workload)) {
        p.tensor = p.pipeline = 1;
        p.data = s.gpu_count;
      } else if (layer_split) {
        p.tensor = p.data = 1;
        p.pipeline = s.gpu_count;
      } else {
        p.tensor = choose_tensor(q.model, per_node);
        p.data = 1;
        p.pipeline = s.gpu_count / p.tensor;
      }
    } else {
      int rest = static_cast<int>(s.gpu_count / known);
      for (int* part : parts)
        if (*part == 0) {
          *part = rest;
          rest = 1;
        }
    }
    if (p.expert == 0) p.expert = 1;
  }
  // Where training is still free to choose, the plan finds degrees that hold the experts.
  const long long spread = p.tensor > 0 && p.data > 0 ? static_cast<long long>(p.tensor) * p.data : s.gpu_count;
  if (p.expert > spread) return Error{ErrorCode::kInvalidInput, "parallelism/expert", "experts spread over at most tensor x data GPUs, " + std::to_string(spread)};
  for (char& c : s.price.currency)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  if (s.price.per_hour && !catalog.find_currency(s.price.currency)) return Error{ErrorCode::kUnknownId, "price/currency", "no exchange rate of \"" + s.price.currency + "\" is known"};
  if (!s.offer.provider.empty() && s.offer.provider != "any" && s.offer.provider != "own") {
    const Provider* provider = catalog.find_provider(s.offer.provider);
    if (!provider) return unknown_id("offer/provider", "provider", s.offer.provider, catalog.providers, catalog.provider_names);
    s.offer.provider = provider->id;
  }
  for (const std::string& kind : s.limits.provider_kinds)
    if (std::none_of(catalog.providers.begin(), catalog.providers.end(), [&](const Provider& provider) { return provider.kind == kind; }))
      return Error{ErrorCode::kUnknownId, "limits/provider_kinds", "no provider is of kind \"" + kind + "\""};
  for (std::string& name : s.limits.gpus) {
    const Gpu* gpu = given.custom_gpu && name == given.custom_gpu->id ? &*given.custom_gpu : catalog.find_gpu(name);
    if (!gpu) return unknown_id("limits/gpus", "GPU", name, catalog.gpus, catalog.gpu_names);
    name = gpu->id;
  }
  return q;
}

}  // namespace whichgpu
