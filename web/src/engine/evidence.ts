import type { RankRow } from '../generated/contract.js';
import type { Store } from '../state/store.js';

/** Fetches the measurements near a question, which the first load leaves out, and hands them to the core. */
export async function loadEvidence(store: Store, row: RankRow): Promise<void> {
  const model = row.model ?? store.state.answer?.scenario.model ?? store.state.scenario.model;
  if (!model) return;
  const response = await fetch(new URL(`generated/evidence/${encodeURIComponent(model)}.json`, document.baseURI));
  if (response.status === 404) {
    await store.addMeasurements(''); // nobody has measured this model: the details say so
    return;
  }
  if (!response.ok) throw new Error(`evidence of ${model}: HTTP ${response.status}`);
  await store.addMeasurements(await response.text());
}
