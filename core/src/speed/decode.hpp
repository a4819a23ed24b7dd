#pragma once
#include "step.hpp"

/// Time of one decode step of a single stream.
///
///   t = [ dense/(bw·e) + experts/(bw·e·e_x) + cache/(bw·e_kv) + kernels·t_layer + t_fixed + exchange ] · era · split
///
/// e, the share of the bandwidth, bends to its limit of 1.
/// Units:  seconds, tokens, bytes.
/// Holds:  one stream. The serving model has its own batch terms.
/// Source: the fit over data/measurements (domain "decode" of data/calibration.json).
namespace whichgpu::speed {

enum DecodeCoefficient { kReadEfficiency, kEra, kExperts, kCache, kLayer, kMoeLayer, kRecurrentLayer, kFixed, kAllReduce, kAllReduceGrowth, kSlowLink, kSplit, kSpeculativeGain, kDecodePowerCap, kHost, kDecodeCoefficients };
const DomainSpec& decode_spec();

struct DecodeTerms { double weights = 0, experts = 0, cache = 0, layers = 0, fixed = 0, exchange = 0, host = 0, total = 0; };
/// Bytes of weights that one token reads from host memory.
double host_weights(const Setup& setup);
/// `context`: tokens in the cache. Speculative decoding and power caps scale the step, as measured.
DecodeTerms decode_terms(const Setup& setup, double context, bool speculative, bool power_capped, CoefficientView c);
inline double decode_seconds(const Setup& setup, double context, bool speculative, bool power_capped, CoefficientView c) { return decode_terms(setup, context, speculative, power_capped, c).total; }

}  // namespace whichgpu::speed
