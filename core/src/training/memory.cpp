#include "training/memory.hpp"

#include <algorithm>
#include <cmath>

#include "whichgpu/domain.hpp"
#include "whichgpu/units.hpp"

namespace whichgpu::training {
namespace {

enum Level { kClass, kEngine, kStoreLevel, kStoreEngine, kTrained, kTrainedSharding, kCheckpoint, kGeneration, kCount, kEngineTrained };
enum Coefficient { kWeights, kStates, kSaved, kCheckpoints, kWorking, kScores, kLogits, kGathered, kConstant, kFragmentation };

/// 4 bits and a 32-bit scale for 64 weights; or an 8-bit scale, itself scaled for 256 (Dettmers et al. 2023,
/// arXiv 2305.14314, section 3).
constexpr double kNf4Bytes = (4 + 32.0 / 64) / 8;
constexpr double kDoubleNf4Bytes = (4 + 8.0 / 64 + 32.0 / (64 * 256)) / 8;

/// Per-operation recomputation keeps about every other matrix product's output and the attention's.
constexpr double kSelectiveShare = 0.35;
/// Answers sampled for each prompt at once (TRL's and the GRPO paper's groups hold 8 to 64).
constexpr double kAnswersAtOnce = 8;
/// Tokens whose logits are held at once at most; about what fills an 80 GB card with a vocabulary of 128,000 in FP32.
constexpr double kLargestLogits = 32768;

const char* store_word(const Setup& s) {
  if (s.store == Store::kFour) return "4-bit";
  if (s.store == Store::kEight) return "8-bit";
  return s.wide_weights ? "fp32" : "half";
}

template <class Features>
void set_key(Features& f, int level, std::string_view name) {
  f.keys.at[level] = key_of(name);
  if (f.with_names) f.key_names[level] = name;
}
/// A combination of two categories; none when either does not apply.
template <class Features>
void set_key(Features& f, int level, std::string_view a, std::string_view b) {
  f.keys.at[level] = key_of(a, b);
  if (f.with_names) f.key_names[level] = f.keys.at[level] == 0 ? std::string() : std::string(a) + "|" + std::string(b);
}

}  // namespace

double usable_gib(const Gpu& gpu) {
  if (gpu.memory_gib_usable) return *gpu.memory_gib_usable;
  return gpu.memory_gb ? *gpu.memory_gb * kBytesPerGb / kBytesPerGib : 0;
}

const DomainSpec& memory_spec() {
  static const DomainSpec spec{
      "training-memory",
      {"class", "engine", "store", "store-engine", "trained", "trained-sharding", "checkpointing", "generation", "count", "engine-trained"},
      {{"weights", 0.02, 0.02, {{kStoreLevel, 0.05}, {kStoreEngine, 0.05}}},
       {"states", 0.0, 0.15, {{kEngineTrained, 0.25}, {kTrainedSharding, 0.15}}},
       {"saved", 0.1, 0.4, {{kClass, 0.2}, {kEngine, 0.3}, {kTrained, 0.2}, {kCheckpoint, 0.2}}},
       {"checkpoints", 0.1, 0.3, {{kClass, 0.2}, {kEngine, 0.3}, {kTrained, 0.2}}},
       {"working", 0.3, 0.4, {{kClass, 0.3}, {kEngine, 0.7}}},
       {"scores", -3.0, 1.0, {{kEngine, 1.5}, {kGeneration, 0.3}}},
       {"logits", 1.2, 0.6, {{kClass, 0.3}, {kEngine, 1.5}}},
       {"gathered", 0.2, 0.4, {{kEngine, 0.3}}},
       {"constant", 0.0, 0.5, {{kEngine, 0.5}, {kCount, 0.3}}},
       {"fragmentation", -3.5, 0.5, {{kEngine, 0.5}}}},
      {kClass, kEngine}};
  return spec;
}

MemoryFeatures memory_features(const Setup& s, bool with_names) {
  const Shape& m = s.shape;
  MemoryFeatures f;
  f.with_names = with_names;
  const bool whole = !s.trains_adapters;
  const bool wide = s.arithmetic == Arithmetic::kTf32 || s.arithmetic == Arithmetic::kFp32;
  const std::string& engine = s.engine;
  const double frozen_bytes = s.store == Store::kFour ? (s.double_quantised ? kDoubleNf4Bytes : kNf4Bytes) : s.store == Store::kEight ? 1.03 : 2;
  const double linear = std::max(0.0, m.parameters - m.embedding_parameters);
  double weights = s.wide_weights ? 4 * m.parameters : linear * frozen_bytes + 2 * m.embedding_parameters;
  if (s.wide_shards) weights = 4 * m.parameters;

  const double gradient = s.wide_weights || s.wide_shards ? 4 : 2;
  const bool copy = s.master_copy && !s.wide_weights && !s.wide_shards;
  const double states = whole ? gradient + (copy ? 4 : 0) + s.moment_bytes : 0;
  const double data_group = s.shard_group > 1 ? s.shard_group : s.data;
  double weight_share = 1, gradient_share = 1, state_share = 1;
  if (s.sharding == Sharding::kEverything) weight_share = gradient_share = state_share = data_group;
  else if (s.sharding == Sharding::kStates) {
    state_share = data_group;
    gradient_share = s.zero_stage == 1 || s.tensor > 1 || s.pipeline > 1 ? 1 : data_group;
  }
  // Expert parallelism shares the experts out further; their states are then not repeated over those copies.
  double model_share = s.tensor * s.pipeline;
  if (m.moe && s.expert > 1) {
    const double experts = m.expert_parameters / m.parameters;
    const double held_share = (1 - experts) / model_share + experts / (s.pipeline * std::max(s.expert, s.tensor));
    model_share = 1 / held_share;
    const double copies = std::max(1.0, s.gpus / (s.pipeline * std::max(s.expert, s.tensor)));
    if (weight_share > 1) weight_share = std::min(weight_share, std::max(1.0, copies));
    if (state_share > 1) state_share = std::min(state_share, std::max(1.0, copies));
    if (gradient_share > 1) gradient_share = std::min(gradient_share, std::max(1.0, copies));
  }
  double held = weights / model_share / weight_share;
  // LitGPT's ranks each hold the whole checkpoint while they cut their shard from it: with frozen weights that is the peak.
  if (engine == "litgpt" && !whole && weight_share > 1) held += weights / model_share;
  double kept = whole ? m.parameters / model_share * (std::min(states, gradient) / gradient_share + (states - std::min(states, gradient)) / state_share)
                      : 0;
  if (!whole) {
    // Adapters on every matrix: rank x (inputs + outputs), half of them on average, with FP32 copy and moments.
    const double adapters = m.layers * s.adapter_rank * (8 * m.hidden + (m.gated ? 3 : 2) * (m.hidden + (m.ffn_width > 0 ? m.ffn_width : 4 * m.hidden))) * 0.5;
    kept = adapters * (8 + s.moment_bytes) / model_share;
  }
  if (s.reference_copy && whole) held += 2 * m.parameters / model_share / weight_share;
  // DoRA merges one matrix at a time in FP32 to take its norms.
  if (s.renormalised) kept += 6 * m.hidden * std::max(m.hidden, m.ffn_width) / s.tensor;
  double gathered = s.sharding == Sharding::kEverything ? linear / m.layers * 4 / s.tensor + m.embedding_parameters : 0;
  if (s.paged_out) kept = std::max(0.0, kept - (whole ? m.parameters / model_share * s.moment_bytes / state_share : kept * s.moment_bytes / (8 + s.moment_bytes)));
  if (s.offload) {
    if (whole) kept = 0;
    if (s.sharding == Sharding::kEverything) held = 0;
  }

  const double tokens = s.micro_batch * s.sequence / s.context;
  // A frozen matrix needs no input for its own gradient: of a layer's norms and feed-forward only what their own backward
  // passes read is kept.
  const double layer_bytes = ((whole ? 16 : 12) * m.hidden + 4 * (m.attention_width + m.kv_width) + (m.gated ? (whole ? 8 : 6) : (whole ? 6 : 3)) * m.ffn_active) * (wide ? 2 : 1);
  // One forward, one backward (1F1B): the first stage holds as many micro-batches as there are stages.
  const double in_flight = s.sharding == Sharding::kLayers ? 1 : std::min(s.pipeline, s.accumulation);
  const double saved = tokens * layer_bytes * m.layers / (s.tensor * s.pipeline) * in_flight;
  // With sequence parallelism the tensor-parallel group shares the checkpoints too; the older Megatron branch had none.
  const bool sequence_parallel = s.engine_class == "megatron" && engine != "megatron-ds";
  if (s.checkpointing == Checkpointing::kNone) f.saved_gib = saved / kBytesPerGib;
  else {
    if (s.checkpointing == Checkpointing::kSelective) f.saved_gib = kSelectiveShare * saved / kBytesPerGib;
    f.checkpoints_gib = tokens * 2 * m.hidden * m.layers * (wide ? 2 : 1) / s.pipeline * in_flight / (sequence_parallel ? s.tensor : 1) * (s.checkpoints_offloaded ? 0.1 : 1) / kBytesPerGib;
    f.working_gib = tokens * layer_bytes / s.tensor / kBytesPerGib;
  }
  // Memory-efficient attention became the default of the Python stacks with PyTorch 2 and transformers 4.36 (December
  // 2023); the large-scale stacks had it before.
  const bool stores_scores = s.year < 2024.2 && (s.engine_class == "hf" || s.engine_class == "ngc" || engine == "megatron-ds");
  const double score_layers = s.checkpointing == Checkpointing::kFull ? 1 : m.layers / s.pipeline;
  if (stores_scores) f.scores_gib = s.micro_batch * m.heads / s.tensor * s.sequence * s.sequence * 2 * score_layers / kBytesPerGib;
  // Encoders being fine-tuned have a small head; when pretrained they predict 15 % of the tokens.
  const double predicted = m.causal ? 1 : s.method == Method::kPretrain ? 0.15 : 0;
  // Nobody holds the logits of very long sequences: such runs compute the loss in chunks.
  const double logit_tokens = tokens / std::sqrt(1 + (tokens / kLargestLogits) * (tokens / kLargestLogits));
  f.logits_gib = logit_tokens * m.vocabulary * 2 / s.tensor * predicted / kBytesPerGib;
  if (s.method == Method::kReinforcement)
    f.generation_gib = kAnswersAtOnce * s.micro_batch * s.sequence * 2 * m.kv_width * (m.full_attention_layers + m.sliding_layers) * 2 / (s.tensor * s.pipeline) / kBytesPerGib;
  f.weights_gib = held / kBytesPerGib;
  f.states_gib = kept / kBytesPerGib;
  f.gathered_gib = gathered / kBytesPerGib;
  f.capacity_gib = s.gpu != nullptr ? usable_gib(*s.gpu) : 0;

  const char* trained = whole ? "whole" : "adapters";
  set_key(f, kClass, s.engine_class);
  if (engine != "other") set_key(f, kEngine, engine);
  set_key(f, kStoreLevel, store_word(s));
  if (engine != "other") set_key(f, kStoreEngine, store_word(s), engine);
  set_key(f, kTrained, trained);
  set_key(f, kTrainedSharding, trained, to_word(s.sharding));
  set_key(f, kCheckpoint, to_word(s.checkpointing));
  if (s.gpu != nullptr) set_key(f, kGeneration, s.gpu->generation);
  if (engine != "other") set_key(f, kEngineTrained, engine, trained);
  set_key(f, kCount, s.gpus > 1 ? "several" : "one");
  return f;
}

MemoryParts memory_parts(const MemoryFeatures& f, CoefficientView c) {
  MemoryParts p;
  p.weights = f.weights_gib * c.exp(c[kWeights]);
  p.states = f.states_gib * c.exp(c[kStates]);
  p.activations = f.saved_gib * c.exp(c[kSaved]) + f.checkpoints_gib * c.exp(c[kCheckpoints]);
  // A layer's working set and the logits are never alive together.
  p.working = std::max(f.working_gib * c.exp(c[kWorking]), f.logits_gib * c.exp(c[kLogits]));
  p.scores = f.scores_gib * c.exp(c[kScores]);
  p.gathered = f.gathered_gib * c.exp(c[kGathered]);
  p.generation = std::max(0.0, f.generation_gib - p.activations - p.working - p.scores);
  p.constant = c.exp(c[kConstant]);
  const double sum = p.weights + p.states + p.activations + p.working + p.scores + p.gathered + p.generation + p.constant;
  p.fragmentation = sum * c.exp(c[kFragmentation]);
  p.total = sum + p.fragmentation;
  return p;
}

double memory_need_log(const MemoryFeatures& f, CoefficientView c) { return c.log(memory_parts(f, c).total); }

double memory_shown_log(const MemoryFeatures& f, CoefficientView c) {
  const double need = memory_parts(f, c).total;
  double shown = need;
  if (f.capacity_gib > 0) {
    const double full = need / (f.capacity_gib * 0.97);
    const double square = full * full, eighth = square * square * square * square;
    shown = need / pow(1 + eighth, 0.125);
  }
  return log(shown * f.copies);
}

std::optional<MemoryFeatures> memory_row_features(const Conditions& row, std::string& why_not, bool with_names) {
  if (row.metric != "peak_vram_gb" && row.metric != "fits" && row.metric != "max_seq_len") { why_not = "metric not modelled for training memory"; return std::nullopt; }
  auto setup = setup_of(row, why_not);
  if (!setup) return std::nullopt;
  if (setup->method == Method::kInference) { why_not = "inference inside a training suite"; return std::nullopt; }
  const bool tune = row.workload == "llm-finetune";
  if (!setup->sequence_known && tune) setup->sequence = 512;  // what instruction data sets pad to
  if (!row.micro_batch && !row.global_batch) {
    // "It fits" without a batch says that it can be made to: with the smallest batch, recomputing activations. A peak
    // without one was measured at what scripts default to.
    const bool verdict = row.metric == "fits";
    setup->micro_batch = setup->trains_adapters && !verdict ? 2 : 1;
    if (verdict && !setup->checkpointing_stated) setup->checkpointing = Checkpointing::kFull;
  }
  setup->paged_out = row.metric == "fits" && setup->paged;
  MemoryFeatures f = memory_features(*setup, with_names);
  if (row.has(kTotal)) f.copies = setup->gpus;
  if (row.unit == "gb") f.copies *= kBytesPerGib / kBytesPerGb;
  return f;
}

}  // namespace whichgpu::training
