#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "paste/readers.hpp"

/// Formats: llama.cpp's tools/llama-bench/README.md; vLLM's benchmarks (serve.py, its printed table and its result JSON);
/// TensorRT-LLM's trtllm-bench report.
namespace whichgpu::paste {
namespace {

using nlohmann::json;

constexpr std::size_t kMostRows = 500;

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  while (!line.empty()) {
    const std::size_t bar = line.find('|');
    cells.push_back(trim(line.substr(0, bar)));
    if (bar == std::string_view::npos) break;
    line.remove_prefix(bar + 1);
  }
  return cells;
}

std::string whole(double v) { return format_number(v, 12); }

/// "llama 8B Q4_K - Medium" -> "gguf q4_k_m"; the words that llama.cpp prints for file types (llama_ftype_name).
std::string format_of_type(std::string_view type) {
  const std::string low = lower(type);
  struct Size { const char* word; const char* letter; };
  static constexpr Size kSizes[] = {{"small", "_s"}, {"medium", "_m"}, {"large", "_l"}};
  std::size_t at = std::string::npos;
  for (const char* start : {" q", " iq", " f16", " bf16", " f32", " tq", " mxfp4"})
    if (const std::size_t found = low.rfind(start); found != std::string::npos && (at == std::string::npos || found > at)) at = found;
  if (at == std::string::npos) return "";
  std::string word(trim(std::string_view(low).substr(at)));
  const std::size_t dash = word.find(" - ");
  const std::string size = dash == std::string::npos ? "" : word.substr(dash + 3);
  if (dash != std::string::npos) word.resize(dash);
  for (const Size& s : kSizes)
    if (starts_with(size, s.word)) word += s.letter;
  if (const std::size_t space = word.find(' '); space != std::string::npos) word.resize(space);
  return word;
}

/// A file's name without folder and ending: "models/Llama-3.1-8B-Q4_K_M.gguf".
std::string stem_of(std::string_view file) {
  const std::size_t slash = file.find_last_of("/\\");
  if (slash != std::string_view::npos) file.remove_prefix(slash + 1);
  const std::string low = lower(file);
  if (low.size() > 5 && low.compare(low.size() - 5, 5, ".gguf") == 0) file.remove_suffix(5);
  return std::string(file);
}

/// A model of the catalog from a file's or repository's name, shorter and shorter at its dashes.
std::string model_of(const Catalog& catalog, std::string_view name) {
  std::string text = stem_of(name);
  while (!text.empty()) {
    if (const Model* m = catalog.find_model(text)) return m->id;
    const std::size_t cut = text.find_last_of("-._ ");
    if (cut == std::string::npos || cut == 0) break;
    text.resize(cut);
  }
  return "";
}

void set_model(MeasurementRow& row, const Catalog& catalog, std::string_view name) {
  if (trim(name).empty()) return;
  row.model_name = std::string(trim(name)).substr(0, 200);
  if (const std::string id = model_of(catalog, name); !id.empty()) row.model = id;
}

void set_gpu(MeasurementRow& row, const Catalog& catalog, std::string_view printed) {
  if (trim(printed).empty()) return;
  // Several cards are listed with commas: equal ones are a count.
  int count = 0;
  const std::string_view first = trim(printed.substr(0, printed.find(',')));
  for (std::string_view rest = printed; !rest.empty();) {
    const std::size_t comma = rest.find(',');
    if (trim(rest.substr(0, comma)) != first) return;  // a mixed box: the scenario's cards stand
    ++count;
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (const Gpu* gpu = catalog.find_gpu(first)) {
    row.gpu = gpu->id;
    row.gpu_count = std::to_string(count);
  }
  row.gpu_name = std::string(first).substr(0, 200);
}

/// One test of llama-bench: it reads `prompt` tokens or writes `output` tokens behind `depth` others.
void set_lengths_of_test(MeasurementRow& row, double prompt, double output, double depth) {
  const std::string behind = depth > 0 ? " at depth " + whole(depth) : "";
  row.prompt_tokens = whole(prompt) + (prompt > 0 ? behind : "");
  row.output_tokens = whole(output) + (prompt > 0 ? "" : behind);
  row.metric = prompt > 0 ? "prefill_tok_s" : "decode_tok_s_per_user";
  row.unit = "tok/s";
}

/// pp512, tg128, pp512+tg128, pp512 @ d4096: reading a prompt, writing an answer, both; @ d: tokens already there.
bool set_test(MeasurementRow& row, std::string_view test) {
  const std::string low = lower(test);
  const auto prompt = number_after(low, "pp"), output = number_after(low, "tg");
  const std::size_t at = low.find("@ d");
  const double depth = at == std::string::npos ? 0.0 : first_number(std::string_view(low).substr(at + 3)).value_or(0.0);
  if ((!prompt && !output) || (prompt && output)) return false;  // the sum of both is neither
  set_lengths_of_test(row, prompt.value_or(0), output.value_or(0), depth);
  return true;
}

MeasurementRow llama_row(const MeasurementRow& base) {
  MeasurementRow row = base;
  row.workload = "chat";
  row.software = "llama.cpp";
  row.concurrency = "1";
  return row;
}

std::optional<PastedMeasurement> llama_markdown(const Catalog& catalog, const std::vector<std::string_view>& lines, const MeasurementRow& base) {
  std::vector<std::string_view> head;
  PastedMeasurement out{"llama-bench", {}};
  std::string device, build;
  for (const std::string_view line : lines) {
    // "  Device 0: NVIDIA GeForce RTX 4090, compute capability 8.9, VMM: yes"
    if (const std::size_t at = line.find("Device "); at != std::string_view::npos && contains(line, "compute capability")) {
      const std::size_t colon = line.find(':', at), comma = line.find(',', at);
      if (colon < comma && comma != std::string_view::npos) device += (device.empty() ? "" : ",") + std::string(trim(line.substr(colon + 1, comma - colon - 1)));
    }
    if (starts_with(trim(line), "build:")) build = std::string(trim(trim(line).substr(6))).substr(0, 60);
    const std::vector<std::string_view> cells = cells_of(line);
    if (cells.size() < 4) continue;
    const auto named = [&](std::string_view name) { return std::find(cells.begin(), cells.end(), name) != cells.end(); };
    if (named("model") && named("test") && named("t/s")) {
      head = cells;
      continue;
    }
    if (head.empty() || cells.size() != head.size() || contains(line, "---")) continue;
    const auto cell = [&](std::string_view name) {
      const auto at = std::find(head.begin(), head.end(), name);
      return at == head.end() ? std::string_view() : cells[static_cast<std::size_t>(at - head.begin())];
    };
    MeasurementRow row = llama_row(base);
    const auto rate = first_number(cell("t/s"));
    if (!rate || !(*rate > 0) || !set_test(row, cell("test"))) continue;
    row.value = format_number(*rate, 8);
    set_gpu(row, catalog, device);
    set_model(row, catalog, cell("model"));
    if (row.model.empty()) row.model = base.model;  // "llama 8B Q4_K - Medium" names a shape, not a model
    if (const std::string format = format_of_type(std::string(" ") + std::string(cell("model"))); !format.empty()) row.precision = format;
    if (!cell("type_k").empty()) row.kv_precision = std::string(cell("type_k"));
    if (out.rows.size() < kMostRows) out.rows.push_back(std::move(row));
  }
  if (out.rows.empty()) return std::nullopt;
  for (MeasurementRow& row : out.rows) row.software_version = build;  // printed below the table
  return out;
}

std::string text_of(const json& o, const char* key) {
  const auto it = o.find(key);
  return it != o.end() && it->is_string() ? it->get<std::string>() : std::string();
}
Figure number_of(const json& o, const char* key) {
  const auto it = o.find(key);
  if (it == o.end() || !it->is_number()) return std::nullopt;
  const double v = it->get<double>();
  return std::isfinite(v) ? Figure(v) : std::nullopt;
}

struct Metric { const char* name; const char* metric; const char* unit; };

void add_metric(PastedMeasurement& out, const MeasurementRow& base, const Metric& m, Figure value) {
  if (!value || !(*value > 0)) return;
  MeasurementRow row = base;
  row.metric = m.metric;
  row.unit = m.unit;
  row.value = format_number(*value, 8);
  out.rows.push_back(std::move(row));
}

MeasurementRow serving_row(const MeasurementRow& base, const char* software) {
  MeasurementRow row = base;
  row.workload = "serving";
  row.software = software;
  return row;
}

/// Sums over all requests -> the mean lengths that a row states.
void set_lengths(MeasurementRow& row, Figure requests, Figure input, Figure output) {
  if (!requests || !(*requests > 0)) return;
  if (input && *input > 0) row.prompt_tokens = whole(std::round(*input / *requests));
  if (output && *output > 0) row.output_tokens = whole(std::round(*output / *requests));
}

void set_load(MeasurementRow& row, Figure concurrency, Figure rate, Figure requests) {
  if (concurrency && *concurrency > 0) row.concurrency = whole(*concurrency);
  else if (rate && *rate > 0) row.concurrency = format_number(*rate, 6) + " req/s";
  else if (requests && *requests > 0) row.concurrency = whole(*requests) + " prompts at once";
}

/// The value of a line "Label:   12.34", whose label starts with `label`.
Figure labelled(const std::vector<std::string_view>& lines, std::string_view label) {
  for (const std::string_view raw : lines) {
    const std::string line = lower(trim(raw));
    if (!starts_with(line, label)) continue;
    const std::size_t colon = line.rfind(':');
    if (colon != std::string::npos) return first_number(std::string_view(line).substr(colon + 1));
  }
  return std::nullopt;
}
std::string labelled_text(const std::vector<std::string_view>& lines, std::string_view label) {
  for (const std::string_view raw : lines) {
    const std::string_view line = trim(raw);
    const std::string low = lower(line);
    if (!starts_with(low, label)) continue;
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos) return std::string(trim(line.substr(colon + 1))).substr(0, 200);
  }
  return "";
}

constexpr Metric kOutput = {"", "throughput_out_tok_s", "tok/s"}, kTotal = {"", "throughput_total_tok_s", "tok/s"}, kFirst = {"", "ttft_ms", "ms"}, kToken = {"", "tpot_ms", "ms"}, kRequests = {"", "requests_s", "req/s"};

std::optional<PastedMeasurement> vllm_text(const Catalog& catalog, const std::vector<std::string_view>& lines, const MeasurementRow& base) {
  if (!labelled(lines, "output token throughput")) return std::nullopt;
  PastedMeasurement out{"vllm bench serve", {}};
  MeasurementRow row = serving_row(base, "vllm");
  const Figure requests = labelled(lines, "successful requests");
  set_lengths(row, requests, labelled(lines, "total input tokens"), labelled(lines, "total generated tokens"));
  set_load(row, labelled(lines, "maximum request concurrency"), labelled(lines, "request rate configured"), requests);
  set_model(row, catalog, labelled_text(lines, "model"));
  if (row.model.empty()) row.model = base.model;
  add_metric(out, row, kOutput, labelled(lines, "output token throughput"));
  add_metric(out, row, kTotal, labelled(lines, "total token throughput"));
  add_metric(out, row, kRequests, labelled(lines, "request throughput"));
  add_metric(out, row, kFirst, labelled(lines, "mean ttft"));
  add_metric(out, row, kToken, labelled(lines, "mean tpot"));
  return out;
}

std::optional<PastedMeasurement> trt_text(const Catalog& catalog, const std::vector<std::string_view>& lines, const MeasurementRow& base) {
  if (!labelled(lines, "total output throughput")) return std::nullopt;
  PastedMeasurement out{"trtllm-bench", {}};
  MeasurementRow row = serving_row(base, "tensorrt-llm");
  if (const Figure input = labelled(lines, "average input length")) row.prompt_tokens = whole(std::round(*input));
  if (const Figure output = labelled(lines, "average output length")) row.output_tokens = whole(std::round(*output));
  set_load(row, labelled(lines, "concurrency"), labelled(lines, "request rate"), labelled(lines, "number of requests"));
  const double tensor = labelled(lines, "tp size").value_or(1), pipeline = labelled(lines, "pp size").value_or(1);
  if (tensor >= 1 && tensor * pipeline <= 1e6) {
    row.gpu_count = whole(tensor * pipeline);
    row.parallelism = "TP" + whole(tensor) + " PP" + whole(pipeline);
  }
  set_model(row, catalog, labelled_text(lines, "model:"));
  if (row.model.empty()) row.model = base.model;
  add_metric(out, row, kOutput, labelled(lines, "total output throughput"));
  add_metric(out, row, kTotal, labelled(lines, "total token throughput"));
  add_metric(out, row, kRequests, labelled(lines, "request throughput"));
  add_metric(out, row, kFirst, labelled(lines, "average time-to-first-token"));
  add_metric(out, row, kToken, labelled(lines, "average time-per-output-token"));
  return out;
}

}  // namespace

std::optional<PastedMeasurement> read_benchmark_text(const Catalog& catalog, const std::vector<std::string_view>& lines, const MeasurementRow& base) {
  if (auto found = llama_markdown(catalog, lines, base)) return found;
  if (auto found = trt_text(catalog, lines, base)) return found;
  return vllm_text(catalog, lines, base);
}

std::optional<PastedMeasurement> read_benchmark_json(const Catalog& catalog, const json& document, const MeasurementRow& base) {
  if (document.is_array()) {
    PastedMeasurement out{"llama-bench", {}};
    for (const json& o : document) {
      if (!o.is_object() || !number_of(o, "avg_ts") || out.rows.size() >= kMostRows) continue;
      MeasurementRow row = llama_row(base);
      const double prompt = number_of(o, "n_prompt").value_or(0), output = number_of(o, "n_gen").value_or(0), depth = number_of(o, "n_depth").value_or(0);
      if ((prompt > 0) == (output > 0)) continue;
      set_lengths_of_test(row, prompt, output, depth);
      const double rate = *number_of(o, "avg_ts");
      if (!(rate > 0)) continue;
      row.value = format_number(rate, 8);
      set_gpu(row, catalog, text_of(o, "gpu_info"));
      set_model(row, catalog, text_of(o, "model_filename"));
      if (row.model.empty()) row.model = base.model;
      if (const std::string format = format_of_type(" " + text_of(o, "model_type")); !format.empty()) row.precision = format;
      if (const std::string kv = text_of(o, "type_k"); !kv.empty()) row.kv_precision = kv;
      if (const Figure number = number_of(o, "build_number")) row.software_version = "b" + whole(*number);
      row.measured = text_of(o, "test_time").substr(0, 10);
      out.rows.push_back(std::move(row));
    }
    if (out.rows.empty()) return std::nullopt;
    return out;
  }
  if (!document.is_object() || !number_of(document, "output_throughput")) return std::nullopt;
  PastedMeasurement out{"vllm bench serve", {}};
  MeasurementRow row = serving_row(base, "vllm");
  const Figure requests = number_of(document, "completed") ? number_of(document, "completed") : number_of(document, "num_prompts");
  set_lengths(row, requests, number_of(document, "total_input_tokens"), number_of(document, "total_output_tokens"));
  set_load(row, number_of(document, "max_concurrency"), number_of(document, "request_rate"), requests);
  set_model(row, catalog, text_of(document, "model_id"));
  if (row.model.empty()) row.model = base.model;
  const std::string date = text_of(document, "date");  // 20251104-093000
  if (date.size() >= 8) row.measured = date.substr(0, 4) + "-" + date.substr(4, 2) + "-" + date.substr(6, 2);
  add_metric(out, row, kOutput, number_of(document, "output_throughput"));
  add_metric(out, row, kTotal, number_of(document, "total_token_throughput"));
  add_metric(out, row, kRequests, number_of(document, "request_throughput"));
  add_metric(out, row, kFirst, number_of(document, "mean_ttft_ms"));
  add_metric(out, row, kToken, number_of(document, "mean_tpot_ms"));
  return out;
}

}  // namespace whichgpu::paste
