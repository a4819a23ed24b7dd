import type { MessageKey } from '../i18n/index.js';
import type { Scenario, Workload } from '../generated/contract.js';

/** One control of the question. The value's meaning, range and default are the core's; this says only how to ask for it. */
export interface Field {
  readonly path: string;
  readonly label: MessageKey;
  readonly group: 'sizes' | 'hardware' | 'money' | 'own' | 'host' | 'limits';
  /** choices: any of the options; names: a list that is typed with commas. */
  readonly control: 'number' | 'select' | 'flag' | 'text' | 'choices' | 'names';
  /** Absent: every workload. */
  readonly workloads?: readonly Workload[];
  readonly options?: readonly (string | number)[];
  readonly unit?: string;
  readonly unitKey?: MessageKey;
  /** What an empty field stands for, where that is no choice of the core's. */
  readonly open?: MessageKey;
  /** Shown in the folded part. */
  readonly more?: boolean;
  readonly whole?: boolean;
}

const language: readonly Workload[] = ['chat', 'serving', 'rag'];
const training: readonly Workload[] = ['finetune', 'pretrain'];
/** Those that end. */
const runs: readonly Workload[] = [...training, 'vision-training'];
const contexts = [2048, 4096, 8192, 16384, 32768, 65536, 131072];

export const fields: readonly Field[] = [
  { path: 'context_tokens', label: 'field.context', group: 'sizes', control: 'number', workloads: language, unitKey: 'unit.tokens', options: contexts, whole: true },
  { path: 'concurrency', label: 'field.concurrency', group: 'sizes', control: 'number', workloads: ['serving', 'rag'], unitKey: 'unit.users', options: [1, 4, 8, 16, 32, 64, 128], whole: true },
  { path: 'prompt_tokens', label: 'field.prompt', group: 'sizes', control: 'number', workloads: language, unitKey: 'unit.tokens', options: [128, 512, 1024, 4096, 16384], whole: true },
  { path: 'output_tokens', label: 'field.output', group: 'sizes', control: 'number', workloads: language, unitKey: 'unit.tokens', options: [128, 256, 512, 1024, 4096], whole: true },
  { path: 'rag.requests_per_s', label: 'field.ragRate', group: 'sizes', control: 'number', workloads: ['rag'], unitKey: 'unit.requests_per_s' },
  { path: 'rag.latency_s', label: 'field.ragLatency', group: 'sizes', control: 'number', workloads: ['rag'], unitKey: 'unit.s' },
  { path: 'training.method', label: 'field.method', group: 'sizes', control: 'select', workloads: ['finetune'], options: ['lora', 'qlora', 'full', 'dora', 'qdora', 'dpo', 'lora-dpo', 'qlora-dpo', 'grpo', 'lora-grpo', 'qlora-grpo'] },
  { path: 'training.samples', label: 'field.samples', group: 'sizes', control: 'number', workloads: ['finetune'], options: [1000, 10000, 52002, 1000000], whole: true, more: true },
  { path: 'training.tokens', label: 'field.tokens', group: 'sizes', control: 'number', workloads: training, unitKey: 'unit.tokens', options: [1e6, 1e7, 1e8, 1e9, 1e12] },
  { path: 'training.epochs', label: 'field.epochs', group: 'sizes', control: 'number', workloads: training, options: [1, 2, 3, 5] },
  { path: 'training.sequence_tokens', label: 'field.sequence', group: 'sizes', control: 'number', workloads: training, unitKey: 'unit.tokens', options: [512, 1024, 2048, 4096, 8192], whole: true },
  { path: 'training.global_batch', label: 'field.globalBatch', group: 'sizes', control: 'number', workloads: training, options: [8, 16, 32, 64, 128], whole: true },
  { path: 'training.micro_batch', label: 'field.microBatch', group: 'sizes', control: 'number', workloads: training, options: [1, 2, 4, 8], whole: true, more: true },
  { path: 'training.precision', label: 'field.trainPrecision', group: 'sizes', control: 'select', workloads: training, options: ['bf16-mixed', 'fp16-mixed', 'bf16', 'fp16', 'tf32', 'fp32', 'fp8'], more: true },
  { path: 'training.optimizer', label: 'field.optimizer', group: 'sizes', control: 'select', workloads: training, options: ['adamw', 'adamw-8bit', 'paged-adamw-8bit', 'adafactor', 'lion', 'lion-8bit', 'muon', 'galore', 'sgd', 'sgd-momentum'], more: true },
  { path: 'training.checkpointing', label: 'field.checkpointing', group: 'sizes', control: 'select', workloads: training, options: ['none', 'selective', 'full'], more: true },
  { path: 'training.sharding', label: 'field.sharding', group: 'sizes', control: 'select', workloads: training, options: ['auto', 'none', 'zero-1', 'zero-2', 'zero-3', 'fsdp'], more: true },
  { path: 'training.lora_rank', label: 'field.loraRank', group: 'sizes', control: 'number', workloads: ['finetune'], options: [8, 16, 32, 64, 128], whole: true, more: true },
  { path: 'vision.images', label: 'field.images', group: 'sizes', control: 'number', workloads: ['vision-training'], whole: true },
  { path: 'vision.epochs', label: 'field.epochs', group: 'sizes', control: 'number', workloads: ['vision-training'] },
  { path: 'vision.resolution', label: 'field.resolution', group: 'sizes', control: 'number', workloads: ['vision-training', 'vision-inference'], unit: 'px', options: [224, 256, 384, 512, 640], whole: true },
  { path: 'vision.batch', label: 'field.batch', group: 'sizes', control: 'number', workloads: ['vision-training', 'vision-inference'], options: [1, 8, 32, 64, 128, 256], whole: true },
  { path: 'image.width', label: 'field.width', group: 'sizes', control: 'number', workloads: ['image-generation'], unit: 'px', options: [512, 768, 1024, 1280], whole: true },
  { path: 'image.height', label: 'field.height', group: 'sizes', control: 'number', workloads: ['image-generation'], unit: 'px', options: [512, 768, 1024, 1280], whole: true },
  { path: 'image.steps', label: 'field.steps', group: 'sizes', control: 'number', workloads: ['image-generation'], options: [4, 20, 30, 50], whole: true },
  { path: 'image.batch', label: 'field.batch', group: 'sizes', control: 'number', workloads: ['image-generation'], options: [1, 2, 4, 8], whole: true },
  { path: 'image.frames', label: 'field.frames', group: 'sizes', control: 'number', workloads: ['image-generation'], options: [1, 16, 49, 81], whole: true, more: true },
  { path: 'hpc.kernel', label: 'field.kernel', group: 'sizes', control: 'select', workloads: ['hpc'], options: ['dgemm', 'sgemm', 'tf32gemm', 'hgemm', 'fp8gemm', 'igemm', 'hpl', 'stream', 'stencil', 'fft', 'spmv'] },
  { path: 'hpc.size', label: 'field.size', group: 'sizes', control: 'number', workloads: ['hpc'], options: [4096, 8192, 16384, 32768], whole: true },

  { path: 'gpu_count', label: 'field.gpuCount', group: 'hardware', control: 'number', options: [1, 2, 4, 8, 16], whole: true },
  { path: 'nodes', label: 'field.nodes', group: 'hardware', control: 'number', options: [1, 2, 4, 8], whole: true, more: true },
  { path: 'offload', label: 'field.offload', group: 'hardware', control: 'select', workloads: ['chat', 'serving', 'rag', 'finetune', 'pretrain'], options: ['none', 'cpu', 'experts', 'optimizer'] },

  { path: 'offer.provider', label: 'field.provider', group: 'money', control: 'select' },
  { path: 'offer.kind', label: 'field.kind', group: 'money', control: 'select', options: ['on-demand', 'spot', 'reserved-1y', 'reserved-3y'] },
  { path: 'offer.region', label: 'field.region', group: 'money', control: 'text', more: true },
  { path: 'limits.provider_kinds', label: 'field.providerKinds', group: 'money', control: 'choices', options: ['hyperscaler', 'specialist', 'marketplace', 'serverless', 'notebook'], more: true },
  { path: 'price_usd_per_hour', label: 'field.price', group: 'money', control: 'number', unit: '$/h', more: true },
  { path: 'price.per_hour', label: 'field.price', group: 'money', control: 'number', unitKey: 'unit.per_h', more: true },
  { path: 'price.currency', label: 'field.currency', group: 'money', control: 'select', more: true },
  { path: 'price.seller', label: 'field.seller', group: 'money', control: 'text', more: true },
  { path: 'spot.interruptions_per_hour', label: 'field.interruptions', group: 'money', control: 'number', open: 'value.unknown', unitKey: 'unit.per_h', workloads: runs, more: true },
  { path: 'spot.checkpoint_h', label: 'field.checkpoint', group: 'money', control: 'number', open: 'option.none', unitKey: 'unit.h', workloads: runs, more: true },
  { path: 'api.usd_per_million_input_tokens', label: 'field.apiInput', group: 'money', control: 'number', open: 'option.none', unit: '$/M', workloads: language, more: true },
  { path: 'api.usd_per_million_output_tokens', label: 'field.apiOutput', group: 'money', control: 'number', open: 'option.none', unit: '$/M', workloads: language, more: true },
  { path: 'utilisation', label: 'field.utilisation', group: 'money', control: 'number', options: [0.25, 0.5, 0.75, 1], more: true },

  { path: 'ownership.own', label: 'field.own', group: 'own', control: 'flag', more: true },
  { path: 'ownership.card_price_usd', label: 'field.cardPrice', group: 'own', control: 'number', unit: '$', more: true },
  { path: 'ownership.used', label: 'field.used', group: 'own', control: 'flag', more: true },
  { path: 'ownership.card_resale_usd', label: 'field.resale', group: 'own', control: 'number', open: 'option.none', unit: '$', more: true },
  { path: 'ownership.lifetime_months', label: 'field.lifetime', group: 'own', control: 'number', unitKey: 'unit.months', options: [24, 36, 48, 60], more: true },
  { path: 'ownership.country', label: 'field.country', group: 'own', control: 'select', more: true },
  { path: 'ownership.usd_per_kwh', label: 'field.power', group: 'own', control: 'number', unit: '$/kWh', more: true },
  { path: 'ownership.pue', label: 'field.pue', group: 'own', control: 'number', more: true },
  { path: 'ownership.colocation_usd_per_month', label: 'field.colocation', group: 'own', control: 'number', open: 'option.none', unitKey: 'unit.usdPerMonth', more: true },
  { path: 'ownership.staff_usd_per_month', label: 'field.staff', group: 'own', control: 'number', open: 'option.none', unitKey: 'unit.usdPerMonth', more: true },

  { path: 'host.ram_gib', label: 'field.ram', group: 'host', control: 'number', unit: 'GiB', more: true },
  { path: 'host.ram_gb_per_s', label: 'field.ramSpeed', group: 'host', control: 'number', unit: 'GB/s', more: true },
  { path: 'host.pcie_gb_per_s', label: 'field.pcie', group: 'host', control: 'number', unit: 'GB/s', more: true },
  { path: 'host.vram_reserved_gib', label: 'field.reserved', group: 'host', control: 'number', unit: 'GiB', more: true },

  { path: 'limits.budget_usd', label: 'field.budget', group: 'limits', control: 'number', open: 'option.none', unit: '$', more: true },
  { path: 'limits.deadline_h', label: 'field.deadline', group: 'limits', control: 'number', open: 'option.none', unitKey: 'unit.h', workloads: runs, more: true },
  { path: 'limits.latency_s', label: 'field.latency', group: 'limits', control: 'number', open: 'option.none', unitKey: 'unit.s', workloads: [...language, 'image-generation'], more: true },
  { path: 'limits.headroom_gib', label: 'field.headroom', group: 'limits', control: 'number', open: 'option.none', unit: 'GiB', more: true },
  { path: 'limits.single_node', label: 'field.singleNode', group: 'limits', control: 'flag', more: true },
  { path: 'limits.gpus', label: 'field.onlyGpus', group: 'limits', control: 'names', more: true },
];

/** An older link's price in dollars keeps its own field: a price is given once. */
const otherPrice = (scenario: Scenario | undefined): string => (typeof scenario?.price_usd_per_hour === 'number' ? 'price.per_hour' : 'price_usd_per_hour');

export const fieldsFor = (workload: Workload, scenario?: Scenario): readonly Field[] =>
  fields.filter((field) => (!field.workloads || field.workloads.includes(workload)) && field.path !== otherPrice(scenario));
