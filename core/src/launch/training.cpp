#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.hpp"
#include "launch/writers.hpp"

/// TRL, Axolotl, torchtune for fine-tuning; Megatron-LM for pretraining. Options: TRL's command line and transformers'
/// TrainingArguments; Axolotl's config reference; torchtune's recipes; Megatron-LM's arguments.py.
namespace whichgpu::launch {
namespace {

struct PlanOfRun {
  double micro_batch = 1, accumulation = 1, tensor = 1, pipeline = 1, data = 1, expert = 1;
  std::string sharding = "none", checkpointing = "none", offload = "none";
};

std::optional<PlanOfRun> plan_of(const Estimate& e) {
  if (!e.training || e.training->plan.empty()) return std::nullopt;
  PlanOfRun p;
  for (const auto& [name, value] : e.training->plan) {
    for (const auto& [key, field] : {std::pair{"micro_batch", &p.micro_batch}, {"gradient_accumulation", &p.accumulation}, {"tensor", &p.tensor}, {"pipeline", &p.pipeline}, {"data", &p.data}, {"expert", &p.expert}})
      if (name == key) *field = to_number(value).value_or(1);
    for (const auto& [key, field] : {std::pair{"sharding", &p.sharding}, {"checkpointing", &p.checkpointing}, {"offload", &p.offload}})
      if (name == key) *field = value;
  }
  return p;
}

/// transformers' name of an optimizer, null where it has none.
const char* trainer_optimizer(std::string_view ours) {
  struct Known { const char* ours; const char* theirs; };
  static constexpr Known kKnown[] = {{"adamw", "adamw_torch"}, {"adamw-8bit", "adamw_bnb_8bit"}, {"paged-adamw-8bit", "paged_adamw_8bit"}, {"paged-adamw", "paged_adamw_32bit"}, {"adafactor", "adafactor"},
      {"lion", "lion_32bit"}, {"lion-8bit", "lion_8bit"}, {"galore", "galore_adamw"}, {"sgd", "sgd"}};
  for (const Known& k : kKnown)
    if (ours == k.ours) return k.theirs;
  return nullptr;
}

const char* accelerate_config(const Facts& f, const std::string& sharding) {
  if (f.q.scenario.gpu_count <= 1) return "single_gpu";
  if (sharding == "zero-1") return "zero1";
  if (sharding == "zero-2") return "zero2";
  if (sharding == "zero-3") return "zero3";
  return sharding == "fsdp" ? "fsdp2" : "multi_gpu";
}

struct Method { bool adapter, four_bits, dora, preference, reinforcement; };
Method method_of(const std::string& m) {
  return {contains(m, "lora") || contains(m, "dora"), starts_with(m, "qlora") || m == "qdora", contains(m, "dora"), contains(m, "dpo"), contains(m, "grpo")};
}

std::vector<LaunchNote> usual_notes(const Facts& f, const PlanOfRun& p) {
  std::vector<LaunchNote> notes = {{"data-set", "DATASET stands for the name or file of your data."}};
  if (p.tensor * p.pipeline > 1) notes.push_back({"degrees", "The plan splits layers over " + whole(p.tensor) + " x " + whole(p.pipeline) + " GPUs (tensor x pipeline), which this program does not do by itself."});
  if (p.checkpointing == "selective") notes.push_back({"selective", "Selective recomputation has no switch here: off is the nearest."});
  if (f.q.scenario.nodes > 1) notes.push_back({"several-nodes", "On several nodes each program wants its own way of joining them, as its documentation says."});
  if (p.offload != "none") notes.push_back({"offload", "The plan keeps optimizer states in host memory: the sharding configuration must say so too."});
  return notes;
}

void write_trl(const Facts& f, const PlanOfRun& p, std::vector<Launch>& out) {
  const Scenario::Training& t = f.e.scenario.training;
  const Method m = method_of(t.method);
  std::vector<LaunchNote> notes = usual_notes(f, p);
  Command c(std::string("trl ") + (m.preference ? "dpo" : m.reinforcement ? "grpo" : "sft"));
  c.option("--accelerate_config", accelerate_config(f, p.sharding)).option("--num_processes", f.q.scenario.gpu_count);
  c.option("--model_name_or_path", f.repository).option("--dataset_name", "DATASET");
  // Mixed precision keeps 32-bit weights and computes in 16 bits; the frozen weights of an adapter run stay in 16 bits.
  const bool mixed = contains(t.precision, "mixed");
  c.option("--dtype", t.precision == "fp32" || t.precision == "tf32" || (mixed && !m.adapter) ? "float32" : contains(t.precision, "fp16") ? "float16" : "bfloat16");
  if (contains(t.precision, "bf16")) c.option("--bf16", "True");
  if (contains(t.precision, "fp16")) c.option("--fp16", "True");
  if (t.precision == "tf32") c.option("--tf32", "True");
  if (t.precision == "fp8") notes.push_back({"fp8", "8-bit arithmetic is switched on in the accelerate configuration (mixed_precision: fp8)."});
  if (m.reinforcement) c.option("--max_completion_length", t.sequence_tokens);
  else c.option("--max_length", t.sequence_tokens);
  c.option("--per_device_train_batch_size", p.micro_batch).option("--gradient_accumulation_steps", p.accumulation).option("--num_train_epochs", t.epochs);
  c.option("--gradient_checkpointing", p.checkpointing == "full" ? "True" : "False");
  if (const char* optimizer = trainer_optimizer(t.optimizer)) c.option("--optim", optimizer);
  else notes.push_back({"optimizer", "transformers' Trainer has no optimizer called " + t.optimizer + "."});
  if (m.adapter) c.flag("--use_peft").option("--lora_r", t.lora_rank).option("--lora_target_modules", "all-linear");
  if (m.dora) c.flag("--use_dora");
  if (m.four_bits) c.flag("--load_in_4bit").option("--bnb_4bit_quant_type", "nf4");
  out.push_back({"trl", "sh", c.text(), notes});
}

void write_axolotl(const Facts& f, const PlanOfRun& p, std::vector<Launch>& out) {
  const Scenario::Training& t = f.e.scenario.training;
  const Method m = method_of(t.method);
  std::vector<LaunchNote> notes = usual_notes(f, p);
  std::string text = "base_model: " + quoted_word(f.repository) + "\n";
  if (m.preference) text += "rl: dpo\n";
  if (m.reinforcement) text += "rl: grpo\n";
  text += "datasets:\n  - path: DATASET\n    type: " + std::string(m.preference || m.reinforcement ? "chat_template.default" : "chat_template") + "\n";
  if (m.adapter) text += "adapter: " + std::string(m.four_bits ? "qlora" : "lora") + "\nlora_r: " + std::to_string(t.lora_rank) + "\nlora_alpha: " + std::to_string(t.lora_rank) + "\nlora_target_linear: true\n";
  if (m.dora) text += "peft_use_dora: true\n";
  if (m.four_bits) text += "load_in_4bit: true\n";
  text += "sequence_len: " + whole(t.sequence_tokens) + "\nmicro_batch_size: " + whole(p.micro_batch) + "\ngradient_accumulation_steps: " + whole(p.accumulation) + "\nnum_epochs: " + format_number(t.epochs) + "\n";
  if (const char* optimizer = trainer_optimizer(t.optimizer); optimizer || t.optimizer == "muon") text += "optimizer: " + std::string(optimizer ? optimizer : "muon") + "\n";
  else notes.push_back({"optimizer", "Axolotl has no optimizer called " + t.optimizer + "."});
  text += contains(t.precision, "fp16") ? "fp16: true\n" : contains(t.precision, "bf16") || t.precision == "fp8" ? "bf16: true\n" : "bf16: false\n";
  if (t.precision == "tf32") text += "tf32: true\n";
  if (t.precision == "fp8") text += "fp8: true\n";
  text += "gradient_checkpointing: " + std::string(p.checkpointing == "full" ? "true" : "false") + "\n";
  if (p.tensor > 1) text += "tensor_parallel_size: " + whole(p.tensor) + "\n";
  if (starts_with(p.sharding, "zero")) text += "deepspeed: deepspeed_configs/zero" + p.sharding.substr(5) + (p.offload != "none" && p.sharding == "zero-3" ? "_bf16_cpuoffload_all" : "") + ".json\n";
  else if (p.sharding == "fsdp") text += "fsdp_version: 2\nfsdp_config:\n  reshard_after_forward: true\n  auto_wrap_policy: TRANSFORMER_BASED_WRAP\n";
  out.push_back({"axolotl", "yaml", text, notes});
}

void write_torchtune(const Facts& f, const PlanOfRun& p, std::vector<Launch>& out) {
  const Scenario::Training& t = f.e.scenario.training;
  const Method m = method_of(t.method);
  if (m.preference || m.reinforcement) return;  // its recipes for these keep the copies differently
  const bool many = f.q.scenario.gpu_count > 1;
  std::vector<LaunchNote> notes = usual_notes(f, p);
  notes.push_back({"recipe", "CONFIG is the model's configuration, as tune ls lists it."});
  if (many && p.sharding != "zero-3" && p.sharding != "fsdp") notes.push_back({"always-sharded", "torchtune always shards everything (as ZeRO-3 does), unlike the plan."});
  const char* recipe = m.adapter ? many ? "lora_finetune_distributed" : "lora_finetune_single_device" : many ? "full_finetune_distributed" : "full_finetune_single_device";
  Command c("tune run" + (many ? " --nproc_per_node " + std::to_string(f.q.scenario.gpu_count / f.q.scenario.nodes) : std::string()) + " " + recipe);
  c.option("--config", "CONFIG");
  const auto set = [&](const std::string& word) { c.flag(word.c_str()); };
  set("batch_size=" + whole(p.micro_batch));
  set("gradient_accumulation_steps=" + whole(p.accumulation));
  set("tokenizer.max_seq_len=" + whole(t.sequence_tokens));
  set("epochs=" + whole(t.epochs));
  set("dtype=" + std::string(t.precision == "fp32" || t.precision == "tf32" ? "fp32" : contains(t.precision, "fp16") ? "fp16" : "bf16"));
  set("enable_activation_checkpointing=" + std::string(p.checkpointing == "full" ? "True" : "False"));
  if (m.adapter) set("model.lora_rank=" + std::to_string(t.lora_rank));
  if (m.four_bits) set("model.quantize_base=True");
  if (m.dora) set("model.use_dora=True");
  struct Known { const char* ours; const char* theirs; };
  static constexpr Known kOptimizers[] = {{"adamw", "torch.optim.AdamW"}, {"adamw-8bit", "bitsandbytes.optim.AdamW8bit"}, {"paged-adamw-8bit", "bitsandbytes.optim.PagedAdamW8bit"}, {"paged-adamw", "bitsandbytes.optim.PagedAdamW"}, {"sgd", "torch.optim.SGD"}};
  const auto known = std::find_if(std::begin(kOptimizers), std::end(kOptimizers), [&](const Known& k) { return t.optimizer == k.ours; });
  if (known != std::end(kOptimizers)) set(std::string("optimizer._component_=") + known->theirs);
  else notes.push_back({"optimizer", "Name the class of " + t.optimizer + " as optimizer._component_."});
  out.push_back({"torchtune", "sh", c.text(), notes});
}

void write_megatron(const Facts& f, const PlanOfRun& p, std::vector<Launch>& out) {
  const Model& m = *f.q.model;
  const Scenario& s = f.e.scenario;
  const Scenario::Training& t = s.training;
  if (!m.has_layers() || m.is_hybrid() || m.mla) return;  // other switches, which depend on its version
  std::vector<LaunchNote> notes = {{"data-set", "DATASET and TOKENIZER stand for your data and its tokenizer."}};
  Command c("torchrun --nnodes " + std::to_string(s.nodes) + " --nproc-per-node " + std::to_string(s.gpu_count / s.nodes) + " pretrain_gpt.py");
  c.option("--num-layers", m.num_layers).option("--hidden-size", m.hidden_size).option("--ffn-hidden-size", m.intermediate_size).option("--num-attention-heads", m.num_attention_heads);
  if (m.num_kv_heads > 0 && m.num_kv_heads != m.num_attention_heads) c.flag("--group-query-attention").option("--num-query-groups", m.num_kv_heads);
  if (m.head_dim > 0 && m.head_dim * m.num_attention_heads != m.hidden_size) c.option("--kv-channels", m.head_dim);
  if (m.moe) c.option("--num-experts", m.moe->num_experts).option("--moe-router-topk", m.moe->experts_per_token).option("--moe-ffn-hidden-size", m.moe->expert_intermediate_size);
  c.option("--seq-length", t.sequence_tokens).option("--max-position-embeddings", t.sequence_tokens).option("--micro-batch-size", p.micro_batch).option("--global-batch-size", t.global_batch);
  c.option("--train-samples", std::ceil(t.tokens * t.epochs / t.sequence_tokens));
  c.option("--tensor-model-parallel-size", p.tensor).option("--pipeline-model-parallel-size", p.pipeline);
  if (p.expert > 1) c.option("--expert-model-parallel-size", p.expert);
  if (p.tensor > 1) c.flag("--sequence-parallel");
  if (p.sharding == "zero-1" || p.sharding == "zero-2") c.flag("--use-distributed-optimizer");
  if (p.sharding == "zero-3" || p.sharding == "fsdp") c.flag("--use-torch-fsdp2");
  if (p.checkpointing == "full") c.option("--recompute-granularity", "full").option("--recompute-method", "uniform").option("--recompute-num-layers", "1");
  if (p.checkpointing == "selective") c.option("--recompute-granularity", "selective");
  if (contains(t.precision, "bf16") || t.precision == "fp8") c.flag("--bf16");
  if (contains(t.precision, "fp16")) c.flag("--fp16");
  if (t.precision == "fp8") c.option("--fp8-format", "hybrid");
  if (t.optimizer == "sgd") c.option("--optimizer", "sgd");
  else if (t.optimizer == "muon") c.option("--optimizer", "muon");
  else if (t.optimizer != "adamw") notes.push_back({"optimizer", "Megatron-LM has no optimizer called " + t.optimizer + "."});
  c.option("--data-path", "DATASET").option("--tokenizer-model", "TOKENIZER");
  out.push_back({"megatron-lm", "sh", c.text(), notes});
}

}  // namespace

void write_training(const Facts& f, std::vector<Launch>& out) {
  const std::optional<PlanOfRun> plan = plan_of(f.e);
  if (!plan) return;
  const std::string engine = f.q.engine ? f.q.engine->id : "";
  const auto wanted = [&](const char* id) { return engine.empty() || engine == id || engine == "hf-trainer" || engine == "transformers" || engine == "peft" || engine == "pytorch" || engine == "not-stated"; };
  if (f.q.scenario.workload == Workload::kPretrain) {
    if (wanted("megatron-lm")) write_megatron(f, *plan, out);
    return;
  }
  if (wanted("trl")) write_trl(f, *plan, out);
  if (wanted("axolotl")) write_axolotl(f, *plan, out);
  if (wanted("torchtune")) write_torchtune(f, *plan, out);
}

}  // namespace whichgpu::launch
