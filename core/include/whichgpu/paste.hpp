#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "whichgpu/measurement.hpp"
#include "whichgpu/scenario.hpp"

/// What tools print, read: the machine that somebody has, or the measurement that somebody made.
namespace whichgpu {

/// The GPUs of a machine, from nvidia-smi (table, -L, or --query-gpu as CSV), rocm-smi or system_profiler.
struct PastedMachine {
  struct Card {
    std::string name;             ///< as printed
    const Gpu* gpu = nullptr;     ///< null: not in the catalog
    int count = 1;
    Figure memory_gib;            ///< as printed, of one card
  };
  std::vector<Card> cards;        ///< equal ones together, in the order of the text
  Figure ram_gib;                 ///< main memory, where the tool says it
};

/// Rows in the format of data/measurements, from llama-bench (markdown or JSON), vLLM's serving benchmark (text or JSON) or
/// trtllm-bench. What the tool does not print comes from the scenario: model, GPU, precision.
struct PastedMeasurement {
  std::string tool;
  std::vector<MeasurementRow> rows;
};

struct Pasted {
  std::optional<PastedMachine> machine;
  std::optional<PastedMeasurement> measurement;
};

/// Reads the text. `scenario`, resolved, stands in for what a benchmark does not print. Errors: kInvalidInput with path
/// "text" when no tool's output is recognised, or when a number in it cannot be one. Time and memory are linear in the text.
Result<Pasted> read_pasted(const Catalog& catalog, std::string_view text, const Scenario& scenario);

/// {"text":…, "scenario":{…}} -> {"machine":{cards, scenario}} or {"measurement":{tool, rows with our estimate, its interval and
/// the ratio, csv}}, or the error object. `scenario` in the answer is what to merge into a question to ask about the machine.
std::string pasted_json(const Catalog& catalog, std::string_view question_json);

}  // namespace whichgpu
