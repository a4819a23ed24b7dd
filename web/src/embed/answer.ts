import { makeDispatch } from '../engine/dispatch.js';
import { openEngine } from '../engine/module.js';
import type { Answer, CatalogIndex } from '../engine/protocol.js';
import { isError } from '../engine/protocol.js';
import type { RankAnswer, Scenario } from '../generated/contract.js';

type Dispatch = ReturnType<typeof makeDispatch>;
let opened: Promise<Dispatch> | undefined;

/** Every widget on a page shares one core. It runs on the page's own thread: hosts forbid workers of other origins. */
const open = (): Promise<Dispatch> => (opened ??= openEngine().then(({ engine, catalog }) => makeDispatch(engine, catalog)));

export interface WidgetAnswer {
  readonly index: CatalogIndex;
  readonly scenario: Scenario;
  readonly answer: Answer<RankAnswer>;
}

export async function answerFor(query: string): Promise<WidgetAnswer | { readonly error: { readonly message: string } }> {
  const dispatch = await open();
  const { index, scenario } = dispatch('start', { query });
  if (isError(scenario)) return scenario;
  return { index, scenario, answer: dispatch('ask', { scenario, by: 'value' }).answer };
}
