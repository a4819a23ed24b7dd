import createModule from '../generated/core/whichgpu.js';
import wasmUrl from '../generated/core/whichgpu.wasm?url';
import catalogUrl from '../generated/core/catalog.json?url';
import type { Engine } from './protocol.js';

interface CoreModule {
  readonly Engine: new (catalog: string) => Engine;
}

/** Fetches module and catalog side by side and opens the one Engine of this thread. */
export async function openEngine(): Promise<{ engine: Engine; catalog: unknown }> {
  const absolute = (url: string) => new URL(url, import.meta.url).href;
  const [module, text] = await Promise.all([
    createModule({ locateFile: () => absolute(wasmUrl) }) as Promise<CoreModule>,
    fetch(absolute(catalogUrl)).then((response) => {
      if (!response.ok) throw new Error(`catalog: HTTP ${response.status}`);
      return response.text();
    }),
  ]);
  return { engine: new module.Engine(text), catalog: JSON.parse(text) };
}
