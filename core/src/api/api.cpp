#include "whichgpu/api.hpp"

#include <iterator>

#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "whichgpu/estimate.hpp"
#include "whichgpu/evidence.hpp"
#include "whichgpu/rank.hpp"

namespace whichgpu {
namespace {

using nlohmann::json;

constexpr std::size_t kLargestText = 16u << 20;
constexpr int kDeepest = 64;

/// Deepest nesting of brackets outside strings: the reader recurses when it destroys a document.
int nesting(std::string_view text) {
  int depth = 0, deepest = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      else if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      deepest = ++depth > deepest ? depth : deepest;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return deepest;
}

}  // namespace

std::string error_json(const Error& error) { return json_text({{"error", {{"code", to_word(error.code)}, {"path", error.path}, {"message", error.message}}}}); }

Result<json> parse_json(std::string_view text, const char* where) {
  if (text.size() > kLargestText) return Error{ErrorCode::kInvalidInput, where, "is larger than 16 MiB"};
  if (nesting(text) > kDeepest) return Error{ErrorCode::kInvalidInput, where, "is nested deeper than 64 levels"};
  json document = json::parse(text.begin(), text.end(), nullptr, false);
  if (document.is_discarded()) return Error{ErrorCode::kInvalidInput, where, "is not JSON (cut off, or a comma, quote or bracket is wrong)"};
  return document;
}

std::string estimate_json(const Catalog& catalog, std::string_view text) { return estimate_json(catalog, text, {}, nullptr); }

std::string estimate_json(const Catalog& catalog, std::string_view text, const std::vector<MeasurementRow>& measured, RowEstimator estimator) {
  const Result<json> document = parse_json(text, "scenario");
  if (!document) return error_json(document.error());
  const Result<Scenario> scenario = read_scenario(document.value());
  if (!scenario) return error_json(scenario.error());
  const Result<Question> question = resolve(catalog, scenario.value());
  if (!question) return error_json(question.error());
  Estimate answer = estimate(question.value());
  if (!measured.empty()) answer.evidence = find_evidence(question.value(), measured, estimator);
  return json_text(to_json(answer));
}

std::string add_measurements(std::vector<MeasurementRow>& rows, std::string_view csv) {
  if (csv.size() > kLargestText) return error_json({ErrorCode::kInvalidInput, "measurements", "is larger than 16 MiB"});
  Result<std::vector<MeasurementRow>> more = read_measurements(csv);
  if (!more) return error_json(more.error());
  rows.insert(rows.end(), std::make_move_iterator(more.value().begin()), std::make_move_iterator(more.value().end()));
  return json_text({{"rows", rows.size()}});
}

std::string rank_json(const Catalog& catalog, std::string_view text) {
  Result<json> document = parse_json(text, "scenario");
  if (!document) return error_json(document.error());
  RankBy by = RankBy::kValue;
  if (document.value().is_object() && document.value().contains("rank_by")) {
    const json& word = document.value()["rank_by"];
    const std::optional<RankBy> known = word.is_string() ? rank_by(*word.get_ptr<const std::string*>()) : std::nullopt;
    if (!known) return error_json({ErrorCode::kInvalidInput, "rank_by", "expected one of value, speed, price, latency, energy, memory, upfront"});
    by = *known;
    document.value().erase("rank_by");
  }
  const Result<Scenario> scenario = read_scenario(document.value());
  if (!scenario) return error_json(scenario.error());
  const Result<Ranking> ranking = rank(catalog, scenario.value(), by);
  if (!ranking) return error_json(ranking.error());
  return rank_text(ranking.value());
}

}  // namespace whichgpu
