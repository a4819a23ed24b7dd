#include "scenario/fields.hpp"

#include <cstddef>

// Scenario has members with members of their own and no base, no virtual function: every compiler we build with gives its
// offsets. (Whether a struct with strings is of standard layout is the library's affair, so the warning says nothing here.)
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
#define AT(member) static_cast<std::uint16_t>(offsetof(Scenario, member))

namespace whichgpu {
namespace {

constexpr double kMost = 1e6;          // GPUs, nodes, users: beyond any machine
constexpr double kMostTokens = 1e15;   // of a data set
constexpr double kMostMoney = 1e12;

using enum FieldKind;
constexpr ScenarioField kFields[] = {
    {nullptr, "", "version", kCount, AT(version), 1, 1},
    {"w", "", "workload", kWorkload, AT(workload), 0, 0, "chat serving rag finetune pretrain vision-training vision-inference image-generation hpc"},
    {"m", "", "model", kText, AT(model)},
    {"q", "precision", "weights", kText, AT(precision.weights)},
    {"kv", "precision", "kv_cache", kText, AT(precision.kv_cache)},
    {"e", "", "engine", kText, AT(engine)},
    {"draft", "", "draft_model", kText, AT(draft_model)},
    {"g", "", "gpu", kText, AT(gpu)},
    {"n", "", "gpu_count", kCount, AT(gpu_count), 1, kMost},
    {"nodes", "", "nodes", kCount, AT(nodes), 1, kMost},
    {"gpus", "", "gpus", kBox, AT(gpus)},
    {"tp", "parallelism", "tensor", kCount, AT(parallelism.tensor), 1, kMost},
    {"pp", "parallelism", "pipeline", kCount, AT(parallelism.pipeline), 1, kMost},
    {"ep", "parallelism", "expert", kCount, AT(parallelism.expert), 1, kMost},
    {"dp", "parallelism", "data", kCount, AT(parallelism.data), 1, kMost},
    {"off", "", "offload", kOffload, AT(offload), 0, 0, "none cpu experts optimizer"},
    {"c", "", "context_tokens", kWhole, AT(context_tokens), 1, 1e9},
    {"p", "", "prompt_tokens", kWhole, AT(prompt_tokens), 1, 1e9},
    {"o", "", "output_tokens", kWhole, AT(output_tokens), 1, 1e9},
    {"u", "", "concurrency", kWhole, AT(concurrency), 1, kMost},
    {"rps", "rag", "requests_per_s", kNumber, AT(rag.requests_per_s), 1e-6, 1e6},
    {"rl", "rag", "latency_s", kNumber, AT(rag.latency_s), 1e-3, 1e6},
    {"tm", "training", "method", kWord, AT(training.method), 0, 0, "full pretrain lora qlora dora qdora dpo grpo lora-dpo lora-grpo qlora-dpo qlora-grpo"},
    {"tn", "training", "samples", kNumber, AT(training.samples), 1, kMostTokens},
    {"tt", "training", "tokens", kNumber, AT(training.tokens), 1, kMostTokens},
    {"te", "training", "epochs", kNumber, AT(training.epochs), 1e-3, 1e6},
    {"ts", "training", "sequence_tokens", kWhole, AT(training.sequence_tokens), 1, 1e8},
    {"mb", "training", "micro_batch", kWhole, AT(training.micro_batch), 1, kMost},
    {"gb", "training", "global_batch", kWhole, AT(training.global_batch), 1, 1e8},
    {"tq", "training", "precision", kWord, AT(training.precision), 0, 0, "bf16-mixed fp16-mixed bf16 fp16 tf32 fp32 fp8"},
    {"opt", "training", "optimizer", kWord, AT(training.optimizer), 0, 0, "adamw adamw-8bit paged-adamw-8bit paged-adamw adafactor lion lion-8bit muon galore sgd sgd-momentum"},
    {"ckpt", "training", "checkpointing", kWord, AT(training.checkpointing), 0, 0, "none selective full"},
    {"shard", "training", "sharding", kWord, AT(training.sharding), 0, 0, "none zero-1 zero-2 zero-3 fsdp auto"},
    {"rank", "training", "lora_rank", kCount, AT(training.lora_rank), 1, 65536},
    {"vi", "vision", "images", kNumber, AT(vision.images), 1, 1e13},
    {"ve", "vision", "epochs", kNumber, AT(vision.epochs), 1e-3, 1e6},
    {"vr", "vision", "resolution", kCount, AT(vision.resolution), 8, 16384},
    {"vb", "vision", "batch", kWhole, AT(vision.batch), 1, kMost},
    {"iw", "image", "width", kCount, AT(image.width), 64, 16384},
    {"ih", "image", "height", kCount, AT(image.height), 64, 16384},
    {"is", "image", "steps", kCount, AT(image.steps), 1, 10000},
    {"ib", "image", "batch", kWhole, AT(image.batch), 1, 10000},
    {"if", "image", "frames", kCount, AT(image.frames), 1, 100000},
    {"k", "hpc", "kernel", kText, AT(hpc.kernel)},
    {"ks", "hpc", "size", kNumber, AT(hpc.size), 1, 1e12},
    {"pr", "offer", "provider", kText, AT(offer.provider)},
    {"pk", "offer", "kind", kWord, AT(offer.kind), 0, 0, "on-demand spot reserved-1y reserved-3y"},
    {"reg", "offer", "region", kText, AT(offer.region)},
    {"inst", "offer", "instance", kText, AT(offer.instance)},
    {"usd", "", "price_usd_per_hour", kFigure, AT(price_usd_per_hour), 0, kMostMoney},
    {"price", "price", "per_hour", kFigure, AT(price.per_hour), 0, kMostMoney},
    {"cur", "price", "currency", kText, AT(price.currency)},
    {"seller", "price", "seller", kText, AT(price.seller)},
    {"apii", "api", "usd_per_million_input_tokens", kFigure, AT(api.usd_per_million_input_tokens), 0, kMostMoney},
    {"apio", "api", "usd_per_million_output_tokens", kFigure, AT(api.usd_per_million_output_tokens), 0, kMostMoney},
    {"util", "", "utilisation", kNumber, AT(utilisation), 1e-6, 1},
    {"own", "ownership", "own", kFlag, AT(ownership.own)},
    {"card", "ownership", "card_price_usd", kFigure, AT(ownership.card_price_usd), 0, kMostMoney},
    {"life", "ownership", "lifetime_months", kNumber, AT(ownership.lifetime_months), 1, 1200},
    {"kwh", "ownership", "usd_per_kwh", kFigure, AT(ownership.usd_per_kwh), 0, 1000},
    {"country", "ownership", "country", kText, AT(ownership.country)},
    {"pue", "ownership", "pue", kNumber, AT(ownership.pue), 1, 10},
    {"used", "ownership", "used", kFlag, AT(ownership.used)},
    {"resale", "ownership", "card_resale_usd", kFigure, AT(ownership.card_resale_usd), 0, kMostMoney},
    {"colo", "ownership", "colocation_usd_per_month", kFigure, AT(ownership.colocation_usd_per_month), 0, kMostMoney},
    {"staff", "ownership", "staff_usd_per_month", kFigure, AT(ownership.staff_usd_per_month), 0, kMostMoney},
    {"stops", "spot", "interruptions_per_hour", kFigure, AT(spot.interruptions_per_hour), 0, 1000},
    {"save", "spot", "checkpoint_h", kFigure, AT(spot.checkpoint_h), 1e-3, 1e6},
    {"budget", "limits", "budget_usd", kFigure, AT(limits.budget_usd), 0, kMostMoney},
    {"deadline", "limits", "deadline_h", kFigure, AT(limits.deadline_h), 0, 1e9},
    {"maxlat", "limits", "latency_s", kFigure, AT(limits.latency_s), 0, 1e9},
    {"headroom", "limits", "headroom_gib", kFigure, AT(limits.headroom_gib), 0, 1e6},
    {"single", "limits", "single_node", kFlag, AT(limits.single_node)},
    {"kinds", "limits", "provider_kinds", kNames, AT(limits.provider_kinds)},
    {"only", "limits", "gpus", kNames, AT(limits.gpus)},
    {"ram", "host", "ram_gib", kNumber, AT(host.ram_gib), 0, 1e6},
    {"ramspeed", "host", "ram_gb_per_s", kNumber, AT(host.ram_gb_per_s), 1, 1e6},
    {"pcie", "host", "pcie_gb_per_s", kNumber, AT(host.pcie_gb_per_s), 0.1, 1e6},
    {"vram", "host", "vram_reserved_gib", kNumber, AT(host.vram_reserved_gib), 0, 1e5},
    {"asof", "", "as_of", kText, AT(as_of)},
    {"cg", "", "custom_gpu", kObject, AT(custom_gpu)},
    {"cm", "", "custom_model", kObject, AT(custom_model)},
};

}  // namespace

std::span<const ScenarioField> scenario_fields() { return kFields; }

}  // namespace whichgpu
