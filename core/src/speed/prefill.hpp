#pragma once
#include "step.hpp"

/// Time to read a prompt before the first token.
///
///   t = micro-batches · [ (matmul³ + read³)^(1/3) + layers · t_layer ] + attention + recurrent + exchange + t_fixed
///   matmul = FLOPs of (tokens + half_tokens) / (peak · efficiency); experts with their own efficiency and tile loss
///
/// Units:  seconds, tokens, bytes, FLOP.
/// Holds:  one prompt at a time, on the cards of the setup; host memory only as a slower place to read weights from.
/// Source: the fit over data/measurements (domain "prefill" of data/calibration.json).
namespace whichgpu::speed {

enum PrefillCoefficient { kPrefillEfficiency, kHiddenSlope, kHalfTokens, kPrefillExperts, kExpertHalfTokens, kPrefillRead, kAttention, kPrefillLayer, kRecurrent, kLink, kPrefillFixed, kPrefillPowerCap, kPrefillHost, kPrefillCoefficients };
const DomainSpec& prefill_spec();

/// The work of one prompt.
struct PrefillWork {
  double tokens = 0, chunks = 1;
  double dense_flops = 0, dense_token_flops = 0;    ///< of the tokens; of one token in every micro-batch
  double expert_flops = 0, expert_token_flops = 0;  ///< the same over the experts; one token in every expert used
  double read_bytes = 0, host_bytes = 0, attention_flops = 0, recurrent_units = 0, exchange_bytes = 0;
};
PrefillWork prefill_work(const Setup& setup, double tokens, double past = 0);

struct PrefillTerms { double matmul = 0, read = 0, layers = 0, attention = 0, recurrent = 0, exchange = 0, host = 0, fixed = 0, total = 0; };
PrefillTerms prefill_terms(const Setup& setup, const PrefillWork& work, bool power_capped, CoefficientView c);
inline double prefill_seconds(const Setup& setup, const PrefillWork& work, bool power_capped, CoefficientView c) { return prefill_terms(setup, work, power_capped, c).total; }

}  // namespace whichgpu::speed
