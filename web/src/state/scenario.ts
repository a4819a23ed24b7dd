import type { Scenario, Workload } from '../generated/contract.js';
import type { CatalogIndex, ModelEntry } from '../engine/protocol.js';

export const workloads: readonly Workload[] = [
  'chat',
  'serving',
  'rag',
  'finetune',
  'pretrain',
  'vision-inference',
  'vision-training',
  'image-generation',
  'hpc',
];

/** The question that the page opens with: a popular model, everything else as the core defaults it. */
export const defaultScenario: Scenario = { version: 1, workload: 'chat', model: 'llama-3.1-8b' };

const textKinds = ['llm', 'moe', 'vlm', 'hybrid', 'ssm'];
const kindsOf: Readonly<Record<Workload, readonly string[]>> = {
  chat: textKinds,
  serving: [...textKinds, 'embedding'],
  rag: textKinds,
  finetune: textKinds,
  pretrain: textKinds,
  'vision-training': ['vision'],
  'vision-inference': ['vision'],
  'image-generation': ['diffusion', 'video'],
  hpc: [],
};

export const suits = (model: ModelEntry, workload: Workload): boolean => kindsOf[workload].includes(model.kind);

/** The model a workload starts with when the present one is of another kind. */
const firstModel: Readonly<Partial<Record<Workload, string>>> = {
  'vision-training': 'resnet-50',
  'vision-inference': 'resnet-50',
  'image-generation': 'sdxl-1.0',
};

/** Parts of a scenario that belong to some workloads only; they go when the workload changes. */
const ownParts = ['precision', 'engine', 'training', 'vision', 'image', 'hpc', 'rag', 'concurrency', 'prompt_tokens', 'output_tokens', 'context_tokens'] as const;

export function changeWorkload(scenario: Scenario, workload: Workload, index: CatalogIndex | null): Scenario {
  const next: Scenario = { ...scenario, workload };
  for (const part of ownParts) delete next[part];
  if (workload === 'hpc') {
    delete next.model;
    return next;
  }
  if (scenario.gpu && !scenario.model && workload === 'chat') return next;
  const model = index?.models.find((entry) => entry.id === scenario.model || entry.aliases.includes(scenario.model ?? ''));
  if (!model || !suits(model, workload)) next.model = firstModel[workload] ?? defaultScenario.model ?? null;
  return next;
}

/** A value of a scenario by its dotted path: "training.tokens". */
export function get(scenario: Scenario | null | undefined, path: string): unknown {
  return path.split('.').reduce<unknown>((at, key) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[key] : undefined), scenario);
}

function assign(at: Record<string, unknown>, keys: readonly string[], value: unknown): Record<string, unknown> {
  const [key, ...rest] = keys;
  if (key === undefined) return at;
  const copy = { ...at };
  if (rest.length === 0) {
    if (value === undefined || value === null || value === '') delete copy[key];
    else copy[key] = value;
    return copy;
  }
  const below = assign((copy[key] as Record<string, unknown> | undefined | null) ?? {}, rest, value);
  if (Object.keys(below).length === 0) delete copy[key];
  else copy[key] = below;
  return copy;
}

/** A copy with one value changed; nothing, null or an empty text takes the field out, so that the core's default holds again. */
export const set = (scenario: Scenario, path: string, value: unknown): Scenario =>
  assign(scenario as Record<string, unknown>, path.split('.'), value) as Scenario;
