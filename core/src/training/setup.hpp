#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "whichgpu/measurement.hpp"
#include "whichgpu/scenario.hpp"

/// One training run as physical inputs. A measurement row and a scenario both become a Setup, and everything after that
/// (speed, memory) sees only the Setup, so that the same conditions give the same answer.
namespace whichgpu::training {

enum class Method { kPretrain, kFull, kLora, kQlora, kReinforcement, kInference };
enum class Arithmetic { kHalf, kFp8, kMxFp8, kFp4, kTf32, kFp32, kInt8 };  ///< what the matrix products run in
enum class Store { kWide, kHalf, kEight, kFour };                          ///< how frozen or trained weights are held
enum class Checkpointing { kNone, kSelective, kFull };
enum class Sharding {
  kSingle,     ///< one GPU, or nothing shared between the data-parallel copies
  kReplicate,  ///< DDP: every copy holds everything
  kStates,     ///< ZeRO-1 and 2: optimizer states (and gradients) are shared out
  kEverything, ///< ZeRO-3 and FSDP: weights too
  kLayers      ///< whole layers on each GPU, one batch walks through them
};

const char* to_word(Method method);
const char* to_word(Arithmetic arithmetic);
const char* to_word(Checkpointing checkpointing);
const char* to_word(Sharding sharding);

/// The transformer as training sees it. Counts are weights, widths are elements.
struct Shape {
  double parameters = 0;          ///< all weights
  double hidden = 0, layers = 0, vocabulary = 0, heads = 0, kv_width = 0;
  double attention_width = 0;     ///< heads x head size (mean of the key and the value side for latent attention)
  double full_attention_layers = 0, sliding_layers = 0, window = 0;
  double dense_matmul = 0;        ///< weights in matrix products per token, without experts and output head
  double expert_matmul = 0;       ///< active experts' weights
  double expert_parameters = 0;   ///< all experts' weights
  double experts = 0, experts_per_token = 0, expert_layers = 0;
  double head_matmul = 0;         ///< output head products per token
  double ffn_active = 0;          ///< feed-forward width that one token passes through, per layer
  double ffn_width = 0;
  double embedding_parameters = 0;
  bool gated = false, causal = true, moe = false;
};

/// The shape of a catalog model; nullopt when its layers are not known.
std::optional<Shape> shape_of(const Model& model);
/// A GPT of this size: 4 x wide feed-forward, width and depth as the GPT-3 paper's table 2.1 (arXiv 2005.14165) pairs them.
Shape gpt_shape(double parameters);

struct Setup {
  const Gpu* gpu = nullptr;
  Shape shape;
  std::string engine;             ///< family: "megatron-bridge", "hf", "unsloth" … see engine_family()
  std::string engine_class;       ///< "megatron", "fsdp", "hf", "jax", "ngc" or "other"
  Method method = Method::kFull;
  Arithmetic arithmetic = Arithmetic::kHalf;
  Store store = Store::kHalf;
  bool double_quantised = true;   ///< 4-bit scales held in 8 bits themselves, as QLoRA does
  Checkpointing checkpointing = Checkpointing::kNone;
  bool checkpointing_stated = false;
  bool checkpoints_offloaded = false;
  Sharding sharding = Sharding::kSingle;
  int zero_stage = -1;            ///< 0 to 3; -1 not stated
  bool offload = false;           ///< states (and with full sharding the weights) live in host memory
  bool wide_weights = false;      ///< FP32 weights, whole on each GPU or under autocast
  bool wide_shards = false;       ///< FP32 shards from which 16-bit weights are gathered
  bool master_copy = true;        ///< an FP32 copy beside 16-bit trained weights
  double moment_bytes = 8;        ///< optimizer state per trained weight
  bool reference_copy = false;    ///< preference tuning: a frozen second copy
  bool pairs = false;             ///< preference tuning: the better and the worse answer go through together
  bool renormalised = false;      ///< DoRA: every adapted matrix is merged and its columns' norms taken in each forward pass
  bool paged = false;             ///< optimizer states that may move to host memory
  bool paged_out = false;         ///< … and have moved there
  double extra_forward = 0;       ///< further forward passes (the reference model's)
  bool trains_adapters = false;
  double adapter_rank = 16;
  double gpus = 1, nodes = 1;
  double tensor = 1, pipeline = 1, context = 1, expert = 1, interleave = 1, data = 1, shard_group = 1;
  double sequence = 0, micro_batch = 0, global_batch = 0, accumulation = 1;
  bool sequence_known = false;
  double year = 0;                ///< when the software is from
  double pcie_gb_per_s = 0;       ///< 0: from the card's own slot
};

/// The family of a training stack by the words of its name; "other" when unknown.
std::string engine_family(std::string_view software);
std::string engine_class(std::string_view family);

/// Dense peak in FLOP/s of the matrix products, falling back to the best format the card has hardware for.
double peak_flops(const Gpu& gpu, Arithmetic arithmetic);
double half_flops(const Gpu& gpu);

/// The set-up of a measurement row, or why there is none.
std::optional<Setup> setup_of(const Conditions& row, std::string& why_not);

/// Derives the data-parallel degree, checkpointing and accumulation where they were left open.
void complete(Setup& setup);

}  // namespace whichgpu::training
