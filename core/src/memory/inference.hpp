#pragma once
#include "whichgpu/calibration.hpp"
#include "whichgpu/measurement.hpp"
#include "whichgpu/model_math.hpp"

/// What running a language model needs on a GPU: weights, cache, the engine's working memory.
namespace whichgpu::memory {

/// How an engine lays out memory. By kind of engine, not by version.
enum class Style {
  kGguf,   ///< llama.cpp and what is built on it: whole layers per card, one micro-batch of activations, table in host memory
  kPaged,  ///< vLLM, SGLang, TensorRT-LLM …: tensor parallel, paged cache, activations of a batch of tokens, graphs
  kTorch,  ///< Transformers and kin: the whole prompt at once
  kExl,    ///< ExLlama: whole layers per card, table in host memory
  kMlx     ///< MLX: unified memory, prompt in chunks
};
Style style_of(const Engine* engine);

struct Sizes {
  double tokens = 0;        ///< that each sequence holds
  double prompt = 0;        ///< tokens of one sequence that are processed at once
  double sequences = 1;
  double kv_bits = 16;
  int tensor = 1;           ///< GPUs that share every layer
  int expert = 1;           ///< GPUs that share the routed experts, where more than `tensor`
  int stages = 1;           ///< groups of GPUs that hold different layers
  bool unified = false;     ///< host and GPU share memory: what others leave to the host counts too
  bool tower = true;        ///< the vision or audio part is loaded
  double year = 2026;       ///< of the engine
  double gpu_gib = 0;       ///< of one card: engines choose their batch of tokens by it
};

/// Everything that does not depend on sizes, computed once per model, format and engine.
struct Plan {
  const Model* model = nullptr;
  Style style = Style::kGguf;
  WeightBytes weights;
  ModelCache cache;
  double ffn_width = 0;         ///< widest feed-forward activation of a token: dense, or the active experts together
  double resident_weights = 0;  ///< bytes of weights on GPUs, towers apart
  double host_weights = 0;      ///< bytes that stay in host memory by design: the input table
  bool latent = false;          ///< MLA
  bool square_mask = false;     ///< keeps an attention mask of context × context bytes (gpt-fast)
};
Plan plan_of(const Model& model, const Quant& quant, const Engine* engine);

/// Bytes on the fullest GPU, or (`all_gpus`) on all of them together.
struct Parts {
  double weights = 0, towers = 0, cache = 0, cache_padding = 0, state = 0, activations = 0, logits = 0;
  double mask = 0;  ///< attention scores and masks of exact size
  double gpus = 1;  ///< cards that the parts cover: each has the fixed overhead
};
Parts parts_of(const Plan& plan, const Sizes& sizes, bool all_gpus);

/// Fitted domain "inference_memory": factors on the working memory above, and the fixed overhead of a GPU.
enum Coefficient { kActivationsFactor, kLogitsFactor, kOverheadGib, kPoolShare };
enum Level { kEngineLevel, kFamilyLevel, kVendorLevel, kEngineVendorLevel, kMetricLevel, kEngineMetricLevel, kLevels };
const DomainSpec& spec();
/// Texts of the levels' keys; "" where a level does not apply.
struct KeyNames { std::string at[kLevels]; };
KeyNames key_names_of(const Engine* engine, const Quant* quant, const Gpu* gpu, const char* metric);
Keys keys_of(const KeyNames& names);
double total_bytes(const Parts& parts, CoefficientView coefficients);

/// What a measurement row asks for.
struct RowQuestion {
  enum class Metric { kPeak, kWeights, kFile, kCache, kPool, kBuffer, kTokens, kFits };
  Metric metric = Metric::kPeak;
  Plan plan;
  Sizes sizes;
  Parts parts;
  KeyNames names;
  Keys keys;
  double capacity_bytes = 0;  ///< of one GPU
  double unit_bytes = 1;      ///< bytes of the row's unit
};
/// False, with the reason, when the row cannot be modelled.
bool row_question(const Conditions& conditions, RowQuestion& out, std::string& why_not);
/// Log of the value in the row's unit.
double row_log_value(const RowQuestion& q, CoefficientView coefficients);

bool is_memory_metric(const std::string& metric);
RowEstimate estimate_row(const Conditions& conditions);

/// Memory that a GPU offers to a model.
double capacity_gib(const Gpu& gpu);
/// Host and GPU use the same memory.
bool has_unified_memory(const Gpu& gpu);

}  // namespace whichgpu::memory
