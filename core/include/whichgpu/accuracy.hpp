#pragma once
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "whichgpu/measurement.hpp"

/// How far the estimates are from what others measured.
namespace whichgpu {

struct JudgedRow {
  const MeasurementRow* row = nullptr;
  RowEstimate estimate;
  Figure measured;       ///< a number in the row's unit; nothing for yes/no rows
  std::string line;      ///< the line of the goals table it counts in; "other" beyond the table
  bool judged = true;    ///< false: suspect, pool, statement, or the value is no number
};

/// The line of the goals table that a row belongs to, e.g. "decode, one stream, dense".
std::string goal_line(const Conditions& conditions);

/// The name of the cell that a row belongs to: rows alike in these count once, by their median error.
std::string cell_name(const MeasurementRow& row);

struct GroupAccuracy {
  std::string name;
  int rows = 0, modelled = 0, judged = 0, cells = 0;
  double median_error = 0, p90_error = 0, bias = 0;  ///< over cells: |estimate / measured - 1|; bias: median of estimate / measured - 1
  double coverage = 0;                               ///< share of the judged rows whose interval holds the measurement
  double right = 0;                                  ///< yes/no rows: share right
  bool yes_no = false;
};

struct Accuracy {
  std::vector<JudgedRow> rows;
  std::vector<GroupAccuracy> lines;                 ///< by line of the goals table, crowd rows apart ("… (crowd)")
  std::vector<std::pair<std::string, int>> reasons; ///< why rows are not modelled, most frequent first
  int resolved = 0, resolved_not_modelled = 0;      ///< rows with a resolved GPU and model
};

Accuracy judge(const Catalog& catalog, const std::vector<MeasurementRow>& rows);

/// The same errors by another grouping of the judged rows of one line.
GroupAccuracy summarize(const std::string& name, const std::vector<const JudgedRow*>& rows);

nlohmann::json to_json(const Accuracy& accuracy);
/// What the accuracy page draws: for each line the density of log10(measured) against log10(estimate) on a square grid,
/// the errors by GPU, program, precision, model family and context, and the rows that are missed most.
nlohmann::json details_json(const Accuracy& accuracy);
/// One JSON object a row: {"id","metric","measured","estimate":{…}} or {"id","metric","not_modelled"}.
nlohmann::json to_json(const JudgedRow& row);

}  // namespace whichgpu
