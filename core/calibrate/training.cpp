#include <utility>

#include "fit.hpp"
#include "training/image_training.hpp"
#include "training/memory.hpp"
#include "training/speed.hpp"

namespace whichgpu::calibrate {
namespace {

template <class Features>
void take_keys(const Features& features, const DomainSpec& spec, Observation& out) {
  out.keys = features.keys;
  for (std::size_t i = 0; i < spec.levels.size(); ++i) out.key_names[i] = features.key_names[i];
}

bool language(const Conditions& row) { return row.workload == "llm-pretrain" || row.workload == "llm-finetune" || row.workload == "llm-infer"; }

}  // namespace

Domain training_speed_domain() {
  Domain d;
  d.spec = &training::speed_spec();
  d.source_sd = 0.05;
  d.residual_scale = 0.12;
  d.first_residual_scale = 0.6;
  d.terms = {{"elements", kNothing}, {"scores", kNothing}, {"dequantise", kNothing}, {"layer", kNothing}, {"gather", kNothing}, {"gradients", kNothing}, {"tensor", kNothing},
             {"exchange", kNothing}, {"bubble", kNothing}, {"optimizer", kNothing}, {"offload", kNothing}, {"scale", kNothing}, {"expert-year", kFlat}, {"peak-slope", kFlat}};
  d.observe = [](const Conditions& row, const MeasurementRow&, Observation& out) {
    std::string why;
    if (!language(row)) return false;
    auto features = training::speed_row_features(row, why, true);
    if (!features) return false;
    take_keys(*features, training::speed_spec(), out);
    out.predict = [f = std::move(*features)](const double* c) { return training::speed_log(f, c); };
    return true;
  };
  return d;
}

Domain training_memory_domain() {
  Domain d;
  d.spec = &training::memory_spec();
  d.source_sd = 0.05;
  d.residual_scale = 0.12;
  d.first_residual_scale = 1.0;
  d.terms = {{"checkpoints", kNothing}, {"working", kNothing}, {"scores", kNothing}, {"logits", kNothing}, {"gathered", kNothing}, {"constant", kNothing}, {"fragmentation", kNothing}};
  d.observe = [](const Conditions& row, const MeasurementRow&, Observation& out) {
    std::string why;
    if (!language(row) || row.metric != "peak_vram_gb") return false;
    auto features = training::memory_row_features(row, why, true);
    if (!features) return false;
    take_keys(*features, training::memory_spec(), out);
    out.predict = [f = std::move(*features)](const double* c) { return training::memory_shown_log(f, c); };
    return true;
  };
  return d;
}

Domain image_training_memory_domain() {
  Domain d;
  d.spec = &training::image_memory_spec();
  d.source_sd = 0.1;
  d.residual_scale = 0.15;
  d.observe = [](const Conditions& row, const MeasurementRow&, Observation& out) {
    std::string why;
    if (row.workload != "diffusion-train" || row.metric != "peak_vram_gb") return false;
    auto features = training::image_memory_row_features(row, why, true);
    if (!features) return false;
    take_keys(*features, training::image_memory_spec(), out);
    out.predict = [f = std::move(*features)](const double* c) { return training::image_memory_log(f, c); };
    return true;
  };
  return d;
}

Domain image_training_speed_domain() {
  Domain d;
  d.spec = &training::image_speed_spec();
  d.source_sd = 0.1;
  d.residual_scale = 0.15;
  d.observe = [](const Conditions& row, const MeasurementRow&, Observation& out) {
    std::string why;
    if (row.workload != "diffusion-train") return false;
    if (row.metric == "peak_vram_gb" || row.metric == "fits") return false;
    auto features = training::image_speed_row_features(row, why, true);
    if (!features) return false;
    take_keys(*features, training::image_speed_spec(), out);
    out.predict = [f = std::move(*features)](const double* c) { return training::image_speed_log(f, c); };
    return true;
  };
  return d;
}

}  // namespace whichgpu::calibrate
