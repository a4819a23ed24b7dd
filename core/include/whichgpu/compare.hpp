#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "whichgpu/cost.hpp"
#include "whichgpu/estimate.hpp"

/// Two to four machines side by side: specifications, workloads, where the better one changes, and when to choose which.
namespace whichgpu {

struct CompareSide { std::string gpu; int gpu_count = 1; Scenario::OfferChoice offer; };
struct CompareQuestion {
  std::vector<CompareSide> sides;
  Scenario base;  ///< date, ownership and utilisation, the same for all sides
};

/// A figure of the data sheets. Ratios are to the first side's; nothing where either is unknown.
struct Spec { const char* name; std::vector<Figure> values, ratios; };

/// Who is best at something. `winner` -1: nobody can, or nobody's figure is known. No margin: nobody else can, or the others'
/// figures are unknown.
struct Contest {
  int winner = -1;
  Figure margin;       ///< how many times better than the next best, at least 1
  bool clear = false;  ///< the 80 % intervals of the best and the next do not touch, or both are exact
};

struct Outcome {
  Verdict verdict = Verdict::kUnknown;
  std::optional<Quantity> value;  ///< in the workload's metric; nothing when it does not run or cannot be known
  std::optional<Quantity> cost;   ///< money for the same amount of work
  std::string note;               ///< why there is no value, in a few words
};

struct WorkloadComparison {
  std::string name;               ///< chat-small, chat-large, serving, rag, finetune, pretrain, cnn-training, image-generation, hpc, multi-gpu, ownership
  std::string model;
  int gpu_count = 1;              ///< for each side: a multiple of its own count
  const char* metric = "";        ///< name of the quantity
  bool lower_is_better = false;
  std::vector<Outcome> outcomes;  ///< one for each side
  Contest best, cheapest;
};

/// Where the best side changes along one axis of the question.
struct Flip {
  const char* workload = "";
  const char* axis = "";  ///< prompt_tokens, concurrency, model_parameters, hours_per_month
  const char* by = "";    ///< speed, cost
  double at = 0;          ///< the first value at which `after` is best (to 1 %)
  std::string model;      ///< of model_parameters: the model at that size
  int before = -1, after = -1;
  bool others_stop = false;  ///< after wins because before no longer runs there
};

/// Rent or own, for one side.
struct RentOrOwn {
  OwnedHour owned;
  Figure rent_usd_per_hour;
  BreakEven even;
};

/// A reason to choose a side: a workload where it wins, or a stretch of an axis.
struct Reason {
  const char* code = "";  ///< only, faster, cheaper, range
  std::string workload, axis, by;
  Figure margin, from, to;
  std::string text;       ///< the reason as a sentence with its numbers
};

struct Comparison {
  std::vector<const Gpu*> gpus;
  std::vector<CompareSide> sides;
  std::string as_of;
  std::vector<Spec> specs;
  std::vector<WorkloadComparison> workloads;
  std::vector<Flip> flips;
  std::vector<RentOrOwn> rent_or_own;
  std::vector<std::vector<Reason>> choose;  ///< one list for each side
};

/// Compares. Errors: kInvalidInput when there are not 2 to 4 sides; those of resolve().
Result<Comparison> compare(const Catalog& catalog, const CompareQuestion& question);

nlohmann::json to_json(const Comparison& comparison);

/// {"gpus":["a","b"]} or {"gpus":[{"gpu":"a","gpu_count":2,"offer":{…}},…], "base":{…scenario…}} -> the comparison, or the
/// error object.
std::string compare_json(const Catalog& catalog, std::string_view question_json);

}  // namespace whichgpu
