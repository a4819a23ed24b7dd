#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "commands.hpp"
#include "native/files.hpp"
#include "native/model_files.hpp"
#include "whichgpu/accuracy.hpp"
#include "whichgpu/api.hpp"
#include "whichgpu/claims.hpp"
#include "whichgpu/compare.hpp"
#include "whichgpu/launch.hpp"
#include "whichgpu/link.hpp"
#include "whichgpu/paste.hpp"
#include "whichgpu/rank.hpp"

namespace {

using namespace whichgpu;
using nlohmann::json;

int complain(const Error& e) {
  std::fprintf(stderr, "whichgpu: %s%s%s\n", e.path.c_str(), e.path.empty() ? "" : ": ", e.message.c_str());
  return 1;
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text + " ";
}

/// The smallest question may stand on the command line; any other is a file or standard input.
struct Asked {
  std::string file, model, gpu;
};

Result<std::string> question_text(const Asked& asked) {
  if (!asked.model.empty() || !asked.gpu.empty()) {
    json scenario = json::object();
    if (!asked.model.empty()) scenario["model"] = asked.model;
    if (!asked.gpu.empty()) scenario["gpu"] = asked.gpu;
    return scenario.dump(-1, ' ', false, json::error_handler_t::replace);
  }
  if (!asked.file.empty() && asked.file != "-") return native::read_file(asked.file);
  return std::string(std::istreambuf_iterator<char>(std::cin), {});
}

int run_estimate(const Catalog& catalog, const Asked& asked, const std::vector<std::string>& model_files, const std::vector<MeasurementRow>& measured) {
  Result<std::string> read = question_text(asked);
  if (!read) return complain(read.error());
  const std::string text = std::move(read.value());
  bool failed = false;
  std::vector<std::string> lines;
  // A file that is one JSON document over several lines is one scenario; else one scenario a line.
  if (!json::parse(text, nullptr, false).is_discarded()) {
    lines.push_back(text);
  } else {
    std::size_t at = 0;
    while (at < text.size()) {
      std::size_t end = text.find('\n', at);
      if (end == std::string::npos) end = text.size();
      const std::string line(trim(std::string_view(text).substr(at, end - at)));
      if (!line.empty()) lines.push_back(line);
      at = end + 1;
    }
  }
  if (!model_files.empty()) {
    // The files' model takes the place of the one that a scenario names; their format is the one unless one is asked for.
    const Result<std::string> answer = native::inspect_paths(model_files, "");
    if (!answer) return complain(answer.error());
    const json imported = json::parse(answer.value(), nullptr, false);
    if (imported.contains("error")) return complain({ErrorCode::kInvalidInput, imported["error"].value("path", ""), imported["error"].value("message", "")});
    for (const char* list : {"notes", "assumptions"})
      for (const json& said : imported[list]) std::cerr << "whichgpu: " << model_files[0] << ": " << said.get<std::string>() << '\n';
    if (!imported["missing"].empty()) return complain({ErrorCode::kMissingData, model_files[0], "belongs with " + imported["missing"][0].get<std::string>() + (imported["missing"].size() > 1 ? " and others" : "") + ": name those files too"});
    if (!imported["model"].is_object()) return complain({ErrorCode::kMissingData, model_files[0], "holds no model that can be asked about (" + imported["kind"].get<std::string>() + ")"});
    for (std::string& line : lines) {
      json scenario = json::parse(line, nullptr, false);
      if (!scenario.is_object()) continue;  // answered by its error below
      scenario.erase("model");
      scenario["custom_model"] = imported["model"];
      if (!scenario.contains("precision") && imported["precision"].is_string()) scenario["precision"] = imported["precision"];
      line = scenario.dump(-1, ' ', false, json::error_handler_t::replace);
    }
  }
  for (const std::string& line : lines) {
    const std::string answer = estimate_json(catalog, line, measured, estimate_row);
    failed = failed || answer.compare(0, 9, "{\"error\":") == 0;
    std::cout << answer << '\n';
  }
  return failed ? 1 : 0;
}

int run_rank(const Catalog& catalog, const Asked& asked, const std::string& by, bool as_json, std::size_t most) {
  Result<std::string> read = question_text(asked);
  if (!read) return complain(read.error());
  const std::string text = std::move(read.value());
  Result<json> document = parse_json(text, "scenario");
  if (!document) return complain(document.error());
  if (!by.empty() && document.value().is_object()) document.value()["rank_by"] = by;
  const std::string answer = rank_json(catalog, document.value().dump(-1, ' ', false, json::error_handler_t::replace));
  const json table = json::parse(answer, nullptr, false);
  if (table.contains("error")) {
    if (as_json) std::cout << answer << '\n';
    return complain({ErrorCode::kInvalidInput, table["error"].value("path", ""), table["error"].value("message", "")});
  }
  if (as_json) {
    std::cout << answer << '\n';
    return 0;
  }
  const json& s = table["scenario"];
  const auto word = [](const json& v) { return v.is_string() ? v.get<std::string>() : std::string("any"); };
  std::cout << word(s["workload"]) << ", model " << word(s["model"]) << ", " << word(s["precision"]["weights"]) << ", engine " << word(s["engine"]) << ", data of " << word(s["as_of"]) << "\n"
            << "fits " << table["counts"]["fits"] << " of " << table["counts"]["of"] << "\n\n";
  const bool models = !table["rows"].empty() && table["rows"][0].contains("model");
  std::cout << padded(models ? "model" : "gpu", 34) << padded("verdict", 13) << padded("GiB of", 15) << padded("speed", 26) << padded("$/h", 10) << padded("$/M out or run", 20) << "offer\n";
  const auto quantity = [](const json& row, const char* key) -> std::string {
    const auto it = row.find(key);
    if (it == row.end()) return "";
    std::string t = format_number((*it)["value"].get<double>(), 3);
    if (it->contains("p10")) t += " (" + format_number((*it)["p10"].get<double>(), 3) + "-" + format_number((*it)["p90"].get<double>(), 3) + ")";
    return t;
  };
  std::size_t shown = 0;
  for (const json& row : table["rows"]) {
    if (most && shown++ == most) break;
    std::string speed = "n/a";
    for (const auto& [key, unit] : {std::pair<const char*, const char*>{"images_per_s", " images/s"}, {"seconds_per_image", " s/image"}, {"hours", " h"}, {"decode_tokens_per_s", " tok/s"}, {"throughput_tokens_per_s", " tok/s"}, {"tflops", " TFLOPS"}})
      if (row.contains(key)) {
        speed = quantity(row, key) + unit;
        break;
      }
    std::string money = row.contains("usd_per_million_output_tokens") ? quantity(row, "usd_per_million_output_tokens") : quantity(row, "usd_total");
    std::cout << padded(models ? row["model"].get<std::string>() + " " + word(row.value("precision", json())) : row["gpu"].get<std::string>(), 34) << padded(row["verdict"], 13)
              << padded(row.contains("capacity_gib") ? format_number(row["per_gpu_gib"].get<double>(), 3) + " of " + format_number(row["capacity_gib"].get<double>(), 3) : "unknown", 15) << padded(speed, 26)
              << padded(row.contains("usd_per_hour") ? format_number(row["usd_per_hour"]["value"].get<double>(), 3) : "n/a", 10) << padded(money.empty() ? "n/a" : money, 20)
              << (row.contains("offer") ? row["offer"].value("provider", "") + " " + row["offer"].value("instance", "") : row.value("reason", "")) << '\n';
  }
  return 0;
}

/// "nvidia-a100-sxm-80gb", or "2*rtx 4090" for two of them; @provider after it asks for that provider's offer.
json side_of(std::string text) {
  json side = json::object();
  if (const std::size_t at = text.find('@'); at != std::string::npos) {
    side["offer"] = {{"provider", text.substr(at + 1)}};
    text.resize(at);
  }
  if (const std::size_t star = text.find('*'); star != std::string::npos)
    if (const auto count = to_number(text.substr(0, star))) {
      side["gpu_count"] = *count;
      text.erase(0, star + 1);
    }
  side["gpu"] = std::string(trim(text));
  return side;
}

int run_compare(const Catalog& catalog, const std::vector<std::string>& gpus, const std::string& base, bool as_json) {
  json question = {{"gpus", json::array()}};
  for (const std::string& gpu : gpus) question["gpus"].push_back(side_of(gpu));
  if (!base.empty()) {
    Result<json> scenario = parse_json(base, "base");
    if (!scenario) return complain(scenario.error());
    question["base"] = std::move(scenario.value());
  }
  const std::string answer = compare_json(catalog, question.dump(-1, ' ', false, json::error_handler_t::replace));
  const json c = json::parse(answer, nullptr, false);
  if (c.contains("error")) {
    if (as_json) std::cout << answer << '\n';
    return complain({ErrorCode::kInvalidInput, c["error"].value("path", ""), c["error"].value("message", "")});
  }
  if (as_json) {
    std::cout << answer << '\n';
    return 0;
  }
  constexpr std::size_t kFirst = 30, kColumn = 34;
  const auto number = [](const json& v) { return v.is_number() ? format_number(v.get<double>(), 4) : std::string("unknown"); };
  const auto name = [&](std::size_t i) { return (c["sides"][i]["gpu_count"] == 1 ? std::string() : number(c["sides"][i]["gpu_count"]) + " x ") + c["sides"][i]["name"].get<std::string>(); };
  const std::size_t sides = c["sides"].size();
  std::cout << padded("prices of " + c["as_of"].get<std::string>(), kFirst);
  for (std::size_t i = 0; i < sides; ++i) std::cout << padded(name(i), kColumn);
  std::cout << "\n\n";
  for (const json& s : c["specs"]) {
    std::cout << padded(s["name"], kFirst);
    for (std::size_t i = 0; i < sides; ++i) std::cout << padded(number(s["values"][i]) + (i > 0 && s["ratios"][i].is_number() ? " (x " + number(s["ratios"][i]) + ")" : ""), kColumn);
    std::cout << '\n';
  }
  std::cout << '\n';
  const auto quantity = [&](const json& q) { return number(q["value"]) + (q.contains("p10") ? " (" + format_number(q["p10"].get<double>(), 3) + "-" + format_number(q["p90"].get<double>(), 3) + ")" : ""); };
  for (const json& w : c["workloads"]) {
    std::cout << w["name"].get<std::string>() << (w.contains("model") ? " " + w["model"].get<std::string>() : "") << (w["gpu_count_factor"] == 1 ? "" : ", " + number(w["gpu_count_factor"]) + " times the GPUs") << '\n';
    for (const char* row : {"value", "cost"}) {
      if (std::string_view(row) == "cost" && w["name"] == "ownership") continue;
      std::cout << padded(std::string("  ") + (std::string_view(row) == "value" ? w["metric"].get<std::string>() : "cost of the work, USD"), kFirst);
      for (std::size_t i = 0; i < sides; ++i) {
        const json& o = w["outcomes"][i];
        const json& winner = w[std::string_view(row) == "value" ? "best" : "cheapest"];
        std::string text = o.contains(row) ? quantity(o[row]) : std::string_view(row) == "value" && o["verdict"] == "does_not_fit" ? "does not fit" : "n/a";
        if (winner.is_object() && winner["side"] == i) text += winner.contains("margin") ? "  x " + format_number(winner["margin"].get<double>(), 3) + (winner["clear"] == true ? "" : "?") : "  only";
        std::cout << padded(text, kColumn);
      }
      std::cout << '\n';
    }
  }
  for (std::size_t i = 0; i < sides; ++i) {
    const json& m = c["rent_or_own"][i];
    std::cout << "\nchoose " << name(i) << " when\n";
    for (const json& reason : c["choose"][i]) std::cout << "  " << reason["text"].get<std::string>() << '\n';
    if (c["choose"][i].empty()) std::cout << "  nothing here speaks for it\n";
    if (m.contains("break_even_hours_per_month")) std::cout << "  owning beats renting from " << format_number(m["break_even_hours_per_month"].get<double>(), 3) << " hours a month (" << m["price_basis"].get<std::string>() << (m["electricity_counted"] == true ? "" : ", electricity left out") << ")\n";
  }
  std::cout << "\nA margin with ? lies within the error of both estimates.\n";
  return 0;
}

int run_launch(const Catalog& catalog, const std::string& scenario, bool as_json) {
  const std::string answer = launch_json(catalog, scenario);
  const json found = json::parse(answer, nullptr, false);
  if (as_json || found.contains("error")) std::cout << answer << '\n';
  if (found.contains("error")) return complain({ErrorCode::kInvalidInput, found["error"].value("path", ""), found["error"].value("message", "")});
  if (as_json) return 0;
  if (found["launch"].empty()) return complain({ErrorCode::kInvalidInput, "engine", "no command is known for this workload and engine"});
  for (const json& l : found["launch"]) {
    std::cout << "# " << l["engine"].get<std::string>() << '\n';
    for (const json& note : l["notes"]) std::cout << "# " << note["message"].get<std::string>() << '\n';
    std::cout << l["text"].get<std::string>() << '\n';
  }
  return 0;
}

int run_link(bool encode, std::string text) {
  if (text.empty()) text.assign(std::istreambuf_iterator<char>(std::cin), {});
  const std::string answer = encode ? link_encode_json(trim(text)) : link_decode_json(trim(text));
  std::cout << answer << '\n';
  return answer.compare(0, 9, "{\"error\":") == 0 ? 1 : 0;
}

Result<std::vector<MeasurementRow>> read_rows(const std::vector<std::string>& files) {
  std::vector<MeasurementRow> rows;
  for (const std::string& file : files) {
    const Result<std::string> text = native::read_file(file);
    if (!text) return text.error();
    Result<std::vector<MeasurementRow>> part = read_measurements(text.value());
    if (!part) return Error{part.error().code, file + ": " + part.error().path, part.error().message};
    rows.insert(rows.end(), std::make_move_iterator(part.value().begin()), std::make_move_iterator(part.value().end()));
  }
  return rows;
}

int run_accuracy(const Catalog& catalog, const std::vector<std::string>& files, bool as_json, bool by_row, bool details, const std::string& group) {
  const Result<std::vector<MeasurementRow>> rows = read_rows(files);
  if (!rows) return complain(rows.error());
  const Accuracy accuracy = judge(catalog, rows.value());
  if (by_row) {
    for (const JudgedRow& j : accuracy.rows) std::cout << to_json(j).dump(-1, ' ', false, json::error_handler_t::replace) << '\n';
    return 0;
  }
  if (details) {
    std::cout << details_json(accuracy).dump(-1, ' ', false, json::error_handler_t::replace) << '\n';
    return 0;
  }
  if (as_json) {
    std::cout << to_json(accuracy).dump(-1, ' ', false, json::error_handler_t::replace) << '\n';
    return 0;
  }
  const auto print = [](const GroupAccuracy& g) {
    std::cout << padded(g.name, 50) << padded(std::to_string(g.rows), 6) << padded(std::to_string(g.modelled), 8);
    if (g.yes_no) std::cout << "right " << format_number(100 * g.right, 3) << " %\n";
    else if (g.judged == 0) std::cout << "none judged\n";
    else std::cout << padded(std::to_string(g.cells), 6) << padded(format_number(100 * g.median_error, 3) + " %", 9) << padded(format_number(100 * g.p90_error, 3) + " %", 9) << padded(format_number(100 * g.bias, 3) + " %", 9) << format_number(100 * g.coverage, 3) << " %\n";
  };
  const std::string head = padded("metric", 50) + padded("rows", 6) + padded("modelled", 8) + padded("cells", 6) + padded("median", 9) + padded("p90", 9) + padded("bias", 9) + "80 % interval holds\n";
  std::cout << head;
  for (const GroupAccuracy& g : accuracy.lines) print(g);
  if (!group.empty()) {
    std::map<std::string, std::vector<const JudgedRow*>> groups;
    for (const JudgedRow& j : accuracy.rows) {
      const MeasurementRow& r = *j.row;
      const std::string& key = group == "gpu" ? r.gpu : group == "engine" ? r.software : group == "precision" ? r.precision : group == "model" ? r.model : group == "source" ? r.source : r.metric;
      groups[j.line + " / " + (key.empty() ? "not stated" : key)].push_back(&j);
    }
    std::cout << "\nby " << group << '\n' << head;
    for (const auto& [name, members] : groups) print(summarize(name, members));
  }
  std::cout << "\nrows " << accuracy.rows.size() << "; with a resolved GPU and model " << accuracy.resolved << ", of these not modelled " << accuracy.resolved_not_modelled << "\n";
  for (const auto& [reason, count] : accuracy.reasons) std::cout << padded(std::to_string(count), 7) << "not modelled: " << reason << '\n';
  std::cout << "\nmissed most, one row of a cell\n";
  const json shown = details_json(accuracy);
  for (const json& w : shown["worst"])
    std::cout << padded("x " + format_number(w["estimate"].get<double>() / w["measured"].get<double>(), 3), 9) << w["id"].get<std::string>() << "  " << w["metric"].get<std::string>() << " " << format_number(w["measured"].get<double>(), 4)
              << " " << w["unit"].get<std::string>() << "  " << w["gpu"].get<std::string>() << "  " << w["model"].get<std::string>() << "  " << w["software"].get<std::string>() << "  " << w["precision"].get<std::string>() << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"WhichGPU: which GPU for this model - does it fit, how fast, how long, how much.\n\n"
               "  echo '{\"model\":\"llama-3-8b\",\"gpu\":\"nvidia-rtx-4090\"}' | whichgpu estimate\n"
               "  whichgpu estimate --model llama-3-8b --gpu \"rtx 4090\"   # the same\n"
               "  echo '{\"model\":\"llama-3-8b\"}' | whichgpu rank\n"
               "  echo '{\"gpu\":\"rtx 4090\"}' | whichgpu rank          # which models run on it\n"};
  app.require_subcommand(1);
  app.footer("Exit code: 0 all well, 1 something was wrong (said on standard error, or on the line of the answer), 2 wrong use.");
  std::string data = WHICHGPU_DATA_DIR;
  app.add_option("--data", data, "the folder with the catalogs")->capture_default_str();

  std::string file, by, group, out_dir;
  std::vector<std::string> files;
  bool as_json = false, by_row = false;
  std::size_t most = 0;
  CLI::App* estimate_cmd = app.add_subcommand("estimate", "scenarios as JSON lines (file or standard input) -> estimates as JSON lines, same order");
  std::string model, gpu;
  const auto ask_by_name = [&](CLI::App* command, CLI::Option* from_file) {
    command->add_option("--model", model, "this model, all else by default")->excludes(from_file);
    command->add_option("--gpu", gpu, "this GPU, all else by default")->excludes(from_file);
  };
  ask_by_name(estimate_cmd, estimate_cmd->add_option("file", file, "a file of scenarios; standard input when left out"));
  estimate_cmd->add_flag("--json", as_json, "as JSON, which estimates always are");
  std::string config_file;
  estimate_cmd->add_option("--config", config_file, "a model's config.json: the model of every scenario");
  std::vector<std::string> model_files;
  estimate_cmd->add_option("--file", model_files, "GGUF, safetensors, a shard index or an Ollama manifest: the model of every scenario, with the size of the file's tensors")->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  CLI::Option* evidence_option = estimate_cmd->add_option("--evidence", files, "show the nearest measurements, of these CSV files or, with none named, of data/measurements")->expected(0, -1);
  CLI::App* rank_cmd = app.add_subcommand("rank", "one scenario -> every GPU, ranked; with a gpu and no model: every model for that GPU");
  ask_by_name(rank_cmd, rank_cmd->add_option("file", file, "the scenario; standard input when left out"));
  rank_cmd->add_option("--by", by, "value, speed, price, latency, energy, memory or upfront");
  rank_cmd->add_option("--most", most, "show this many rows");
  rank_cmd->add_flag("--json", as_json, "the whole table as JSON");
  CLI::App* accuracy_cmd = app.add_subcommand("accuracy", "measurement rows (CSV) -> error by metric, and why rows are not modelled");
  accuracy_cmd->add_option("files", files, "CSV files in the format of data/measurements; all of those when left out");
  accuracy_cmd->add_flag("--json", as_json, "the summary as JSON");
  accuracy_cmd->add_flag("--rows", by_row, "one JSON object a row, for every row");
  bool details = false;
  accuracy_cmd->add_flag("--details", details, "as JSON: densities to plot, errors by GPU, program, precision, family and context, the worst rows");
  accuracy_cmd->add_option("--by", group, "also by gpu, engine, precision, model, source or metric");
  CLI::App* validate_cmd = app.add_subcommand("validate", "checks the catalogs: shape, ranges, names, references, dates, parameter counts");
  validate_cmd->add_option("dir", data, "the folder with the catalogs");
  CLI::App* bundle_cmd = app.add_subcommand("bundle", "writes what the site loads: catalog.json, provenance.json, quality.json, evidence/");
  bundle_cmd->add_option("outdir", out_dir, "the folder to write to")->required();

  CLI::App* compare_cmd = app.add_subcommand("compare", "2 to 4 GPUs side by side: specifications, workloads, when to choose which");
  std::string base;
  compare_cmd->add_option("gpus", files, "GPUs: NAME, COUNT*NAME, NAME@PROVIDER")->required()->expected(2, 4);
  compare_cmd->add_option("--base", base, "scenario JSON with the date, ownership and offer of all sides");
  compare_cmd->add_flag("--json", as_json, "the whole comparison as JSON");

  CLI::App* own_cmd = app.add_subcommand("own", "one scenario -> rent or own: what its machine costs a month, and from how many hours owning is cheaper than each offer");
  own_cmd->add_option("file", file, "the scenario; standard input when left out");
  own_cmd->add_flag("--json", as_json, "the offers and the lines' points as JSON");

  CLI::App* scale_cmd = app.add_subcommand("scale", "one scenario on 1, 2, 4, 8 ... GPUs: throughput and efficiency, and where several cheaper cards beat a dearer one");
  int most_gpus = 32;
  scale_cmd->add_option("scenario", file, "the scenario (JSON); standard input when left out");
  scale_cmd->add_option("--gpus", files, "GPUs to set side by side; the scenario's when left out");
  scale_cmd->add_option("--most", most_gpus, "the largest number of GPUs")->check(CLI::Range(1, 65536));
  scale_cmd->add_flag("--json", as_json, "the curves as JSON");

  CLI::App* launch_cmd = app.add_subcommand("launch", "one scenario -> the commands that run it as estimated: llama.cpp, Ollama, vLLM, SGLang, TensorRT-LLM, TRL ...");
  launch_cmd->add_option("scenario", file, "the scenario (JSON); standard input when left out");
  launch_cmd->add_flag("--json", as_json, "as JSON, with the notes");

  CLI::App* paste_cmd = app.add_subcommand("paste", "what nvidia-smi, rocm-smi or system_profiler printed -> the machine; what llama-bench, vllm bench serve or trtllm-bench printed -> its rows beside our estimates");
  std::string paste_scenario;
  paste_cmd->add_option("file", file, "the text; standard input when left out");
  paste_cmd->add_option("--scenario", paste_scenario, "scenario JSON for what a benchmark does not print: model, GPU, precision");

  CLI::App* inspect_cmd = app.add_subcommand("inspect", "config.json, GGUF, safetensors or an Ollama manifest -> the model as a row of the catalog, its tensors by type and class, and what was assumed");
  std::string model_name;
  inspect_cmd->add_option("files", files, "the file, or those of one model (parts beside it are found); only the headers are read; - is standard input")->required();
  inspect_cmd->add_option("--name", model_name, "the model's name");

  CLI::App* claims_cmd = app.add_subcommand("claims", "what published comparisons of RTX A6000, RTX 4090 and A100 say, and what the data and estimates say");
  claims_cmd->add_flag("--json", as_json, "as JSON, in English and Spanish");

  CLI::App* refresh_cmd = app.add_subcommand("refresh-prices", "a published price list -> what changed in the provider's offers, and new rows for it");
  cli::RefreshRequest refresh;
  refresh_cmd->add_option("provider", refresh.provider, "the provider whose list it is")->required();
  refresh_cmd->add_option("file", refresh.file, "the price list")->required();
  refresh_cmd->add_option("--date", refresh.date, "the day of the prices, YYYY-MM-DD")->required();
  refresh_cmd->add_option("--format", refresh.format, "the list's format: skypilot (vms.csv) or azure-retail (the Retail Prices API's JSON)")->capture_default_str();
  refresh_cmd->add_option("--origin", refresh.origin, "where the list is from, for the rows' notes; the file's name when left out");
  refresh_cmd->add_flag("--all-regions", refresh.all_regions, "also regions that the provider's offers do not name yet");
  refresh_cmd->add_flag("--accept", refresh.accept, "take changes beyond a factor of 3, and lists that lost most offers");
  refresh_cmd->add_flag("--write", refresh.write, "write the new rows");

  CLI::App* link_cmd = app.add_subcommand("link", "the scenario as the query of an address, and back");
  link_cmd->require_subcommand(1);
  std::string link_text;
  CLI::App* encode_cmd = link_cmd->add_subcommand("encode", "scenario JSON (argument or standard input) -> query");
  encode_cmd->add_option("scenario", link_text, "the scenario; standard input when left out");
  CLI::App* decode_cmd = link_cmd->add_subcommand("decode", "query (argument or standard input) -> scenario JSON");
  decode_cmd->add_option("query", link_text, "the query; standard input when left out");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const int code = app.exit(e, std::cout, std::cerr);
    return code == 0 ? 0 : 2;
  }
  if (*validate_cmd) return cli::run_validate(data);
  if (*bundle_cmd) return cli::run_bundle(data, out_dir);
  if (*link_cmd) return run_link(encode_cmd->parsed(), link_text);
  const Result<json> document = native::read_catalog_dir(data);
  if (!document) return complain(document.error());
  const Result<Catalog> catalog = load_catalog(document.value());
  if (!catalog) return complain(catalog.error());
  if (*estimate_cmd) {
    if (!config_file.empty()) model_files.push_back(config_file);
    if (evidence_option->count() == 0) return run_estimate(catalog.value(), {file, model, gpu}, model_files, {});
    // An option that may stand alone is given as one empty text.
    files.erase(std::remove(files.begin(), files.end(), std::string()), files.end());
    const Result<std::vector<MeasurementRow>> rows = files.empty() ? native::read_all_measurements(data + "/measurements") : read_rows(files);
    if (!rows) return complain(rows.error());
    return run_estimate(catalog.value(), {file, model, gpu}, model_files, rows.value());
  }
  if (*refresh_cmd) return cli::run_refresh_prices(catalog.value(), data, refresh);
  if (*inspect_cmd) {
    const Result<std::string> answer = native::inspect_paths(files, model_name);
    if (!answer) return complain(answer.error());
    std::cout << answer.value() << '\n';
    return answer.value().compare(0, 9, "{\"error\":") == 0 ? 1 : 0;
  }
  if (*claims_cmd) {
    const std::vector<Claim> claims = check_claims(catalog.value());
    if (as_json) std::cout << to_json(claims).dump(-1, ' ', false, json::error_handler_t::replace) << '\n';
    else
      for (const Claim& c : claims) std::cout << padded(to_word(c.verdict), 10) << c.said.en << "\n          " << c.ours.en << "\n";
    return 0;
  }
  if (*compare_cmd) return run_compare(catalog.value(), files, base, as_json);
  if (*scale_cmd || *launch_cmd || *own_cmd || *paste_cmd) {
    std::string text;
    if (file.empty() || file == "-") text.assign(std::istreambuf_iterator<char>(std::cin), {});
    else if (Result<std::string> read = native::read_file(file)) text = std::move(read.value());
    else return complain(read.error());
    if (*paste_cmd) {
      Result<json> scenario = parse_json(paste_scenario.empty() ? "{}" : paste_scenario, "scenario");
      if (!scenario) return complain(scenario.error());
      const std::string answer = pasted_json(catalog.value(), json({{"text", text}, {"scenario", std::move(scenario.value())}}).dump(-1, ' ', false, json::error_handler_t::replace));
      std::cout << answer << '\n';
      return answer.compare(0, 9, "{\"error\":") == 0 ? 1 : 0;
    }
    if (*launch_cmd) return run_launch(catalog.value(), text, as_json);
    if (*own_cmd) return cli::run_own(catalog.value(), text, as_json);
    Result<json> scenario = parse_json(text, "scenario");
    if (!scenario) return complain(scenario.error());
    return cli::run_scale(catalog.value(), json({{"scenario", std::move(scenario.value())}, {"gpus", files}, {"most", most_gpus}}).dump(-1, ' ', false, json::error_handler_t::replace), as_json);
  }
  if (*rank_cmd) return run_rank(catalog.value(), {file, model, gpu}, by, as_json, most);
  if (*accuracy_cmd) {
    if (files.empty()) files = native::list_files(data + "/measurements", ".csv");
    return run_accuracy(catalog.value(), files, as_json, by_row, details, group);
  }
  return 2;
}
