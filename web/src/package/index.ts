import createModule from '#core';
import { readCatalog, readCore } from '#load';
import type { Answer } from '../engine/protocol.js';
import { isError } from '../engine/protocol.js';
import type { CompareAnswer, CompareQuestion, Estimate, LaunchAnswer, OwnershipAnswer, RankAnswer, Scenario } from '../generated/contract.js';

export type * from '../generated/contract.js';
export type { Answer };
export { isError };

/** What the Embind class of the whole module offers; JSON texts in and out. */
export interface RawEngine {
  estimate(scenario: string): string;
  rank(scenario: string): string;
  compare(question: string): string;
  launch(scenario: string): string;
  ownership(scenario: string): string;
  link_encode(scenario: string): string;
  link_decode(query: string): string;
  load_measurements(csv: string): string;
}

/** The catalogs as one document; the rows have the fields of the package's data/schema. */
export type Catalog = Readonly<Record<string, unknown>>;

interface Core {
  readonly engine: RawEngine;
  readonly text: string;
}
let loading: Promise<Core> | undefined;

/** Loads module and catalogs once; a load that failed is made again by the next call. */
function load(): Promise<Core> {
  loading ??= Promise.all([readCore(), readCatalog()]).then(async ([wasmBinary, text]) => {
    const module = (await createModule({ wasmBinary })) as { readonly Engine: new (catalog: string) => RawEngine };
    return { engine: new module.Engine(text), text };
  });
  loading.catch(() => (loading = undefined));
  return loading;
}

async function ask<T>(call: 'estimate' | 'rank' | 'compare' | 'launch' | 'ownership', question: unknown): Promise<Answer<T>> {
  return JSON.parse((await load()).engine[call](JSON.stringify(question))) as Answer<T>;
}

/** The engine itself, for callers that want the core's own text (the bytes that the command line prints). */
export const openRaw = async (): Promise<RawEngine> => (await load()).engine;
/** The catalogs: GPUs, models, formats, engines, providers, offers, calibration. A copy of one's own at every call. */
export const loadCatalog = async (): Promise<Catalog> => JSON.parse((await load()).text) as Catalog;

/** One scenario: does it fit, how fast, how long, how much, and how sure is that. */
export const estimate = (scenario: Scenario): Promise<Answer<Estimate>> => ask('estimate', scenario);
/** Every GPU for a model or, with a GPU and no model, every model for that GPU. */
export const rank = (scenario: Scenario): Promise<Answer<RankAnswer>> => ask('rank', scenario);
/** Two to four GPUs side by side, and when to choose which. */
export const compare = (question: CompareQuestion): Promise<Answer<CompareAnswer>> => ask('compare', question);
/** The commands that run a scenario as estimated. */
export const launch = (scenario: Scenario): Promise<Answer<LaunchAnswer>> => ask('launch', scenario);
/** What owning the scenario's machine costs against every offer. */
export const ownership = (scenario: Scenario): Promise<Answer<OwnershipAnswer>> => ask('ownership', scenario);

/** The scenario as the query of an address: "v=1&m=llama-3-8b&g=nvidia-rtx-4090". */
export async function encodeLink(scenario: Scenario): Promise<Answer<string>> {
  const output = (await load()).engine.link_encode(JSON.stringify(scenario));
  return output.startsWith('{') ? (JSON.parse(output) as Answer<string>) : output;
}
/** The scenario of a link's query. */
export async function decodeLink(query: string): Promise<Answer<Scenario>> {
  return JSON.parse((await load()).engine.link_decode(query.replace(/^[^?]*\?/, '').replace(/#.*$/, ''))) as Answer<Scenario>;
}
