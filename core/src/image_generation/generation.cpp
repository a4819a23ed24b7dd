#include "image_generation/generation.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "gpu/rates.hpp"
#include "whichgpu/math.hpp"
#include "whichgpu/units.hpp"

namespace whichgpu::generation {
namespace {

enum Level { kSoftware, kKind, kFamily, kPrecision, kGeneration, kGpuLevel, kSoftwareFamily, kOffloadLevel, kBatchLevel, kLink };
enum Coefficient { kCompute, kLaunch, kRest, kSteps, kScale, kOffloadCost, kTypical };
enum MemoryLevel { kMemorySoftware, kMemoryKind, kMemoryPrecision };
enum MemoryCoefficient { kDenoiser, kEncoders, kActivations, kRuntime, kBudget };

constexpr double kUNetAttentionShare = 0.14;  // SD 1.5 at 512: 126 of 804 GFLOPs; SDXL at 1024: 784 of 6761
constexpr double kWeightReadShare = 0.8;      // of the bandwidth, for large matrices read in order
constexpr double kFallbackWidth = 2048;
constexpr double kReachedOfPcie = 0.5;
constexpr double kRoomForWeights = 0.8;       // of a card whose other weights were moved out; the rest is activations
constexpr double kTileSide = 512;             // of a tiled decoder, as diffusers has it

template <class F>
void set_key(F& f, int level, const std::string& name) {
  f.keys.at[level] = key_of(name);
  if (f.with_names) f.key_names[level] = name;
}

const Component* component(const Model& m, std::string_view role) {
  for (const Component& c : m.components)
    if (c.role == role) return &c;
  return nullptr;
}

bool is_unet(const Model& m) {
  const Component* c = component(m, "denoiser");
  return c && contains(lower(c->name), "unet");
}

/// Width of the transformer, which the catalog's component name ends with ("MMDiT 24 layers, 1536").
double transformer_width(const Model& m) {
  const Component* c = component(m, "denoiser");
  if (!c) return kFallbackWidth;
  const std::size_t comma = c->name.find_last_of(',');
  if (comma == std::string::npos) return kFallbackWidth;
  const auto width = first_number(c->name.substr(comma));
  return width && *width >= 256 ? *width : kFallbackWidth;
}

double pair_area(std::string_view text) {
  const auto width = first_number(text);
  const std::size_t cross = text.find('x');
  if (!width || cross == std::string_view::npos) return width ? *width * *width : 0;
  const auto height = first_number(text.substr(cross + 1));
  return height ? *width * *height : 0;
}

/// Frames in the latent: decoders of video models keep the first frame and fold `fold` further ones into one.
double latent_frames(const Model& m, double frames) {
  if (m.frames <= 1 || frames <= 1) return 1;
  const double native = m.latent_shape.size() == 4 ? m.latent_shape[1] : 1;
  if (native <= 1) return frames / m.frames;
  const double fold = (m.frames - 1.0) / (native - 1);
  return 1 + (frames - 1) / fold;
}

/// Tokens relative to the native picture.
double token_ratio(const Setup& s) {
  const Model& m = *s.model;
  const double native_area = pair_area(m.native_resolution);
  double ratio = s.width > 0 && s.height > 0 && native_area > 0 ? s.width * s.height / native_area : 1;
  if (s.frames > 0 && m.frames > 1) ratio *= latent_frames(m, s.frames) / latent_frames(m, m.frames);
  return ratio;
}

double weight_bits(const std::string& precision) {
  if (precision == "fp32") return 32;
  if (precision == "8-bit" || precision == "fp8") return 8.5;
  if (precision == "4-bit" || precision == "fp4") return 4.6;
  if (precision == "6-bit") return 6.6;
  return 16;
}

}  // namespace

std::string software_class(std::string_view s) {
  struct Entry { const char* word; const char* name; };
  static constexpr Entry kWords[] = {{"a1111 / sd.next", "webui-users"}, {"submissions", "sdnext-users"}, {"nexfort", "nexfort"}, {"oneflow", "oneflow"}, {"onediff", "oneflow"}, {"tensorrt", "tensorrt"},
      {"stable-fast", "stable-fast"}, {"stable fast", "stable-fast"}, {"edge", "edge-dit"}, {"stable-diffusion.cpp", "stable-diffusion.cpp"}, {"sd.cpp", "stable-diffusion.cpp"},
      {"torch.compile", "compiled"}, {"compile", "compiled"}, {"xdit", "xdit"}, {"context parallel", "xdit"}, {"flux-fp8", "flux-fp8"}, {"webui", "webui"}, {"auto1111", "webui"}, {"hlky", "webui"}, {"comfy", "comfyui"},
      {"neuron", "neuron"}, {"habana", "habana"}, {"mlx", "mlx"}, {"core ml", "coreml"}, {"coreml", "coreml"}};
  for (const Entry& e : kWords)
    if (contains(s, e.word)) return e.name;
  return "diffusers";
}

std::string precision_class(std::string_view p) {
  const auto is = [&](const char* word) { return contains(p, word); };
  if (is("6-bit")) return "6-bit";
  if (is("nf4") || is("q4") || is("q3") || is("int4") || is("4-bit") || is("fp4")) return "4-bit";
  if (is("fp8")) return "fp8";
  if (is("q8") || is("int8") || is("w8") || is("8-bit")) return "8-bit";
  if (is("fp32") && !is("bf16")) return "fp32";
  return "half";
}

const DomainSpec& speed_spec() {
  static const DomainSpec spec{
      "image-speed",
      {"software", "kind", "family", "precision", "generation", "gpu", "software-kind", "offload", "batch", "link"},
      {{"compute", -0.8, 0.7, {{kSoftware, 0.3}, {kKind, 0.3}, {kFamily, 0.15}, {kPrecision, 0.25}, {kGeneration, 0.4}, {kGpuLevel, 0.15}, {kSoftwareFamily, 0.2}, {kBatchLevel, 0.2}}},
       {"launch", -3.8, 1.0, {{kSoftware, 0.6}, {kKind, 0.4}, {kGeneration, 0.4}}},
       {"rest", -1.2, 0.7, {{kSoftware, 0.7}, {kPrecision, 0.4}}},
       {"steps", -0.3, 0.4, {{kSoftware, 0.4}, {kFamily, 0.3}}},
       {"scale", -2.0, 0.7, {{kLink, 0.5}, {kSoftware, 0.5}}},
       // PCIe at half of its rate, as in the prior of training; engines overlap or copy twice.
       {"offload", 0.3, 0.7, {{kOffloadLevel, 0.7}}},
       // What drivers, settings and extensions cost the median user: about half of the speed.
       {"typical", -0.6, 0.3, {}}},
      {kSoftware, kFamily}};
  return spec;
}

const DomainSpec& memory_spec() {
  static const DomainSpec spec{
      "image-memory",
      {"software", "kind", "precision"},
      {{"denoiser", 0.02, 0.05, {{kMemoryPrecision, 0.1}, {kMemorySoftware, 0.1}}},
       // Encoders may be quantised too, or be freed once the prompt is encoded.
       {"encoders", 0.0, 0.3, {{kMemorySoftware, 0.5}, {kMemoryPrecision, 0.4}}},
       {"activations", 0.0, 0.5, {{kMemoryKind, 0.4}, {kMemorySoftware, 0.4}}},
       {"runtime", -1.5, 0.5, {{kMemorySoftware, 0.5}}},
       // With offloading, engines fill the card up to a share of it.
       {"budget", -0.25, 0.1, {{kMemorySoftware, 0.1}}}},
      {kMemorySoftware}};
  return spec;
}

std::optional<Features> speed_features(const Setup& s, std::string& why_not, bool with_names) {
  const Model& m = *s.model;
  const Gpu& g = *s.gpu;
  if (!m.denoiser_gflops_per_step) { why_not = "the denoiser's FLOPs are not known"; return std::nullopt; }
  Features f;
  f.with_names = with_names;
  f.peak = s.precision == "fp32" ? tf32_rate(g) : half_rate(g);
  f.bytes_per_s = memory_rate(g);
  if (f.peak <= 0 || f.bytes_per_s <= 0) { why_not = "the GPU's rate or bandwidth is not known"; return std::nullopt; }
  const double r = token_ratio(s);
  const bool unet = is_unet(m);
  const double tokens = m.denoiser_tokens;
  const double share = unet ? kUNetAttentionShare : tokens / (tokens + 6 * transformer_width(m));
  f.step_flops = *m.denoiser_gflops_per_step * 1e9 * m.passes_per_step * ((1 - share) * r + share * r * r);
  // Video decoders: as an image decoder for every frame, where no figure is published.
  const double frames = m.frames > 1 ? (s.frames > 0 ? s.frames : m.frames) : 1;
  const double area = (s.width > 0 && s.height > 0 ? s.width * s.height : pair_area(m.native_resolution));
  constexpr double kDecodeFlopsPerPixel = 1.0e7;  // SD decoder: 10,470 GFLOPs for 1024 x 1024
  f.decode_flops = m.vae_decode_gflops && pair_area(m.native_resolution) > 0 ? *m.vae_decode_gflops * 1e9 * area / pair_area(m.native_resolution) : kDecodeFlopsPerPixel * area * frames;
  f.weight_bytes = m.denoiser_params_active.value_or(m.denoiser_params.value_or(0)) * weight_bits(s.precision) / 8;
  if (s.offload != Offload::kNone) {
    const double pcie = pcie_rate(g) * kReachedOfPcie;
    double denoiser = 0, others = 0;
    for (const Component& c : m.components) (c.role == "denoiser" ? denoiser : others) += c.params * (c.role == "denoiser" ? weight_bits(s.precision) : 16) / 8;
    const double room = memory_gib(g) * kBytesPerGib * kRoomForWeights;
    f.move_s = s.offload == Offload::kModel ? (denoiser + others) / pcie : others / pcie;
    f.stream_s = s.offload == Offload::kSequential ? denoiser / pcie : std::max(0.0, denoiser - room) / pcie;
  }
  f.typical = contains(s.software, "users");
  f.batch = s.best_of_batches ? 4 : s.batch;
  f.gpus = s.gpus;
  f.doublings = s.gpus > 1 ? log(s.gpus) / log(2.0) : 0;
  f.steps_stated = s.steps > 0;
  f.steps = s.steps > 0 ? s.steps : std::max(1, m.default_steps);
  const char* kind = unet ? "unet" : m.frames > 1 ? "video" : "transformer";
  set_key(f, kSoftware, s.software);
  set_key(f, kKind, kind);
  set_key(f, kFamily, m.family);
  set_key(f, kPrecision, s.precision);
  set_key(f, kGeneration, g.generation);
  set_key(f, kGpuLevel, g.id);
  set_key(f, kSoftwareFamily, s.software + "|" + kind);
  if (s.offload != Offload::kNone) set_key(f, kOffloadLevel, std::string(s.offload == Offload::kSequential ? "sequential" : "model") + "|" + s.software);
  if (s.best_of_batches) set_key(f, kBatchLevel, "best");
  if (s.gpus > 1) set_key(f, kLink, g.link_gb_per_s_bidirectional.value_or(0) > 150 ? "fast" : "pcie");
  return f;
}

Parts speed_parts(const Features& f, CoefficientView c) {
  Parts p;
  p.steps = f.steps_stated ? f.steps : f.steps * c.exp(c[kSteps]);
  const double rate = f.peak * c.exp(c[kCompute] + (f.typical ? c[kTypical] : 0));
  p.compute = f.batch * f.step_flops / rate / f.gpus;
  p.weights = f.weight_bytes / (f.bytes_per_s * kWeightReadShare);
  // The weights' reading hides behind the arithmetic of large pictures.
  p.weights = c.soft_max(p.compute, p.weights, 3) - p.compute;
  p.launches = c.exp(c[kLaunch]);
  const double busy = p.compute + p.weights;
  p.launches = c.soft_max(busy, p.launches, 2) - busy;
  p.exchange = (busy + p.launches) * c.exp(c[kScale]) * f.doublings;
  p.stream = f.stream_s > 0 ? f.stream_s * c.exp(c[kOffloadCost]) : 0;
  p.move = f.move_s > 0 ? f.move_s * c.exp(c[kOffloadCost]) : 0;
  p.step = busy + p.launches + p.exchange + p.stream;
  p.decode = f.batch * f.decode_flops / rate;  // convolutions at the denoiser's efficiency: an own one earned nothing
  p.rest = c.exp(c[kRest]);
  p.image = (p.steps * p.step + p.decode + p.rest + p.move) / f.batch;
  return p;
}

double speed_log(const Features& f, CoefficientView c) {
  const Parts p = speed_parts(f, c);
  switch (f.metric) {
    case Metric::kStepsPerS: return -c.log(p.step);
    case Metric::kImageStepsPerS: return c.log(f.batch / p.step);
    case Metric::kSecondsPerImage: return c.log(p.image);
    case Metric::kImagesPerS: return -c.log(p.image);
    case Metric::kStepSeconds: return c.log(p.step);
  }
  return 0;
}

MemoryFeatures memory_features(const Setup& s, bool with_names) {
  const Model& m = *s.model;
  MemoryFeatures f;
  f.with_names = with_names;
  f.offload = s.offload;
  f.capacity_gib = memory_gib(*s.gpu);
  const double bits = weight_bits(s.precision);
  for (const Component& c : m.components) {
    if (c.role == "denoiser") f.denoiser_gib += c.params * bits / 8 / kBytesPerGib;
    else if (c.role == "vae") f.decoder_gib += c.params * 2 / kBytesPerGib;
    else f.encoders_gib += c.params * (s.precision == "fp32" ? 4 : 2) / kBytesPerGib;
  }
  const double area = s.width > 0 && s.height > 0 ? s.width * s.height : pair_area(m.native_resolution);
  const double frames = m.frames > 1 ? (s.frames > 0 ? s.frames : m.frames) : 1;
  // Video models run the passes of guidance one after the other, image models as one batch.
  // The denoiser holds some tens of wide vectors per token at once; the decoder 128 to 512 channels at full size in 16 bits.
  constexpr double kLiveVectors = 24, kDecoderBytesPerPixel = 2.0 * 128 * 6;
  const double width = is_unet(m) ? 1280 : transformer_width(m);
  f.activations_gib = s.batch * (m.frames > 1 ? 1 : m.passes_per_step) * m.denoiser_tokens * token_ratio(s) * width * 2 * kLiveVectors / kBytesPerGib / std::max(1.0, s.gpus);
  const double decoded = s.tiled ? std::min(area, kTileSide * kTileSide) : area;
  f.decode_gib = (s.tiled ? 1 : s.batch) * decoded * std::min(frames, 8.0) * kDecoderBytesPerPixel / kBytesPerGib;  // video decoders work in tiles of a few frames
  set_key(f, kMemorySoftware, s.software);
  set_key(f, kMemoryKind, is_unet(m) ? "unet" : m.frames > 1 ? "video" : "transformer");
  set_key(f, kMemoryPrecision, s.precision);
  return f;
}

MemoryParts memory_parts(const MemoryFeatures& f, CoefficientView c) {
  MemoryParts p;
  p.denoiser = f.denoiser_gib * c.exp(c[kDenoiser]);
  p.encoders = f.encoders_gib * c.exp(c[kEncoders]);
  p.decoder = f.decoder_gib;
  p.activations = c.soft_max(f.activations_gib, f.decode_gib, 4) * c.exp(c[kActivations]);
  p.runtime = c.exp(c[kRuntime]);
  const double everything = p.denoiser + p.encoders + p.decoder;
  double held = everything;
  if (f.offload == Offload::kModel) held = std::max({p.denoiser, p.encoders, p.decoder});
  if (f.offload != Offload::kNone && f.capacity_gib > 0) {
    // What stays on the card is bounded by the budget that the engine leaves for weights.
    const double budget = f.capacity_gib * c.exp(c[kBudget]) - p.activations - p.runtime;
    if (f.offload == Offload::kSequential) held = std::min(held, 0.1 * everything);
    else if (held > budget) held = std::max(budget, 0.05 * everything);
  }
  const double kept = everything > 0 ? held / everything : 1;
  p.denoiser *= kept;
  p.encoders *= kept;
  p.decoder *= kept;
  p.total = held + p.activations + p.runtime;
  return p;
}

std::optional<Setup> setup_of(const Conditions& row, std::string& why_not) {
  if (!row.gpu) { why_not = "the GPU is not in the catalog"; return std::nullopt; }
  if (!row.model) { why_not = "the model is not in the catalog"; return std::nullopt; }
  if (row.model->kind != "diffusion" && row.model->kind != "video") { why_not = "not an image or video model"; return std::nullopt; }
  Setup s;
  s.model = row.model;
  s.gpu = row.gpu;
  s.software = software_class(row.software);
  s.precision = precision_class(row.precision);
  s.gpus = row.gpu_count;
  s.batch = row.micro_batch ? *row.micro_batch : 1;
  s.best_of_batches = contains(row.batch_word, "best");
  const std::string_view size = row.sequence;
  if (const auto width = first_number(size)) {
    const std::size_t cross = size.find('x');
    s.width = *width;
    s.height = *width;
    if (cross != std::string_view::npos) {
      if (const auto height = first_number(size.substr(cross + 1))) s.height = *height;
      const std::size_t second = size.find('x', cross + 1);
      if (second != std::string_view::npos)
        if (const auto frames = first_number(size.substr(second + 1))) s.frames = *frames;
    }
    if (s.width < 64 || s.height < 64) s.width = s.height = 0;
  }
  if (contains(row.parallelism, "sequential")) s.offload = Offload::kSequential;
  else if (contains(row.parallelism, "offload") && !contains(row.parallelism, "no-offload")) s.offload = Offload::kModel;
  else if (row.has(kOffloadFlag) && !contains(row.parallelism, "no-offload") && !contains(row.software, "submissions") && row.metric != "fits") s.offload = Offload::kModel;
  return s;
}

std::optional<Features> speed_row_features(const Conditions& row, std::string& why_not, bool with_names) {
  Metric metric = Metric::kSecondsPerImage;
  if (row.metric == "it_s") metric = contains(row.software, "submissions") ? Metric::kImageStepsPerS : Metric::kStepsPerS;
  else if (row.metric == "seconds_per_image" || row.metric == "latency_s") metric = Metric::kSecondsPerImage;
  else if (row.metric == "images_s") metric = Metric::kImagesPerS;
  else if (row.metric == "step_time_s") metric = Metric::kStepSeconds;
  else { why_not = "metric " + row.metric + " is not modelled for image generation"; return std::nullopt; }
  const auto setup = setup_of(row, why_not);
  if (!setup) return std::nullopt;
  auto f = speed_features(*setup, why_not, with_names);
  if (f) f->metric = metric;
  return f;
}

}  // namespace whichgpu::generation
