#include <array>

#include "whichgpu/measurement.hpp"

namespace whichgpu {
namespace {

struct Column { const char* name; std::string MeasurementRow::*member; };
constexpr std::array<Column, 33> kColumns = {{{"id", &MeasurementRow::id}, {"workload", &MeasurementRow::workload}, {"software", &MeasurementRow::software},
    {"software_version", &MeasurementRow::software_version}, {"measured", &MeasurementRow::measured}, {"source", &MeasurementRow::source}, {"quality", &MeasurementRow::quality},
    {"gpu", &MeasurementRow::gpu}, {"gpu_name", &MeasurementRow::gpu_name}, {"gpu_count", &MeasurementRow::gpu_count}, {"nodes", &MeasurementRow::nodes},
    {"model", &MeasurementRow::model}, {"model_name", &MeasurementRow::model_name}, {"params_b", &MeasurementRow::params_b}, {"precision", &MeasurementRow::precision},
    {"kv_precision", &MeasurementRow::kv_precision}, {"method", &MeasurementRow::method}, {"parallelism", &MeasurementRow::parallelism},
    {"activation_checkpointing", &MeasurementRow::activation_checkpointing}, {"optimizer", &MeasurementRow::optimizer}, {"concurrency", &MeasurementRow::concurrency},
    {"prompt_tokens", &MeasurementRow::prompt_tokens}, {"output_tokens", &MeasurementRow::output_tokens}, {"context_tokens", &MeasurementRow::context_tokens},
    {"sequence_or_resolution", &MeasurementRow::sequence_or_resolution}, {"micro_batch", &MeasurementRow::micro_batch}, {"global_batch", &MeasurementRow::global_batch},
    {"metric", &MeasurementRow::metric}, {"value", &MeasurementRow::value}, {"unit", &MeasurementRow::unit}, {"flags", &MeasurementRow::flags}, {"notes", &MeasurementRow::notes}, {"estimate", &MeasurementRow::estimate}}};

/// Reads one record (RFC 4180) from `at` on into `fields`. False when a quote never closes.
bool read_record(std::string_view text, std::size_t& at, std::vector<std::string>& fields) {
  fields.clear();
  std::string field;
  bool quoted = false;
  while (at < text.size()) {
    const char c = text[at++];
    if (quoted) {
      if (c != '"') {
        field.push_back(c);
      } else if (at < text.size() && text[at] == '"') {
        field.push_back('"');
        ++at;
      } else {
        quoted = false;
      }
    } else if (c == '"' && field.empty()) {
      quoted = true;
    } else if (c == ',') {
      fields.push_back(std::move(field));
      field.clear();
    } else if (c == '\n') {
      break;
    } else if (c != '\r') {
      field.push_back(c);
    }
  }
  if (quoted) return false;
  fields.push_back(std::move(field));
  return true;
}

}  // namespace

Result<std::vector<MeasurementRow>> read_measurements(std::string_view csv) {
  if (csv.substr(0, 3) == "\xEF\xBB\xBF") csv.remove_prefix(3);
  std::size_t at = 0;
  std::vector<std::string> fields;
  if (!read_record(csv, at, fields)) return Error{ErrorCode::kBadData, "line 1", "a quote is never closed"};
  std::vector<std::string MeasurementRow::*> members(fields.size(), nullptr);
  for (std::size_t i = 0; i < fields.size(); ++i)
    for (const Column& column : kColumns)
      if (fields[i] == column.name) members[i] = column.member;
  for (const char* needed : {"id", "metric", "value"}) {
    bool found = false;
    for (const std::string& name : fields) found = found || name == needed;
    if (!found) return Error{ErrorCode::kBadData, "line 1", std::string("expected a column \"") + needed + "\"; this is no measurement file"};
  }
  std::vector<MeasurementRow> rows;
  for (int record = 2; at < csv.size(); ++record) {
    if (!read_record(csv, at, fields)) return Error{ErrorCode::kBadData, "record " + std::to_string(record), "a quote is never closed"};
    if (fields.size() == 1 && fields[0].empty()) continue;
    if (fields.size() > members.size())
      return Error{ErrorCode::kBadData, "record " + std::to_string(record), "has " + std::to_string(fields.size()) + " fields, the header has " + std::to_string(members.size())};
    MeasurementRow row;
    for (std::size_t i = 0; i < fields.size(); ++i)
      if (members[i]) row.*members[i] = std::move(fields[i]);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string measurement_head() {
  std::string head;
  for (const Column& column : kColumns)
    if (column.member != &MeasurementRow::estimate) head += (head.empty() ? "" : ",") + std::string(column.name);
  return head;
}

std::string measurement_line(const MeasurementRow& row) {
  std::string line;
  for (const Column& column : kColumns) {
    if (column.member == &MeasurementRow::estimate) continue;
    if (&column != &kColumns[0]) line += ',';
    const std::string& field = row.*column.member;
    if (field.find_first_of(",\"\r\n") == std::string::npos) {
      line += field;
      continue;
    }
    line += '"';
    for (const char c : field) line += c == '"' ? std::string("\"\"") : std::string(1, c);
    line += '"';
  }
  return line;
}

}  // namespace whichgpu
