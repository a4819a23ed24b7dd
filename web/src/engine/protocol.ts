import type { CalcError, Estimate, OwnershipAnswer, RankAnswer, Scenario } from '../generated/contract.js';

/** The union forces a check of `error` before the value can be read. */
export type Answer<T> = T | { readonly error: CalcError };

export function isError<T>(answer: Answer<T>): answer is { readonly error: CalcError } {
  return typeof answer === 'object' && answer !== null && 'error' in answer && Boolean(answer.error);
}

/** What the Embind class offers; JSON texts in and out. */
export interface Engine {
  estimate(scenario: string): string;
  rank(scenario: string): string;
  ownership?(scenario: string): string;
  link_encode(scenario: string): string;
  link_decode(query: string): string;
  load_measurements?(rows: string): string;
}

export interface GpuEntry {
  readonly id: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly vendor: string;
  readonly segment: string;
  readonly year: number | null;
  readonly memoryGb: number | null;
  readonly bandwidthGbPerS: number | null;
  readonly tdpW: number | null;
}

export interface ModelEntry {
  readonly id: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly organization: string;
  readonly kind: string;
  readonly params: number | null;
  readonly paramsActive: number | null;
  readonly maxContext: number | null;
  readonly release: string | null;
}

export interface QuantEntry {
  readonly id: string;
  readonly name: string;
  readonly family: string;
  readonly bits: number | null;
}

export interface NamedEntry {
  readonly id: string;
  readonly name: string;
  readonly purpose?: readonly string[];
  readonly formats?: readonly string[];
}

export interface CurrencyEntry {
  readonly code: string;
  readonly usdPerUnit: number;
  readonly date: string | null;
}

/** The part of the catalogs that pickers and labels need; small enough to copy out of the worker. */
export interface CatalogIndex {
  readonly asOf: string;
  readonly gpus: readonly GpuEntry[];
  readonly models: readonly ModelEntry[];
  readonly quants: readonly QuantEntry[];
  readonly engines: readonly NamedEntry[];
  readonly providers: readonly NamedEntry[];
  readonly countries: readonly NamedEntry[];
  readonly currencies: readonly CurrencyEntry[];
  readonly offerCount: number;
}

export interface Calls {
  start: { in: { query: string }; out: { index: CatalogIndex; scenario: Answer<Scenario>; evidence: boolean } };
  ask: { in: { scenario: Scenario; by: NonNullable<Scenario['rank_by']> }; out: { answer: Answer<RankAnswer>; query: Answer<string> } };
  estimate: { in: { scenario: Scenario }; out: Answer<Estimate> };
  series: { in: { scenarios: readonly Scenario[] }; out: readonly Answer<Estimate>[] };
  ownership: { in: { scenario: Scenario }; out: Answer<OwnershipAnswer> };
  decode: { in: { query: string }; out: Answer<Scenario> };
  encode: { in: { scenario: Scenario }; out: Answer<string> };
  measurements: { in: { text: string }; out: Answer<unknown> };
}
export type CallName = keyof Calls;

export interface Request<K extends CallName = CallName> {
  readonly id: number;
  readonly call: K;
  readonly input: Calls[K]['in'];
}
export type Reply = { readonly id: number; readonly output: unknown } | { readonly id: number; readonly failure: string };
