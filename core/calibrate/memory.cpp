#include <memory>

#include "fit.hpp"
#include "memory/inference.hpp"

namespace whichgpu::calibrate {

/// Inference memory: the few factors and overheads that the arithmetic leaves open.
Domain inference_memory_domain() {
  Domain d;
  d.spec = &memory::spec();
  d.observe = [](const Conditions& c, const MeasurementRow&, Observation& o) {
    using Metric = memory::RowQuestion::Metric;
    if (c.workload != "memory") return false;
    const auto q = std::make_shared<memory::RowQuestion>();
    std::string why_not;
    if (!memory::row_question(c, *q, why_not)) return false;
    if (q->metric == Metric::kFits || q->metric == Metric::kTokens || q->metric == Metric::kBuffer) return false;  // limits, and parts that programs name differently
    o.keys = q->keys;
    for (int level = 0; level < memory::kLevels; ++level) o.key_names[static_cast<std::size_t>(level)] = q->names.at[level];
    o.predict = [q](const double* k) { return memory::row_log_value(*q, k); };
    return true;
  };
  d.source_sd = 0.03;
  d.residual_scale = 0.04;
  d.crowd_weight = 0.05;  // users state neither slots nor what else fills the card
  return d;
}

}  // namespace whichgpu::calibrate
