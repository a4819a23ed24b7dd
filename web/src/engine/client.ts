import type { CallName, Calls, Reply, Request } from './protocol.js';

interface Waiting {
  resolve(output: unknown): void;
  reject(cause: Error): void;
}

const tick_ms = 3000;
const patience_ticks = 4;

/** The page's side of the worker: each call is a promise, failures of the worker fail them all, and those that come after. */
export class EngineClient {
  private readonly waiting = new Map<number, Waiting>();
  private next = 1;
  private lost = '';
  /** Ticks since the worker's last sign of life while calls wait; null before the first, which waits for the network. */
  private silence: number | null = null;

  private readonly worker: Pick<Worker, 'postMessage' | 'addEventListener'>;

  constructor(worker: Pick<Worker, 'postMessage' | 'addEventListener'>) {
    this.worker = worker;
    worker.addEventListener('message', (event) => this.receive((event as MessageEvent<Reply>).data));
    worker.addEventListener('error', (event) => this.fail((event as ErrorEvent).message || 'the worker did not start'));
    // A worker that is ended (memory, a phone's background) says nothing. Ticks and not a clock: a computer that slept
    // wakes to one tick.
    setInterval(() => {
      if (this.silence === null || this.waiting.size === 0) return;
      this.silence += 1;
      if (this.silence > patience_ticks) this.fail('no answer');
    }, tick_ms);
  }

  call<K extends CallName>(call: K, input: Calls[K]['in']): Promise<Calls[K]['out']> {
    if (this.lost) return Promise.reject(new Error(this.lost));
    if (this.waiting.size === 0 && this.silence !== null) this.silence = 0;
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as (output: unknown) => void, reject });
      this.worker.postMessage({ id, call, input } satisfies Request<K>);
    });
  }

  private receive(reply: Reply): void {
    this.silence = 0;
    const waiting = this.waiting.get(reply.id);
    if (!waiting) return;
    this.waiting.delete(reply.id);
    if ('failure' in reply) waiting.reject(new Error(reply.failure));
    else waiting.resolve(reply.output);
  }

  private fail(message: string): void {
    this.lost = `lost: ${message}`;
    for (const waiting of this.waiting.values()) waiting.reject(new Error(this.lost));
    this.waiting.clear();
  }
}

export function startWorker(): EngineClient {
  return new EngineClient(new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' }));
}
