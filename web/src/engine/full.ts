import type { Answer } from './protocol.js';

/** What the whole core answers beyond the page's first module; fetched when first asked, in a worker of its own. */
export type FullCall = 'compare' | 'launch' | 'paste' | 'scale';
export interface FullRequest {
  readonly id: number;
  readonly call: FullCall;
  readonly input: string;
  readonly catalog: string;
}
export type FullReply = { readonly id: number; readonly output: string } | { readonly id: number; readonly failure: string };

let worker: Worker | undefined;
let next = 1;
const waiting = new Map<number, (reply: FullReply | null) => void>();

function start(): Worker {
  const started = new Worker(new URL('./full-worker.ts', import.meta.url), { type: 'module' });
  started.addEventListener('message', ({ data }: MessageEvent<FullReply>) => {
    waiting.get(data.id)?.(data);
    waiting.delete(data.id);
  });
  started.addEventListener('error', () => {
    worker = undefined;
    for (const settle of waiting.values()) settle(null);
    waiting.clear();
  });
  return started;
}

export async function askFull<T>(call: FullCall, question: unknown): Promise<Answer<T>> {
  worker ??= start();
  const id = next++;
  const reply = await new Promise<FullReply | null>((resolve) => {
    waiting.set(id, resolve);
    worker?.postMessage({ id, call, input: JSON.stringify(question), catalog: new URL('generated/catalog-full.json', document.baseURI).href } satisfies FullRequest);
  });
  if (reply === null) throw new Error('the worker did not start');
  if ('failure' in reply) throw new Error(reply.failure);
  return JSON.parse(reply.output) as Answer<T>;
}
