import type { CatalogIndex, GpuEntry, ModelEntry, QuantEntry } from '../engine/protocol.js';
import type { RankRow, Scenario } from '../generated/contract.js';

interface Lookup {
  readonly gpus: ReadonlyMap<string, GpuEntry>;
  readonly models: ReadonlyMap<string, ModelEntry>;
  readonly quants: ReadonlyMap<string, QuantEntry>;
  readonly providers: ReadonlyMap<string, string>;
  readonly engines: ReadonlyMap<string, string>;
}

const lookups = new WeakMap<CatalogIndex, Lookup>();

export function lookup(index: CatalogIndex): Lookup {
  let found = lookups.get(index);
  if (!found) {
    found = {
      gpus: new Map(index.gpus.map((entry) => [entry.id, entry])),
      models: new Map(index.models.map((entry) => [entry.id, entry])),
      quants: new Map(index.quants.map((entry) => [entry.id, entry])),
      providers: new Map(index.providers.map((entry) => [entry.id, entry.name])),
      engines: new Map(index.engines.map((entry) => [entry.id, entry.name])),
    };
    lookups.set(index, found);
  }
  return found;
}

export function gpuName(index: CatalogIndex | null, id: string | null | undefined): string {
  if (!id) return '';
  return (index && lookup(index).gpus.get(id)?.name) ?? id;
}

/** Maker's prefixes say nothing that the rest of the name does not: "RTX 4090", "H100 SXM5 80GB". */
export const shortName = (name: string): string => name.replace(/^((\d+) × )?(NVIDIA GeForce|GeForce|NVIDIA|AMD|Apple|Intel|Tesla) (?=\S)/, '$1');

export function modelName(index: CatalogIndex | null, id: string | null | undefined): string {
  if (!id) return '';
  return (index && lookup(index).models.get(id)?.name) ?? id;
}

/** The model of a question: one that was brought goes by its own name. */
export function askedModelName(index: CatalogIndex | null, scenario: Scenario, echo?: Scenario): string {
  const own = scenario.custom_model;
  if (own && !scenario.model) return typeof own['name'] === 'string' ? own['name'] : 'custom';
  return modelName(index, scenario.model ?? echo?.model);
}

/** Parameters of a model; 0 sorts those of unknown size last. */
export const modelSize = (index: CatalogIndex | null, id: string | null | undefined): number => (index && id ? lookup(index).models.get(id)?.params : null) ?? 0;

export function providerName(index: CatalogIndex | null, id: string | null | undefined): string {
  if (!id) return '';
  const name = (index && lookup(index).providers.get(id)) ?? id;
  return name.replace(/ \(.*\)$/, '');
}

/** Formats are known by their short names: "Q4_K_M", "BF16". */
export function weightsName(index: CatalogIndex | null, id: string | null | undefined): string {
  if (!id) return '';
  const quants = index && lookup(index).quants;
  return (quants?.get(id) ?? quants?.get(`gguf-${id}`))?.name ?? id.toUpperCase();
}

export function rowName(index: CatalogIndex | null, row: RankRow, gpuMode: boolean): string {
  if (gpuMode) return `${modelName(index, row.model)} · ${weightsName(index, row.precision)}`;
  const count = row.gpu_count ?? 1;
  return count > 1 ? `${count} × ${gpuName(index, row.gpu)}` : gpuName(index, row.gpu);
}

/** The precision that the answer used, as the echo has it, or as asked. */
export const weightsOf = (echo: Scenario | undefined, asked: Scenario): string | null =>
  echo?.precision?.weights ?? asked.precision?.weights ?? null;
