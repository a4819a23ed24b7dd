#include <memory>

#include "fit.hpp"
#include "speed/chat.hpp"

namespace whichgpu::calibrate {
namespace {

using namespace speed;

/// Faster than the weights can be read: the row is wrong about something (the number of streams, the model, the card).
bool impossible(const ChatRow& row, double measured) {
  if (row.speculative || row.setup.host_share > 0) return false;
  const double active = row.setup.layer_bytes + row.setup.output_bytes + (row.setup.experts > 0 ? row.setup.expert_bytes * row.setup.experts_per_token / row.setup.experts : 0);
  const double most = row.setup.hardware.bytes_per_s * row.setup.tensor / active;
  switch (row.metric) {
    case ChatMetric::kDecodeRate:
    case ChatMetric::kOutputRate: return measured > most;
    case ChatMetric::kTokenTime: return 1000 / measured > most;
    default: return false;
  }
}

bool observe(const Conditions& c, const MeasurementRow& r, bool prefill_domain, Observation& out) {
  if (c.workload != "chat") return false;
  std::string why;
  auto read = read_chat_row(c, why, true);
  if (!read || read->of_prefill_domain() != prefill_domain) return false;
  const Figure value = measured_value(r);
  if (!value || impossible(*read, *value)) return false;
  const auto row = std::make_shared<const ChatRow>(std::move(*read));
  out.keys = row->keys.keys;
  out.key_names = row->keys.names;
  if (prefill_domain) {
    out.predict = [row](const double* k) { return prefill_row_log(*row, k); };
    return true;
  }
  // Where the figure holds the prompt's time, that time is what the prefill domain (fitted before) says.
  const Coefficients prefill = c.catalog->calibration.domain("prefill").resolve(prefill_spec(), row->keys.keys);
  out.predict = [row, prompt = prefill_seconds_of(*row, prefill.value)](const double* k) { return decode_row_log(*row, prompt, k); };
  return true;
}

}  // namespace

Domain prefill_domain() {
  Domain d;
  d.spec = &prefill_spec();
  d.observe = [](const Conditions& c, const MeasurementRow& r, Observation& o) { return observe(c, r, true, o); };
  d.source_sd = 0.05;
  d.residual_scale = 0.12;
  return d;
}

Domain decode_domain() {
  Domain d;
  d.spec = &decode_spec();
  d.observe = [](const Conditions& c, const MeasurementRow& r, Observation& o) { return observe(c, r, false, o); };
  d.source_sd = 0.05;
  d.residual_scale = 0.1;
  d.uses = {"prefill"};
  return d;
}

}  // namespace whichgpu::calibrate
