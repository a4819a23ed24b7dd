#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "whichgpu/calibration.hpp"
#include "whichgpu/model_math.hpp"

/// The physics that decode and prefill share: what a model in a format asks of the cards, and what the cards offer under
/// an engine. No fitted number is in here.
namespace whichgpu::speed {

/// How an engine works, as far as speed is concerned: the parent level of its fitted effects.
/// "llama" (ggml engines), "mlx", "serve" (paged serving engines), "torch" (eager PyTorch), "fast" (compiled or
/// hand-written single-stream engines).
struct EngineKind {
  const char* family = "torch";
  const char* name = "transformers";  ///< the level's key
  bool layer_split = false;           ///< several cards hold whole layers and work one after the other
  double micro_batch_tokens = 8192;   ///< most prompt tokens in one forward pass (the engine's default)
};
/// From a measurement's software (lower case) or an engine's id. `engine` is what the catalog makes of it, or null.
EngineKind engine_kind(std::string_view software, const Engine* engine);

/// Formats that kernels treat alike: "f16", "gguf-k", "w4" …
const char* format_group(const Quant& quant);

enum class MatmulPath { kFp32, kFp16, kBf16, kInt8, kGgufInt8, kFp8, kFp4 };

struct Hardware {
  double bytes_per_s = 0;            ///< memory bandwidth of one card
  double matmul_flops = 0;           ///< peak of the data path that the matrix products use, of one card
  double attention_flops = 0;        ///< peak of the path that attention uses
  double link_bytes_per_s = 0;       ///< one direction, between two cards
  bool fast_link = false;            ///< NVLink, Infinity Fabric and alike; else PCIe
  double host_bytes_per_s = 60e9;    ///< at which offloaded weights are read (host_bytes_per_s() of the measured machines, which do not state it)
};

/// Rate at which a step reads weights that live in host memory, bytes/s. ggml engines compute on them where they lie, so the
/// memory sets the pace; the others copy them to the GPUs in every step, each over its own slot. Memory reaches three
/// quarters of its nominal rate (STREAM on two channels of DDR5), a slot four fifths; the fit scales the whole.
double host_bytes_per_s(bool computes_there, double ram_gb_per_s, double pcie_gb_per_s, double gpus);

/// What levels the effects have; both domains use the same. A level without meaning for a row stays 0.
enum Level { kFamily, kEngine, kFamilyFormat, kEngineFormat, kGeneration, kFamilyGeneration, kFormatGeneration, kEngineGeneration, kGpu, kKind, kFirstToken, kLevels };
extern const std::vector<const char*> kLevelNames;
struct NamedKeys { Keys keys; std::vector<std::string> names; };

/// A model in a format, under an engine, on cards.
struct Setup {
  Hardware hardware;
  ModelCache cache;
  double layers = 0, moe_layers = 0, recurrent_layers = 0, hidden = 0;
  double layer_bytes = 0, expert_bytes = 0, output_bytes = 0;  ///< experts: all routed experts
  double layer_flops = 0, expert_flops = 0, output_flops = 0;  ///< of one token; expert_flops: of one token in every routed expert
  double experts = 0, experts_per_token = 0;
  double cache_bytes_per_element = 2;
  double tensor = 1, cards_in_a_row = 1;   ///< tensor parallel width; cards that hold whole layers, one after the other
  double micro_batch_tokens = 8192;
  double total_bytes = 0;
  double host_share = 0, host_expert_share = 0;  ///< share of the bytes outside and inside the experts that live in host memory
  double years = 0;                        ///< of the measurement or question, relative to kEraOrigin
  /// Experts of a layer that `tokens` tokens use, as if they chose independently.
  double experts_used(double tokens) const;
  double cache_bytes(double context) const;
};
inline constexpr double kEraOrigin = 2025.5;

struct SetupInput {
  const Model* model = nullptr;
  const Quant* quant = nullptr;
  const Gpu* gpu = nullptr;
  EngineKind engine;
  int gpu_count = 1;
  int tensor = 0;             ///< 0: as the engine does by default
  double kv_bits = 16;
  double year = kEraOrigin;   ///< 0: not known
};
/// Nothing when the catalog does not know what is needed; `why` then says what.
std::optional<Setup> make_setup(const SetupInput& in, std::string& why);
NamedKeys make_keys(const SetupInput& in, bool with_names);

}  // namespace whichgpu::speed
