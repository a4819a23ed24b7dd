#pragma once
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "whichgpu/catalog.hpp"
#include "whichgpu/result.hpp"

namespace whichgpu {

enum class Workload { kChat, kServing, kRag, kFinetune, kPretrain, kVisionTraining, kVisionInference, kImageGeneration, kHpc };
const char* to_word(Workload workload);

enum class OffloadKind { kNone, kCpu, kExperts, kOptimizer };  ///< "none", "cpu" (layers or weights), "experts" (MoE experts), "optimizer" (training states)

struct GpuCount { std::string gpu; int count = 1; };

/// The question. Every field has a default, so {model, gpu} is a whole scenario. The JSON form is that of
/// data/schema/contract.schema.json; unknown fields are errors.
struct Scenario {
  int version = 1;
  std::string as_of;
  Workload workload = Workload::kChat;
  std::string model, draft_model, engine, gpu;
  struct Precision { std::string weights, kv_cache; } precision;
  int gpu_count = 1, nodes = 1;
  std::vector<GpuCount> gpus;
  struct Parallelism { int tensor = 0, pipeline = 0, expert = 0, data = 0; } parallelism;  ///< 0: chosen by us
  OffloadKind offload = OffloadKind::kNone;
  struct Host { double ram_gib = 64, ram_gb_per_s = 80, pcie_gb_per_s = 32, vram_reserved_gib = 0.5; } host;
  double context_tokens = 0;  ///< 0: not given
  double prompt_tokens = 1024, output_tokens = 256, concurrency = 1;
  struct Rag { double requests_per_s = 2.0, latency_s = 3.0; } rag;
  struct Training {
    std::string method = "lora", precision = "bf16-mixed", optimizer = "adamw", checkpointing, sharding = "auto";
    double samples = 0, tokens = 0, epochs = 1, sequence_tokens = 2048, micro_batch = 0, global_batch = 16;  ///< samples: examples of sequence_tokens each, 0 where tokens say it; tokens 0: 10 million, in pretraining 20 a parameter; micro_batch 0: chosen by us
    int lora_rank = 16;
  } training;
  struct Vision { double images = 1281167, epochs = 90; int resolution = 0; double batch = 0; } vision;  ///< 0: the model's own, chosen by us
  struct Image { int width = 0, height = 0, steps = 0; double batch = 1; int frames = 0; } image;        ///< 0: the model's own
  struct Hpc { std::string kernel = "dgemm"; double size = 16384; } hpc;
  struct OfferChoice { std::string provider, kind = "on-demand", region, instance; } offer;
  Figure price_usd_per_hour;
  struct TypedPrice { Figure per_hour; std::string currency = "USD", seller; } price;  ///< a price and a provider of one's own, for the whole machine
  struct Api { Figure usd_per_million_input_tokens, usd_per_million_output_tokens; } api;  ///< what buying the tokens costs instead
  double utilisation = 1.0;
  struct Owner { Figure card_price_usd; double lifetime_months = 36; Figure usd_per_kwh; std::string country; double pue = 1.2; bool own = false;
    bool used = false;  ///< the card is bought used
    Figure card_resale_usd;  ///< what one card still brings after its lifetime
    Figure colocation_usd_per_month, staff_usd_per_month;  ///< of the whole machine
  } ownership;
  struct Spot {
    Figure interruptions_per_hour;  ///< of one machine
    Figure checkpoint_h;            ///< hours of work between checkpoints; without them an interrupted run starts over
  } spot;
  struct Limits {
    Figure budget_usd, deadline_h, latency_s, headroom_gib;
    bool single_node = false;
    std::vector<std::string> provider_kinds;  ///< rented from these kinds of provider only
    std::vector<std::string> gpus;            ///< these GPUs only: those that one has, say
  } limits;
  std::optional<Gpu> custom_gpu;
  std::optional<Model> custom_model;
  std::string custom_gpu_json, custom_model_json;  ///< as given, so that an echo or a link loses nothing
  bool explicit_context = false;  ///< context_tokens was given
};

/// Reads a scenario. Only shape, types and ranges are checked here. Errors: kInvalidInput with the path of the field.
Result<Scenario> read_scenario(const nlohmann::json& document);

/// The scenario as JSON with every field filled in.
nlohmann::json to_json(const Scenario& scenario);

/// Tokens per parameter of a compute-optimal pretraining run (Hoffmann et al. 2022, arXiv 2203.15556).
inline constexpr double kComputeOptimalTokens = 20;

/// A scenario whose names are resolved against the catalog and whose defaults are filled in. Holds pointers into the
/// catalog and into `scenario` (custom entries), so keep both alive.
struct Question {
  const Catalog* catalog = nullptr;
  Scenario scenario;            ///< with all defaults filled in
  const Model* model = nullptr; ///< null for hpc
  const Model* draft_model = nullptr;
  const Quant* quant = nullptr; ///< weights' format; null where the workload has none
  const Engine* engine = nullptr;
  const Gpu* gpu = nullptr;     ///< the GPU, or the smallest of a mixed box
  std::vector<std::pair<const Gpu*, int>> box;  ///< all cards, for mixed boxes; else {gpu, gpu_count}
  bool explain = true;          ///< make formula strings (the ranking does not)
  double kv_tokens() const;     ///< tokens held per sequence: context_tokens if given, else prompt + output
};

/// Resolves names and defaults. Errors: kUnknownId (with the nearest names), kInvalidInput.
Result<Question> resolve(const Catalog& catalog, const Scenario& scenario);

/// The catalog's format for a precision word of a scenario or a measurement, given the engine (context-dependent aliases:
/// "fp16" is gguf-f16 with a GGUF engine, "int4" is awq-4bit-128g, "fp8" the model's own FP8 form else fp8-tensor …).
const Quant* find_precision(const Catalog& catalog, std::string_view word, const Engine* engine, const Model* model);

/// Bits per element of a KV cache word: fp16 16, q8_0 8.5, fp8 8, q4_0 4.5 … nullopt when unknown.
std::optional<double> kv_bits(std::string_view word);

}  // namespace whichgpu
