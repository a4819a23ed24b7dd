import type { CallName, Calls, Reply, Request } from './protocol.js';

interface Waiting {
  resolve(output: unknown): void;
  reject(cause: Error): void;
}

/** The page's side of the worker: each call is a promise, failures of the worker fail them all. */
export class EngineClient {
  private readonly waiting = new Map<number, Waiting>();
  private next = 1;

  private readonly worker: Pick<Worker, 'postMessage' | 'addEventListener'>;

  constructor(worker: Pick<Worker, 'postMessage' | 'addEventListener'>) {
    this.worker = worker;
    worker.addEventListener('message', (event) => this.receive((event as MessageEvent<Reply>).data));
    worker.addEventListener('error', (event) => this.fail((event as ErrorEvent).message || 'the worker did not start'));
  }

  call<K extends CallName>(call: K, input: Calls[K]['in']): Promise<Calls[K]['out']> {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as (output: unknown) => void, reject });
      this.worker.postMessage({ id, call, input } satisfies Request<K>);
    });
  }

  private receive(reply: Reply): void {
    const waiting = this.waiting.get(reply.id);
    if (!waiting) return;
    this.waiting.delete(reply.id);
    if ('failure' in reply) waiting.reject(new Error(reply.failure));
    else waiting.resolve(reply.output);
  }

  private fail(message: string): void {
    for (const waiting of this.waiting.values()) waiting.reject(new Error(message));
    this.waiting.clear();
  }
}

export function startWorker(): EngineClient {
  return new EngineClient(new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' }));
}
