#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "launch/writers.hpp"

/// vLLM, SGLang, TensorRT-LLM. Options: docs.vllm.ai "vllm serve"; docs.sglang.ai "Server Arguments"; trtllm-serve's
/// reference in TensorRT-LLM's docs.
namespace whichgpu::launch {
namespace {

/// How an engine is told the weights' format. A checkpoint that already has it needs no word.
struct FormatWord { const char* word; const char* checkpoint; };
FormatWord format_word(const Quant& q, const Model& m) {
  const bool native = contains(m.native_dtype, q.family);  // gpt-oss is published in mxfp4, DeepSeek-V3 in fp8
  if (q.family == "fp8" && !native) return {"fp8", ""};    // quantized while loading
  if (q.family == "bnb") return {"bitsandbytes", ""};
  if (q.family == "gguf") return {"gguf", "GGUF"};
  if (q.family == "plain" || native) return {"", ""};
  if (q.family == "gptq") return {"", "GPTQ"};
  if (q.family == "awq") return {"", "AWQ"};
  if (q.family == "int8") return {"", "INT8"};
  if (q.family == "nvfp4") return {"", "NVFP4"};
  if (q.family == "mxfp4") return {"", "MXFP4"};
  return {"", q.name.c_str()};
}

/// The share of the memory for weights and cache together: all but the working memory and the overhead.
double static_share(const Facts& f) {
  if (!f.e.memory || f.e.memory->capacity_gib <= 0) return f.memory_share;
  double working = 0;
  for (const Term& t : f.e.memory->terms)
    if (t.name == "activations" || t.name == "logits" || t.name == "overhead" || t.name == "runtime_context") working += t.value;
  const double total = f.e.memory->capacity_gib + f.q.scenario.host.vram_reserved_gib;
  return std::clamp(std::floor(100 * (f.e.memory->capacity_gib - working) / total) / 100, 0.1, 0.98);
}

}  // namespace

void write_serving(const Facts& f, std::vector<Launch>& out) {
  const Question& q = f.q;
  if (!q.engine || !q.quant) return;
  const std::string& engine = q.engine->id;
  if (engine != "vllm" && engine != "sglang" && engine != "tensorrt-llm") return;
  const FormatWord format = format_word(*q.quant, *q.model);
  const std::string word = format.word, checkpoint = format.checkpoint;
  std::vector<LaunchNote> notes;
  if (!checkpoint.empty()) notes.push_back({"checkpoint", "Needs a checkpoint of this model in " + checkpoint + ": put its name in place of the model's."});
  if (q.scenario.nodes > 1) notes.push_back({"several-nodes", "On several nodes each program wants its own way of joining them, as its documentation says."});
  const double gpus = double(f.tensor) * f.pipeline * f.data;
  const double away = f.e.memory ? f.e.memory->offloaded_gib / gpus : 0;
  const bool narrow = starts_with(f.kv, "fp8");
  if (!f.kv.empty() && !narrow && !(engine == "tensorrt-llm" && (f.kv == "int8" || f.kv == "nvfp4"))) notes.push_back({"cache-format", "This engine has no cache format of this name: choose the nearest."});
  if (q.draft_model) notes.push_back({"draft-length", "How many tokens to draft is not part of the estimate; its gain is that of the measured runs."});

  if (engine == "vllm") {
    Command c("vllm serve " + shell_word(f.repository));
    if (!word.empty()) c.option("--quantization", word);
    if (q.quant->family == "plain") c.option("--dtype", q.quant->id == "fp32" ? "float32" : q.quant->id == "fp16" ? "float16" : "bfloat16");
    c.option("--max-model-len", f.sequence_tokens).option("--max-num-seqs", f.sequences).option("--gpu-memory-utilization", f.memory_share);
    if (f.tensor > 1) c.option("--tensor-parallel-size", f.tensor);
    if (f.pipeline > 1) c.option("--pipeline-parallel-size", f.pipeline);
    if (f.data > 1) c.option("--data-parallel-size", f.data);
    if (f.expert > 1) c.flag("--enable-expert-parallel");
    if (narrow) c.option("--kv-cache-dtype", f.kv);
    if (away > 0) c.option("--cpu-offload-gb", std::ceil(away));
    if (q.draft_model) c.option("--speculative-config", "{\"model\":" + quoted_word(repository_of(*q.draft_model, "DRAFT")) + ",\"num_speculative_tokens\":5}");
    out.push_back({engine, "sh", c.text(), notes});
  } else if (engine == "sglang") {
    Command c("python3 -m sglang.launch_server");
    c.option("--model-path", f.repository);
    if (!word.empty()) c.option("--quantization", word);
    c.option("--context-length", f.sequence_tokens).option("--max-running-requests", f.sequences * f.data).option("--mem-fraction-static", static_share(f));
    if (f.tensor > 1) c.option("--tp-size", f.tensor);
    if (f.pipeline > 1) c.option("--pp-size", f.pipeline);
    if (f.data > 1) c.option("--dp-size", f.data);
    if (f.expert > 1) c.option("--ep-size", f.expert);
    if (narrow) c.option("--kv-cache-dtype", f.kv == "fp8" ? "fp8_e5m2" : f.kv);
    if (away > 0) c.option("--cpu-offload-gb", std::ceil(away));
    if (q.draft_model) c.option("--speculative-algorithm", "STANDALONE").option("--speculative-draft-model-path", repository_of(*q.draft_model, "DRAFT"));
    out.push_back({engine, "sh", c.text(), notes});
  } else {
    const bool cache = narrow || f.kv == "int8" || f.kv == "nvfp4";
    Command c("trtllm-serve " + shell_word(f.repository));
    c.option("--max_seq_len", f.sequence_tokens).option("--max_batch_size", f.sequences).option("--kv_cache_free_gpu_memory_fraction", 0.9);
    if (f.tensor > 1) c.option("--tp_size", f.tensor);
    if (f.pipeline > 1) c.option("--pp_size", f.pipeline);
    if (f.expert > 1) c.option("--ep_size", f.expert);
    std::string before;
    if (cache) {
      before = "cat > options.yaml <<'END'\nkv_cache_config:\n  dtype: " + std::string(narrow ? "fp8" : f.kv) + "\nEND\n";
      c.option("--extra_llm_api_options", "options.yaml");
    }
    if (!word.empty()) notes.push_back({"checkpoint", "Needs a checkpoint of this model in " + q.quant->name + ": put its name in place of the model's."});
    if (away > 0) notes.push_back({"no-offload", "This engine has no option that keeps weights in host memory."});
    if (f.data > 1) notes.push_back({"copies", "Start " + std::to_string(f.data) + " of these, each on its own GPUs."});
    if (q.draft_model) notes.push_back({"draft-config", "The draft model goes into the options file, under speculative_config."});
    out.push_back({engine, "sh", before + c.text(), notes});
  }
}

}  // namespace whichgpu::launch
