import createModule from '../generated/core/whichgpu-full.js';
import wasmUrl from '../generated/core/whichgpu-full.wasm?url';
import type { FullCall, FullReply, FullRequest } from './full.js';

type FullEngine = Readonly<Record<FullCall, (input: string) => string>>;

let opened: Promise<FullEngine> | undefined;

async function open(catalogAddress: string): Promise<FullEngine> {
  const [module, catalog] = await Promise.all([
    createModule({ locateFile: () => new URL(wasmUrl, import.meta.url).href }) as Promise<{ readonly Engine: new (catalog: string) => FullEngine }>,
    fetch(catalogAddress).then((response) => {
      if (!response.ok) throw new Error(`catalog: HTTP ${response.status}`);
      return response.text();
    }),
  ]);
  return new module.Engine(catalog);
}

addEventListener('message', ({ data }: MessageEvent<FullRequest>) => {
  opened ??= open(data.catalog);
  opened.catch(() => (opened = undefined)); // no network: the next call tries again
  opened
    .then((engine): FullReply => ({ id: data.id, output: engine[data.call](data.input) }))
    .catch((cause: unknown): FullReply => ({ id: data.id, failure: cause instanceof Error ? cause.message : String(cause) }))
    .then((reply) => postMessage(reply));
});
