#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "launch/writers.hpp"

/// llama.cpp and Ollama. Options: llama.cpp's tools/server/README.md; Ollama's docs (faq.md, modelfile.md).
namespace whichgpu::launch {
namespace {

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

/// "Llama-3.1-8B-Q4_K_M.gguf", as converters name their files.
std::string file_of(const std::string& repository, const std::string& format) {
  const std::size_t slash = repository.find_last_of('/');
  return repository.substr(slash == std::string::npos ? 0 : slash + 1) + (format.empty() ? "" : "-" + format) + ".gguf";
}

/// llama.cpp's own word for a cache format, empty where it has none.
std::string cache_word(const Facts& f) {
  if (f.kv == "q8") return "q8_0";
  if (f.kv == "q4") return "q4_0";
  for (const char* known : {"q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl"})
    if (f.kv == known) return known;
  return "";
}

}  // namespace

void write_ggml(const Facts& f, std::vector<Launch>& out) {
  const Question& q = f.q;
  if (!q.engine || !q.quant || q.quant->family != "gguf") return;
  if (q.engine->formats.empty() || q.engine->formats.front() != "gguf") return;  // others load these files as a side line
  std::string format = starts_with(q.quant->id, "gguf-") ? q.quant->id.substr(5) : q.quant->id;
  format = upper(format);
  const std::string file = file_of(f.repository, format);
  const int layers = q.model->num_layers;
  const bool experts = q.scenario.offload == OffloadKind::kExperts && q.model->is_moe();
  const double away = f.e.memory ? f.e.memory->offloaded_layers : 0;
  std::vector<LaunchNote> notes = {{"gguf-file", "A GGUF file of this model in " + format + "; its name is the usual one."}};
  const std::string cache = cache_word(f);
  if (!f.kv.empty() && cache.empty()) notes.push_back({"cache-format", "llama.cpp has no cache format of this name: choose the nearest."});

  Command server("llama-server");
  server.option("--model", file);
  // One window for all slots together, divided among them.
  server.option("--ctx-size", f.sequence_tokens * f.sequences).option("--parallel", f.sequences);
  server.option("--n-gpu-layers", experts || away <= 0 ? layers + 1 : std::max(0.0, layers + 1 - away));
  if (experts && away > 0) server.option("--n-cpu-moe", away);
  server.option("--flash-attn", "on");
  if (!cache.empty()) server.option("--cache-type-k", cache).option("--cache-type-v", cache);
  if (q.box.size() > 1) {
    std::string split;
    for (const auto& [gpu, count] : q.box)
      for (int i = 0; i < count; ++i) split += (split.empty() ? "" : ",") + format_number(std::max(0.1, gpu->memory_gib_usable.value_or(gpu->memory_gb.value_or(1))), 3);
    server.option("--tensor-split", split);
  }
  if (q.draft_model) server.option("--model-draft", file_of(repository_of(*q.draft_model, "DRAFT"), format)).option("--n-gpu-layers-draft", q.draft_model->num_layers + 1.0);
  out.push_back({"llama.cpp", "sh", server.text(), notes});

  // Ollama moves whole layers only, has no draft models, and its cache has three formats.
  if (experts || q.draft_model || (!cache.empty() && cache != "q8_0" && cache != "q4_0")) return;
  std::string modelfile = "cat > Modelfile <<'END'\nFROM ./" + file + "\nPARAMETER num_ctx " + whole(f.sequence_tokens) + "\nPARAMETER num_gpu " + whole(std::max(0.0, layers + 1 - away)) + "\nEND\n";
  Command serve("ollama serve &");
  serve.variable("OLLAMA_NUM_PARALLEL", whole(f.sequences)).variable("OLLAMA_FLASH_ATTENTION", "1");
  if (!cache.empty()) serve.variable("OLLAMA_KV_CACHE_TYPE", cache);
  std::vector<LaunchNote> ollama_notes = notes;
  if (f.data * f.pipeline * f.tensor > 1) ollama_notes.push_back({"ollama-gpus", "Ollama spreads layers over as many cards as it finds needed."});
  out.push_back({"ollama", "sh", modelfile + serve.text() + "ollama create estimated --file Modelfile\nollama run estimated\n", ollama_notes});
  if (q.engine->id == "ollama") std::swap(out[out.size() - 1], out[out.size() - 2]);
}

}  // namespace whichgpu::launch
