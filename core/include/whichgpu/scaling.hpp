#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "whichgpu/estimate.hpp"

/// What more GPUs bring: throughput and efficiency for 1, 2, 4, 8, 16 … of each kind, and where several cheaper cards beat a
/// dearer one.
namespace whichgpu {

struct ScalingPoint {
  int gpu_count = 1, nodes = 1;
  Verdict verdict = Verdict::kUnknown;
  std::optional<Quantity> rate;        ///< of all GPUs together; nothing where it does not run
  Figure efficiency;                   ///< rate per GPU over that at the smallest count that runs
  std::optional<Quantity> hours;       ///< of a run that ends
  std::optional<double> usd_per_hour;
  std::string bound_by;
};

struct ScalingCurve {
  std::string gpu;
  std::string unit;                    ///< of the rate
  std::vector<ScalingPoint> points;    ///< counts 1, 2, 4, 8 …
};

/// Whether several of a cheaper GPU reach `count` of a dearer one for less money.
struct Overtaking {
  std::string dearer, cheaper;
  int count = 1;                       ///< of the dearer one
  int needed = 0;                      ///< of the cheaper one; 0: no count of the curve is as fast and cheaper
  double speed_ratio = 0, price_ratio = 0;  ///< cheaper over dearer at these counts
};

struct Scaling {
  Scenario scenario;
  std::vector<ScalingCurve> curves;
  std::vector<Overtaking> overtakings;
};

/// The scenario on `gpus` (its own GPU when empty), for counts up to `most` (at least 1). Counts that a fixed batch cannot be
/// shared over are still answered. Errors: those of resolve().
Result<Scaling> scaling(const Catalog& catalog, const Scenario& scenario, const std::vector<std::string>& gpus, int most);

/// {"scenario":…, "gpus":[names], "most":16} → curves and overtakings as JSON.
std::string scaling_json(const Catalog& catalog, std::string_view text);

}  // namespace whichgpu
