import createModule from '../generated/core/whichgpu.js';
import wasmUrl from '../generated/core/whichgpu.wasm?url';
import catalogUrl from '../generated/core/catalog.json?url';
import type { Engine } from './protocol.js';

interface CoreModule {
  readonly Engine: new (catalog: string) => Engine;
}

/** Fails with an error whose message begins with a word that components/faults.ts has kind sentences for. */
const named =
  (word: string) =>
  (cause: unknown): never => {
    throw new Error(`${word}: ${cause instanceof Error ? cause.message : String(cause)}`);
  };

/** Fetches module and catalog side by side and opens the one Engine of this thread. */
export async function openEngine(): Promise<{ engine: Engine; catalog: unknown }> {
  const absolute = (url: string) => new URL(url, import.meta.url).href;
  const [module, text] = await Promise.all([
    (createModule({ locateFile: () => absolute(wasmUrl) }) as Promise<CoreModule>).catch(named('wasm')),
    fetch(absolute(catalogUrl))
      .then((response) => (response.ok ? response.text() : Promise.reject(new Error(`HTTP ${response.status}`))))
      .catch(named('data')),
  ]);
  const catalog = await new Response(text).json().catch(named('torn'));
  const engine = new module.Engine(text);
  // A catalog that the core does not understand answers every question with its own error, also this empty one.
  const { error } = JSON.parse(engine.estimate('{}')) as { error?: { code: string; path: string; message: string } };
  if (error?.code.endsWith('-data')) named('version')(`${error.path}: ${error.message}`);
  return { engine, catalog };
}
