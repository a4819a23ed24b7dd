#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "launch/writers.hpp"

/// Transformers, MLX, ExLlama (by TabbyAPI). Options: the documentation of transformers' from_pretrained and quantization
/// configurations; mlx-lm's SERVER.md; TabbyAPI's config_sample.yml.
namespace whichgpu::launch {

void write_local(const Facts& f, std::vector<Launch>& out) {
  const Question& q = f.q;
  if (!q.engine || !q.quant || q.quant->family == "gguf") return;
  const std::string& engine = q.engine->id;
  const std::string& family = q.quant->family;
  const bool away = f.e.memory && f.e.memory->offloaded_gib > 0;
  std::vector<LaunchNote> notes;
  const auto needs_checkpoint = [&] { notes.push_back({"checkpoint", "Needs a checkpoint of this model in " + q.quant->name + ": put its name in place of the model's."}); };

  if (engine == "transformers") {
    const bool eight = family == "bnb" && q.quant->bits_nominal.value_or(4) > 6;
    std::string text = "import torch\nfrom transformers import AutoModelForCausalLM, AutoTokenizer" + std::string(family == "bnb" ? ", BitsAndBytesConfig" : "") + "\n\nname = " + quoted_word(f.repository) + "\n";
    text += "tokenizer = AutoTokenizer.from_pretrained(name)\nmodel = AutoModelForCausalLM.from_pretrained(\n    name,\n    dtype=torch." + std::string(q.quant->id == "fp32" ? "float32" : q.quant->id == "fp16" ? "float16" : "bfloat16") + ",\n";
    if (family == "bnb") {
      const bool twice = contains(q.quant->id, "dq");
      text += eight ? "    quantization_config=BitsAndBytesConfig(load_in_8bit=True),\n"
                    : "    quantization_config=BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type=\"" + std::string(contains(q.quant->id, "fp4") && !contains(q.quant->id, "nf4") ? "fp4" : "nf4") + "\", bnb_4bit_use_double_quant=" + (twice ? "True" : "False") + "),\n";
    } else if (family != "plain" && !contains(q.model->native_dtype, family)) {
      needs_checkpoint();
    }
    text += "    device_map=\"auto\",\n";
    // Without a limit device_map fills every card to the brim and leaves nothing for the cache.
    if (away && f.e.memory) text += "    max_memory={0: \"" + format_number(std::max(0.5, f.e.memory->capacity_gib), 3) + "GiB\", \"cpu\": \"" + whole(q.scenario.host.ram_gib) + "GiB\"},\n";
    text += ")\nprompt = tokenizer(\"Hello\", return_tensors=\"pt\").to(model.device)\nprint(tokenizer.decode(model.generate(**prompt, max_new_tokens=" + whole(q.scenario.output_tokens) + ")[0]))\n";
    if (!f.kv.empty()) notes.push_back({"cache-format", "A quantized cache is asked for at generate(), with cache_implementation=\"quantized\"."});
    out.push_back({engine, "python", text, notes});
  } else if (engine == "mlx") {
    Command c("mlx_lm.server");
    c.option("--model", f.repository).option("--max-tokens", q.scenario.output_tokens);
    if (family == "mlx") needs_checkpoint();
    if (!f.kv.empty()) notes.push_back({"cache-format", "A quantized cache is an option of mlx_lm.generate (--kv-bits), not of the server."});
    out.push_back({engine, "sh", c.text(), notes});
  } else if (engine == "exllamav2" || engine == "exllamav3") {
    needs_checkpoint();
    const std::string mode = f.kv.empty() ? "FP16" : starts_with(f.kv, "q") ? "Q" + f.kv.substr(1, 1) : starts_with(f.kv, "fp8") ? "FP8" : "Q" + format_number(kv_bits(f.kv).value_or(8), 1);
    const std::size_t slash = f.repository.find_last_of('/');
    std::string text = "model:\n  model_dir: models\n  model_name: " + quoted_word(f.repository.substr(slash == std::string::npos ? 0 : slash + 1)) + "\n  backend: " + engine + "\n  max_seq_len: " + whole(f.sequence_tokens) +
                       "\n  cache_size: " + whole(std::ceil(f.sequence_tokens * f.sequences / 256) * 256) + "\n  cache_mode: " + mode + "\n  max_batch_size: " + whole(f.sequences) + "\n";
    if (f.tensor > 1) text += "  tensor_parallel: true\n";
    else if (q.scenario.gpu_count > 1) text += "  gpu_split_auto: true\n";
    notes.push_back({"tabby", "config.yml of TabbyAPI, the server for this engine."});
    out.push_back({engine, "yaml", text, notes});
  }
}

}  // namespace whichgpu::launch
