#pragma once
#include "decode.hpp"
#include "prefill.hpp"
#include "whichgpu/estimate.hpp"
#include "whichgpu/measurement.hpp"

/// One stream: what a measurement row of workload `chat` says under our two fitted domains, and the answer to a scenario.
namespace whichgpu::speed {

enum class ChatMetric { kDecodeRate, kTokenTime, kLatency, kOutputRate, kTotalRate, kRequestRate, kPrefillRate, kFirstToken };

/// A row's conditions as physics. `lengths` is a mix that the source averages over (mostly one element).
struct ChatRow {
  ChatMetric metric = ChatMetric::kDecodeRate;
  struct Length { double prompt = 0, output = 0, past = 0; PrefillWork prefill; };
  std::vector<Length> lengths;
  Setup setup;
  NamedKeys keys;
  bool holds_prefill = false, speculative = false, power_capped = false;
  double per = 1;  ///< the row's figure is for one of so many GPUs
  bool of_prefill_domain() const { return metric == ChatMetric::kPrefillRate || metric == ChatMetric::kFirstToken; }
};
std::optional<ChatRow> read_chat_row(const Conditions& conditions, std::string& why_not, bool with_names);

/// Log of the row's figure in its own unit.
double prefill_row_log(const ChatRow& row, CoefficientView prefill_coefficients);
/// `prefill_s`: seconds of the prompt for each length; used where the figure holds the prefill.
double decode_row_log(const ChatRow& row, const std::vector<double>& prefill_s, CoefficientView decode_coefficients);
std::vector<double> prefill_seconds_of(const ChatRow& row, CoefficientView prefill_coefficients);

}  // namespace whichgpu::speed

namespace whichgpu {
RowEstimate estimate_chat_row(const Conditions& conditions);
SpeedEstimate estimate_chat_speed(const Question& question, const MemoryEstimate& memory, std::vector<Warning>& warnings);
}  // namespace whichgpu
