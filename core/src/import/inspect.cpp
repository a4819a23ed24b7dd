#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "base/text.hpp"
#include "import/file_header.hpp"
#include "import/file_model.hpp"
#include "whichgpu/api.hpp"
#include "whichgpu/import_file.hpp"
#include "whichgpu/model_math.hpp"

namespace whichgpu {
namespace {

using nlohmann::json;

enum class Form { kGguf, kSafetensors, kIndex, kManifest, kConfig };

struct Part {
  const FileStart* file = nullptr;
  Form form = Form::kConfig;
  FileHeader header;
  json document;
};

struct FileTypeName { int number; const char* format; };
/// general.file_type. Source: llama.h, llama_ftype.
constexpr std::array<FileTypeName, 34> kFileTypes = {{{0, "gguf-f32"}, {1, "gguf-f16"}, {2, "gguf-q4_0"}, {3, "gguf-q4_1"}, {7, "gguf-q8_0"}, {8, "gguf-q5_0"}, {9, "gguf-q5_1"}, {10, "gguf-q2_k"}, {11, "gguf-q3_k_s"}, {12, "gguf-q3_k_m"}, {13, "gguf-q3_k_l"},
    {14, "gguf-q4_k_s"}, {15, "gguf-q4_k_m"}, {16, "gguf-q5_k_s"}, {17, "gguf-q5_k_m"}, {18, "gguf-q6_k"}, {19, "gguf-iq2_xxs"}, {20, "gguf-iq2_xs"}, {21, "gguf-q2_k_s"}, {22, "gguf-iq3_xs"}, {23, "gguf-iq3_xxs"}, {24, "gguf-iq1_s"}, {25, "gguf-iq4_nl"},
    {26, "gguf-iq3_s"}, {27, "gguf-iq3_m"}, {28, "gguf-iq2_s"}, {29, "gguf-iq2_m"}, {30, "gguf-iq4_xs"}, {31, "gguf-iq1_m"}, {32, "gguf-bf16"}, {36, "gguf-tq1_0"}, {37, "gguf-tq2_0"}, {38, "gguf-mxfp4-moe"}, {39, "gguf-nvfp4"}}};

struct TypeFormat { std::string_view type, format; };
/// The format whose rules are nearest to a file that is mostly of one type and does not name its mix.
constexpr std::array<TypeFormat, 26> kFormatOfType = {{{"F32", "gguf-f32"}, {"F16", "gguf-f16"}, {"BF16", "gguf-bf16"}, {"Q4_0", "gguf-q4_0"}, {"Q4_1", "gguf-q4_1"}, {"Q5_0", "gguf-q5_0"}, {"Q5_1", "gguf-q5_1"}, {"Q8_0", "gguf-q8_0"}, {"Q2_K", "gguf-q2_k"},
    {"Q3_K", "gguf-q3_k_m"}, {"Q4_K", "gguf-q4_k_m"}, {"Q5_K", "gguf-q5_k_m"}, {"Q6_K", "gguf-q6_k"}, {"IQ1_S", "gguf-iq1_s"}, {"IQ1_M", "gguf-iq1_m"}, {"IQ2_XXS", "gguf-iq2_xxs"}, {"IQ2_XS", "gguf-iq2_xs"}, {"IQ2_S", "gguf-iq2_s"}, {"IQ3_XXS", "gguf-iq3_xxs"},
    {"IQ3_S", "gguf-iq3_s"}, {"IQ4_NL", "gguf-iq4_nl"}, {"IQ4_XS", "gguf-iq4_xs"}, {"TQ1_0", "gguf-tq1_0"}, {"TQ2_0", "gguf-tq2_0"}, {"MXFP4", "gguf-mxfp4-moe"}, {"NVFP4", "gguf-nvfp4"}}};

std::string gguf_format(const Facts& facts, const std::vector<TypeShare>& by_type) {
  constexpr int kGuessed = 1024;  // a flag: the converter guessed the type from the tensors
  if (const auto number = facts.number("general.file_type"); number && *number >= 0 && *number < 2 * kGuessed)
    for (const FileTypeName& t : kFileTypes)
      if (t.number == static_cast<int>(*number) % kGuessed) return t.format;
  if (by_type.empty()) return "";
  for (const TypeFormat& t : kFormatOfType)
    if (t.type == by_type.front().name) return std::string(t.format);
  return "";
}

std::string plain_format(const std::vector<TypeShare>& by_type, bool block_scales) {
  if (by_type.empty()) return "";
  const std::string& type = by_type.front().name;
  if (type == "BF16") return "bf16";
  if (type == "F16") return "fp16";
  if (type == "F32") return "fp32";
  return starts_with(type, "F8_E4M3") ? block_scales ? "fp8-block128" : "fp8-tensor" : "";
}

Error in_file(const FileStart& file, const Error& e) { return {e.code, file.name.empty() ? e.path : file.name + ": " + e.path, e.message}; }

/// "model-00002-of-00005.gguf": the part's number and how many there are, in the places that they have in the name.
struct PartName { int number = 0, count = 0; std::size_t number_at = 0; };
std::optional<PartName> part_name(const std::string& name) {
  const std::size_t of = name.rfind("-of-");
  constexpr std::size_t kDigits = 5;
  if (of == std::string::npos || of < kDigits + 1 || of + 4 + kDigits > name.size()) return std::nullopt;
  const auto number = [&](std::size_t at) {
    int v = 0;
    for (std::size_t i = at; i < at + kDigits; ++i) {
      if (name[i] < '0' || name[i] > '9') return -1;
      v = 10 * v + (name[i] - '0');
    }
    return v;
  };
  const PartName p{number(of - kDigits), number(of + 4), of - kDigits};
  return p.number >= 1 && p.count >= p.number ? std::optional(p) : std::nullopt;
}

std::string with_number(std::string name, const PartName& p, int number) {
  std::string digits = std::to_string(number);
  digits.insert(0, 5 - std::min<std::size_t>(5, digits.size()), '0');
  return name.replace(p.number_at, 5, digits);
}

constexpr int kMostParts = 4096;

class Inspector {
 public:
  explicit Inspector(const std::vector<FileStart>& files) : files_(files) {}

  InspectionAnswer run() {
    if (files_.empty() || files_.size() > static_cast<std::size_t>(kMostParts)) return {Error{ErrorCode::kInvalidInput, "files", "expected 1 to 4,096 files"}};
    for (std::size_t i = 0; i < files_.size(); ++i) {
      Part p;
      p.file = &files_[i];
      if (auto stop = read(p)) {
        stop->needed_index = i;
        return std::move(*stop);
      }
      parts_.push_back(std::move(p));
    }
    if (auto e = answer()) return {std::move(*e)};
    return {std::move(out_)};
  }

 private:
  static InspectionAnswer stop(const FileStart& file, const Error& e) { return {in_file(file, e)}; }
  static InspectionAnswer more(double bytes) {
    InspectionAnswer a{Error{ErrorCode::kMissingData, "bytes", "expected at least " + format_number(bytes, 15) + " bytes of the file"}};
    a.needed_bytes = bytes;
    return a;
  }

  std::optional<InspectionAnswer> read(Part& p) {
    const FileStart& f = *p.file;
    const std::string_view b = f.bytes;
    const auto header = [&](Reading<FileHeader> r) -> std::optional<InspectionAnswer> {
      if (const auto* shortage = std::get_if<Shortage>(&r)) return more(shortage->bytes);
      if (const auto* e = std::get_if<Error>(&r)) return stop(f, *e);
      p.header = std::move(*std::get_if<FileHeader>(&r));
      return std::nullopt;
    };
    if (b.substr(0, 4) == std::string_view("GGUF").substr(0, std::min<std::size_t>(4, b.size())) && !b.empty()) {
      p.form = Form::kGguf;
      return header(read_gguf_header(b, f.file_bytes));
    }
    const std::size_t first = b.find_first_not_of(" \t\r\n");
    if (first != std::string_view::npos && b[first] == '{' && !(b.size() > 8 && b[8] == '{' && b[7] == '\0')) {
      if (f.file_bytes > static_cast<double>(b.size())) {
        if (f.file_bytes > 16.0 * 1024 * 1024) return stop(f, {ErrorCode::kInvalidInput, "byte 0", "is JSON of more than 16 MiB"});
        return more(f.file_bytes);
      }
      Result<json> document = parse_config(b);
      if (!document) return stop(f, document.error());
      p.document = std::move(document.value());
      p.form = p.document.contains("weight_map") ? Form::kIndex : p.document.contains("layers") && p.document["layers"].is_array() && p.document.contains("schemaVersion") ? Form::kManifest : Form::kConfig;
      return std::nullopt;
    }
    if (b.size() < 9 ? f.file_bytes != static_cast<double>(b.size()) || f.file_bytes == 0 : b[8] == '{') {
      p.form = Form::kSafetensors;
      if (b.size() < 9) return more(9);
      return header(read_safetensors_header(b, f.file_bytes));
    }
    return stop(f, {ErrorCode::kBadData, "byte 0", "expected GGUF, safetensors, a config.json or a manifest; a file of another kind cannot be read"});
  }

  bool any(Form form) const {
    return std::any_of(parts_.begin(), parts_.end(), [form](const Part& p) { return p.form == form; });
  }
  const Part* first(Form form) const {
    const auto it = std::find_if(parts_.begin(), parts_.end(), [form](const Part& p) { return p.form == form; });
    return it == parts_.end() ? nullptr : &*it;
  }

  std::optional<Error> answer() {
    const bool gguf = any(Form::kGguf), tensors = any(Form::kSafetensors) || any(Form::kIndex);
    if (gguf && (tensors || any(Form::kConfig))) return Error{ErrorCode::kInvalidInput, "files", "expected the files of one model: GGUF, or safetensors with its index and config.json"};
    if (any(Form::kManifest) && (tensors || any(Form::kConfig))) return Error{ErrorCode::kInvalidInput, "files", "expected a manifest alone or with its GGUF blobs"};
    if (any(Form::kManifest))
      if (auto e = manifest(*first(Form::kManifest))) return e;
    if (gguf) return read_gguf();
    if (tensors) return read_safetensors();
    if (any(Form::kConfig)) {
      out_.kind = "config";
      if (parts_.size() > 1) return Error{ErrorCode::kInvalidInput, "files", "expected one config.json"};
      Result<ImportedModel> model = import_config(parts_[0].document, name_of(*parts_[0].file));
      if (!model) return model.error();
      out_.model = std::move(model.value());
      out_.name = out_.model->model.name;
      out_.architecture = out_.model->model.family;
    }
    return std::nullopt;
  }

  static std::string name_of(const FileStart& file) {
    std::string name = file.name;
    if (const std::size_t slash = name.find_last_of("/\\"); slash != std::string::npos) name = name.substr(slash + 1);
    if (const auto p = part_name(name); p && p->number_at > 1) name = name.substr(0, p->number_at - 1);
    for (const std::string_view ending : {".gguf", ".safetensors", ".json"})
      if (name.size() > ending.size() && name.compare(name.size() - ending.size(), ending.size(), ending) == 0) name.resize(name.size() - ending.size());
    return name;
  }

  void count(const FileTensor& t, const Role& role) {
    const auto add = [&](std::map<std::string, TypeShare>& to, const std::string& name) {
      TypeShare& s = to[name];
      s.name = name;
      s.tensors += 1;
      s.params += t.elements;
      s.bytes += t.bytes;
    };
    add(types_, t.type);
    add(classes_, class_of(role));
    params_ += t.elements;
    bytes_ += t.bytes;
  }
  static std::vector<TypeShare> largest_first(const std::map<std::string, TypeShare>& of) {
    std::vector<TypeShare> list;
    for (const auto& [name, share] : of) list.push_back(share);
    std::stable_sort(list.begin(), list.end(), [](const TypeShare& a, const TypeShare& b) { return a.bytes > b.bytes; });
    return list;
  }
  void take_counts() {
    out_.by_type = largest_first(types_);
    out_.by_class = largest_first(classes_);
    out_.params = params_;
    out_.tensor_bytes = bytes_;
  }

  /// The model's weights take what the file's tensors take, as long as the file's own format is asked about.
  void store(const std::string& format, double bytes) {
    ImportedModel& m = *out_.model;
    m.precision = format;
    if (format.empty()) {
      out_.notes.push_back("the format of the weights is not known here: choose one, and the memory is that of the format");
      return;
    }
    m.row["stored_format"] = format;
    m.row["stored_bytes"] = bytes;
    if (const auto it = classes_.find("experts"); it != classes_.end()) m.row["stored_expert_bytes"] = it->second.bytes;
    if (Result<Model> read = read_model(m.row, "model")) m.model = std::move(read.value());
  }

  // ---- GGUF ----

  std::optional<Error> read_gguf() {
    FileContents contents;
    const Part* head = nullptr;
    int given = 0;
    double split = 1, stated_tensors = 0, model_tensors = 0;
    std::set<int> have;
    bool projector = false, adapter = false, whole = false;
    for (const Part& p : parts_) {
      if (p.form != Form::kGguf) continue;
      const Facts& facts = p.header.facts;
      const std::string type = facts.text("general.type"), architecture = facts.text("general.architecture");
      const bool tower = architecture == "clip" || type == "mmproj";
      for (const FileTensor& t : p.header.tensors) {
        Role role = gguf_role(t.name);
        role.tower = role.tower || tower;
        count(t, role);
        contents.tensors.push_back({&t, std::move(role)});
      }
      if (type == "adapter" || facts.find("adapter.type")) {
        adapter = true;
        low_rank(p);
      } else if (tower) {
        projector = true;
      } else {
        ++given;
        const double of = facts.number("split.count").value_or(1), number = facts.number("split.no").value_or(0);
        if (!(of >= 0 && of <= kMostParts && number >= 0 && number < std::max(1.0, of))) return in_file(*p.file, {ErrorCode::kBadData, "split.count", "expected 1 to 4,096 parts and a number below"});
        split = std::max(split, of);
        stated_tensors = std::max(stated_tensors, facts.number("split.tensors.count").value_or(0));
        model_tensors += static_cast<double>(p.header.tensors.size());
        if (!have.insert(static_cast<int>(number)).second) return in_file(*p.file, {ErrorCode::kInvalidInput, "split.no", "expected every part once; part " + format_number(number + 1) + " is there twice, or these are files of several models"});
        if (number == 0 || !head) head = &p;
        whole = whole || of <= 1;
      }
    }
    if (whole && given > 1) return Error{ErrorCode::kInvalidInput, "files", "expected the files of one model, found several"};
    take_counts();
    if (!head) {
      const Facts& facts = parts_[0].header.facts;
      if (out_.kind.empty()) out_.kind = adapter ? "gguf-adapter" : "gguf-projector";
      out_.name = facts.text("general.name").empty() ? name_of(*parts_[0].file) : facts.text("general.name");
      out_.architecture = facts.text("general.architecture");
      return std::nullopt;
    }
    if (out_.kind.empty()) out_.kind = "gguf";
    const Facts& facts = head->header.facts;
    out_.architecture = contents.architecture = facts.text("general.architecture");
    // Ollama's blobs have a digest as name.
    out_.name = contents.name = !facts.text("general.name").empty() ? facts.text("general.name") : name_of(*head->file);
    contents.facts = &facts;
    if (const Fact* tokens = facts.find("tokenizer.ggml.tokens"); tokens && tokens->count > 0) out_.vocabulary = tokens->count;
    const auto pattern = part_name(head->file->name);
    for (int i = 0; i < static_cast<int>(split); ++i)
      if (!have.contains(i)) out_.missing.push_back(pattern && pattern->count == static_cast<int>(split) ? with_number(head->file->name, *pattern, i + 1) : "part " + std::to_string(i + 1) + " of " + format_number(split));
    if (!out_.missing.empty()) return std::nullopt;
    if (split > 1 && stated_tensors > 0 && stated_tensors != model_tensors)
      return Error{ErrorCode::kBadData, "split.tensors.count", "expected " + format_number(stated_tensors) + " tensors in all parts, found " + format_number(model_tensors)};
    std::vector<std::string_view> names;
    for (const PlacedTensor& t : contents.tensors) names.push_back(t.tensor->name);
    std::sort(names.begin(), names.end());
    if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end()) return Error{ErrorCode::kBadData, std::string(twice->substr(0, 80)), "expected every tensor once in all parts"};
    if (adapter) out_.notes.push_back("the adapter is counted among the weights");
    if (adapter) std::erase_if(contents.tensors, [](const PlacedTensor& t) { return contains(t.tensor->name, ".lora_"); });
    Result<ImportedModel> model = model_of_contents(contents);
    if (!model) {
      out_.notes.push_back("no language model could be read from it: " + model.error().path + ": " + model.error().message);
      return std::nullopt;
    }
    out_.model = std::move(model.value());
    store(gguf_format(facts, out_.by_type), bytes_);
    if (projector) out_.notes.push_back("the projector's file is counted as the model's vision tower");
    return std::nullopt;
  }

  void low_rank(const Part& p) {
    Adapter a;
    std::set<std::string> targets;
    for (const FileTensor& t : p.header.tensors) {
      std::string name = t.name;
      std::size_t at = std::string::npos;
      for (const std::string_view mark : {".lora_a", ".lora_A", ".lora_down", ".lora_embedding_A"})
        if (at == std::string::npos) at = name.find(mark);
      if (at == std::string::npos) continue;
      // The rank is the inner side of the first of the two matrices: GGUF and PEFT keep it as its number of rows.
      a.rank = std::max(a.rank, contains(name, "embedding_A") ? t.dims[0] : t.dims[1]);
      name.resize(at);
      for (const std::string_view weight : {".weight", ".base_layer"})
        if (name.size() > weight.size() && name.compare(name.size() - weight.size(), weight.size(), weight) == 0) name.resize(name.size() - weight.size());
      if (const std::size_t dot = name.rfind('.'); dot != std::string::npos) name = name.substr(dot + 1);
      targets.insert(name.substr(0, 64));
    }
    constexpr std::size_t kShown = 64;
    for (const std::string& t : targets)
      if (a.targets.size() < kShown) a.targets.push_back(t);
    if (a.rank > 0) out_.adapter = std::move(a);
  }

  // ---- safetensors ----

  std::optional<Error> read_safetensors() {
    FileContents contents;
    std::set<std::string> given;
    bool adapter = false, packed = false, block_scales = false;
    std::vector<std::string_view> names;
    for (const Part& p : parts_) {
      if (p.form != Form::kSafetensors) continue;
      std::string name = p.file->name;
      if (const std::size_t slash = name.find_last_of("/\\"); slash != std::string::npos) name = name.substr(slash + 1);
      given.insert(name);
      for (const FileTensor& t : p.header.tensors) {
        Role role = huggingface_role(t.name);
        count(t, role);
        names.push_back(t.name);
        adapter = adapter || contains(t.name, "lora_A") || contains(t.name, "lora_down") || contains(t.name, "lora_embedding_A");
        packed = packed || contains(t.name, "qweight") || contains(t.name, "weight_packed") || contains(t.name, "_blocks") || contains(t.name, ".absmax") || contains(t.name, "weight_scale_2") || ((t.type == "U8" || t.type == "I32") && contains(t.name, ".weight"));
        block_scales = block_scales || contains(t.name, "weight_scale_inv");
        // Scales and the like are weights of no layer of their own.
        if (!contains(t.name, "scale") && !contains(t.name, "inv_freq")) contents.tensors.push_back({&t, std::move(role)});
      }
    }
    std::sort(names.begin(), names.end());
    if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end()) return Error{ErrorCode::kBadData, std::string(twice->substr(0, 80)), "expected every tensor once in all files"};
    if (!given.empty()) take_counts();
    const Part* index = first(Form::kIndex);
    const Part* config = first(Form::kConfig);
    out_.kind = adapter ? "safetensors-adapter" : given.empty() ? "safetensors-index" : "safetensors";
    for (const Part& p : parts_)
      if (out_.name.empty() && p.form == Form::kSafetensors) out_.name = name_of(*p.file);
    if (adapter) {
      for (const Part& p : parts_)
        if (p.form == Form::kSafetensors) low_rank(p);
      return std::nullopt;
    }
    double stored = bytes_;
    if (index) {
      if (auto e = shards(*index, given)) return e;
      if (given.empty() || !out_.missing.empty()) {
        const json metadata = index->document.value("metadata", json::object());
        const auto size = metadata.is_object() ? metadata.find("total_size") : metadata.end();
        if (size == metadata.end() || !size->is_number() || !(size->get<double>() > 0 && size->get<double>() < 1e16)) stored = 0;
        else stored = size->get<double>();
        if (stored > 0) out_.missing.clear();  // the index says what all shards take together
      }
    } else {
      for (const std::string& name : given)
        if (const auto p = part_name(name)) {
          if (p->count > kMostParts) return Error{ErrorCode::kBadData, name, "expected at most 4,096 parts"};
          for (int i = 1; i <= p->count; ++i)
            if (const std::string other = with_number(name, *p, i); !given.contains(other)) out_.missing.push_back(other);
          break;
        }
    }
    if (given.empty() && stored > 0) out_.tensor_bytes = stored;
    if (config) {
      Result<ImportedModel> model = import_config(config->document, out_.name.empty() ? name_of(*config->file) : out_.name);
      if (!model) return in_file(*config->file, model.error());
      out_.model = std::move(model.value());
      out_.architecture = out_.model->model.family;
    } else if (!out_.missing.empty()) {
      return std::nullopt;
    } else if (given.empty()) {
      out_.notes.push_back("an index names the shards and their size; give the config.json beside it to ask about the model");
      return std::nullopt;
    } else if (packed) {
      out_.notes.push_back("the weights are packed, so that their shapes do not show: give the config.json beside the file");
      return std::nullopt;
    } else {
      const Facts none;
      contents.facts = &none;
      contents.name = out_.name;
      Result<ImportedModel> model = model_of_contents(contents);
      if (!model) {
        out_.notes.push_back("the config.json beside the file is needed: " + model.error().path + ": " + model.error().message);
        return std::nullopt;
      }
      out_.model = std::move(model.value());
    }
    std::string format = out_.model->precision;
    if (format.empty() && !out_.by_type.empty()) format = plain_format(out_.by_type, block_scales);
    if (format.empty() && config) {
      const json& c = config->document;
      for (const json* at : {&c, c.contains("text_config") ? &c["text_config"] : &c})
        for (const char* key : {"torch_dtype", "dtype"})
          if (const auto it = at->is_object() ? at->find(key) : at->end(); at->is_object() && it != at->end() && it->is_string() && format.empty())
            format = *it == "bfloat16" ? "bf16" : *it == "float16" ? "fp16" : *it == "float32" ? "fp32" : "";
    }
    if (format == "fp8") format = given.empty() || block_scales ? "fp8-block128" : "fp8-tensor";
    if (out_.missing.empty() && stored > 0) store(format, stored);
    return std::nullopt;
  }

  std::optional<Error> shards(const Part& index, const std::set<std::string>& given) {
    const json& map = index.document["weight_map"];
    if (!map.is_object()) return in_file(*index.file, {ErrorCode::kBadData, "weight_map", "expected an object of file names"});
    std::set<std::string> files;
    for (const json& file : map) {
      if (!file.is_string()) return in_file(*index.file, {ErrorCode::kBadData, "weight_map", "expected an object of file names"});
      files.insert(file.get_ref<const std::string&>().substr(0, 256));
      if (files.size() > static_cast<std::size_t>(kMostParts)) return in_file(*index.file, {ErrorCode::kBadData, "weight_map", "expected at most 4,096 files"});
    }
    for (const std::string& f : files)
      if (!given.contains(f)) out_.missing.push_back(f);
    return std::nullopt;
  }

  // ---- Ollama ----

  std::optional<Error> manifest(const Part& p) {
    out_.kind = "ollama-manifest";
    out_.name = name_of(*p.file);
    const json& layers = p.document["layers"];
    if (layers.size() > 256) return in_file(*p.file, {ErrorCode::kBadData, "layers", "expected at most 256 layers"});
    double weights = 0;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const json& l = layers[i];
      const std::string path = "layers/" + std::to_string(i);
      const auto text = [&](const char* key) { const auto it = l.is_object() ? l.find(key) : l.end(); return l.is_object() && it != l.end() && it->is_string() ? it->get<std::string>().substr(0, 128) : std::string(); };
      const std::string media = text("mediaType"), digest = text("digest");
      constexpr std::string_view kOurs = "application/vnd.ollama.image.";
      if (!starts_with(media, kOurs)) return in_file(*p.file, {ErrorCode::kBadData, path + "/mediaType", "expected one that begins with \"application/vnd.ollama.image.\", found \"" + media + "\""});
      if (!starts_with(digest, "sha256:") || digest.size() != 71) return in_file(*p.file, {ErrorCode::kBadData, path + "/digest", "expected \"sha256:\" and 64 digits, found \"" + digest + "\""});
      const auto size = l.find("size");
      if (size == l.end() || !size->is_number() || !(size->get<double>() >= 0 && size->get<double>() < 1e16)) return in_file(*p.file, {ErrorCode::kBadData, path + "/size", "expected a size in bytes"});
      const std::string role = media.substr(kOurs.size());
      if (role == "model" || role == "projector" || role == "adapter") weights += size->get<double>();
      out_.blobs.push_back({role, digest, size->get<double>()});
    }
    const bool model = std::any_of(out_.blobs.begin(), out_.blobs.end(), [](const FileBlob& b) { return b.role == "model"; });
    if (!model) return in_file(*p.file, {ErrorCode::kMissingData, "layers", "expected a layer of the kind model"});
    if (any(Form::kGguf)) return std::nullopt;
    out_.tensor_bytes = weights;
    for (const FileBlob& b : out_.blobs)
      if (b.role == "model" || b.role == "projector") out_.missing.push_back("blobs/sha256-" + b.digest.substr(7));
    out_.notes.push_back("a manifest names the blobs and their size, not the architecture: give the blob of the model too");
    return std::nullopt;
  }

  const std::vector<FileStart>& files_;
  std::vector<Part> parts_;
  Inspection out_;
  std::map<std::string, TypeShare> types_, classes_;
  double params_ = 0, bytes_ = 0;
};

json shares(const std::vector<TypeShare>& list) {
  json out = json::array();
  for (const TypeShare& s : list) out.push_back({{"name", s.name}, {"tensors", s.tensors}, {"params", s.params}, {"bytes", s.bytes}});
  return out;
}

}  // namespace

InspectionAnswer inspect_files(const std::vector<FileStart>& files) { return Inspector(files).run(); }

std::string inspect_files_json(const std::vector<FileStart>& files) {
  const InspectionAnswer answer = inspect_files(files);
  if (answer.needed_bytes > 0) return json_text({{"needed", {{"file", answer.needed_index}, {"bytes", answer.needed_bytes}}}});
  if (!answer.result) return error_json(answer.result.error());
  const Inspection& i = answer.result.value();
  const auto known = [](const std::optional<double>& v) { return v ? json(*v) : json(); };
  json out = {{"kind", i.kind}, {"name", i.name}, {"architecture", i.architecture}, {"params", known(i.params)}, {"tensor_bytes", known(i.tensor_bytes)}, {"vocabulary", known(i.vocabulary)},
      {"by_type", shares(i.by_type)}, {"by_class", shares(i.by_class)}, {"missing", i.missing}, {"notes", i.notes}};
  out["adapter"] = i.adapter ? json({{"rank", i.adapter->rank}, {"targets", i.adapter->targets}}) : json();
  out["blobs"] = json::array();
  for (const FileBlob& b : i.blobs) out["blobs"].push_back({{"role", b.role}, {"digest", b.digest}, {"bytes", b.bytes}});
  out["model"] = nullptr;
  out["precision"] = nullptr;
  out["assumptions"] = json::array();
  if (i.model) {
    out["model"] = i.model->row;
    if (!i.model->precision.empty()) out["precision"] = i.model->precision;
    out["assumptions"] = i.model->assumptions;
    out["params_total"] = i.model->model.params_total;
    out["params_active"] = i.model->model.params_active;
    out["kv_bytes_per_token_bf16"] = 2 * cache_of(i.model->model).growing_elements_per_token();
  }
  return json_text(out);
}

}  // namespace whichgpu
