import { beforeEach, describe, expect, it } from 'vitest';
import { EngineClient } from '../../src/engine/client.js';
import { makeDispatch } from '../../src/engine/dispatch.js';
import { isError, type CallName, type Request } from '../../src/engine/protocol.js';
import { changeWorkload, defaultScenario, get, set } from '../../src/state/scenario.js';
import { Store, type Place } from '../../src/state/store.js';
import { defaultView, readView, writeView, type View } from '../../src/state/view.js';
import { FixtureEngine, openEngine } from '../fixtures/module.js';
import catalog from '../fixtures/catalog.json';

/** A worker without a thread: it answers on the next turn, in order. */
class WorkerOnThisThread extends EventTarget {
  readonly engine = new FixtureEngine();
  private readonly dispatch = makeDispatch(this.engine, catalog);
  postMessage(request: Request<CallName>): void {
    setTimeout(() => this.dispatchEvent(new MessageEvent('message', { data: { id: request.id, output: this.dispatch(request.call, request.input) } })));
  }
}

class PlaceInMemory implements Place {
  entries = ['/'];
  at = 0;
  readonly saved = new Map<string, string>();
  get location() {
    const url = new URL(this.entries[this.at] ?? '/', 'http://here.test');
    return { search: url.search, hash: url.hash, pathname: url.pathname };
  }
  readonly history = {
    pushState: (_: unknown, __: string, url?: string | URL | null) => {
      this.entries = [...this.entries.slice(0, ++this.at), String(url)];
    },
    replaceState: (_: unknown, __: string, url?: string | URL | null) => {
      this.entries[this.at] = String(url);
    },
    back: () => void (this.at = Math.max(0, this.at - 1)),
    forward: () => void (this.at = Math.min(this.entries.length - 1, this.at + 1)),
  };
  readonly storage = { getItem: (key: string) => this.saved.get(key) ?? null, setItem: (key: string, value: string) => void this.saved.set(key, value) };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

describe('scenario', () => {
  it('sets and reads by path without touching the original', () => {
    const changed = set(defaultScenario, 'training.tokens', 5);
    expect(get(changed, 'training.tokens')).toBe(5);
    expect(get(defaultScenario, 'training.tokens')).toBeUndefined();
  });

  it('an emptied field leaves no empty object behind', () => {
    expect(set(set(defaultScenario, 'offer.provider', 'aws'), 'offer.provider', '')).toEqual(defaultScenario);
  });

  it('a new workload drops the parts of the old one and takes a model of its kind', async () => {
    const { catalog: document } = await openEngine();
    const index = makeDispatch(new FixtureEngine(), document)('start', { query: '' }).index;
    const asked = { ...defaultScenario, context_tokens: 4096, precision: { weights: 'gguf-q8_0' }, offer: { provider: 'vast.ai' } };
    expect(changeWorkload(asked, 'image-generation', index)).toEqual({ version: 1, workload: 'image-generation', model: 'sdxl-1.0', offer: { provider: 'vast.ai' } });
    expect(changeWorkload(asked, 'serving', index).model).toBe('llama-3.1-8b');
    expect(changeWorkload(asked, 'hpc', index).model).toBeUndefined();
  });
});

describe('view in the fragment', () => {
  const full: View = { sort: { key: 'usd_per_hour', descending: true }, by: 'speed', text: 'rtx 40', fitOnly: true, vendor: 'NVIDIA', segment: 'consumer', open: 'nvidia-rtx-4090', compare: ['a', 'b'], comparing: true, plots: true, own: true };
  it('comes back as it was written', () => expect(readView(writeView(full))).toEqual(full));
  it('is empty for the default', () => expect(writeView(defaultView)).toBe(''));
  it('reads rubbish as the default', () => expect(readView('#sort=%00&by=nonsense&compare=')).toEqual(defaultView));
  it('compares four at most', () => expect(readView('#compare=a,b,c,d,e').compare).toEqual(['a', 'b', 'c', 'd']));
});

describe('store', () => {
  let place: PlaceInMemory;
  let worker: WorkerOnThisThread;
  let store: Store;
  beforeEach(async () => {
    place = new PlaceInMemory();
    worker = new WorkerOnThisThread();
    store = new Store(new EngineClient(worker as unknown as Worker), place);
    await store.start();
  });

  it('opens with the default question answered and the address untouched', () => {
    expect(store.state.status).toBe('ready');
    expect(store.state.answer?.rows.length).toBeGreaterThan(5);
    expect(place.entries).toEqual(['/']);
  });

  it('each change is one step of the history, and back brings the question back', async () => {
    store.change(set(store.state.scenario, 'context_tokens', 4096));
    await settled();
    store.change(set(store.state.scenario, 'context_tokens', 16384));
    await settled();
    expect(place.entries.length).toBe(3);
    store.undo();
    await store.arrive();
    expect(store.state.scenario.context_tokens).toBe(4096);
    expect(store.state.answer?.scenario.context_tokens).toBe(4096);
  });

  it('asks only the newest of changes that come faster than answers', async () => {
    worker.engine.asked.length = 0;
    for (const tokens of [1, 2, 3, 4, 5]) store.change(set(store.state.scenario, 'context_tokens', tokens));
    await settled();
    expect(store.state.answer?.scenario.context_tokens).toBe(5);
    expect(worker.engine.asked.length).toBe(2);
  });

  it('keeps the last good answer and names the field when a question is impossible', async () => {
    const before = store.state.answer;
    store.change(set(store.state.scenario, 'context_tokens', -1));
    await settled();
    expect(store.state.error?.path).toBe('context_tokens');
    expect(store.state.answer).toBe(before);
  });

  it('a link that cannot be read says so and shows the default', async () => {
    place.entries = ['/?v=9&zz=1'];
    const other = new Store(new EngineClient(new WorkerOnThisThread() as unknown as Worker), place);
    await other.start();
    expect(other.state.linkError).toMatch(/version/);
    expect(other.state.scenario).toEqual(defaultScenario);
  });

  it('asks about every GPU even when one is looked at', async () => {
    worker.engine.asked.length = 0;
    store.change(set(store.state.scenario, 'gpu', 'nvidia-rtx-4090'));
    await settled();
    expect(JSON.parse(worker.engine.asked[0] ?? '{}')).not.toHaveProperty('gpu');
    expect(place.entries[1]).toContain('nvidia-rtx-4090');
  });

  it('works out details of the open row for the present question only', async () => {
    store.look({ open: 'nvidia-rtx-4090' });
    await settled();
    const details = store.state.details.get('nvidia-rtx-4090');
    expect(details && !isError(details) && details.scenario?.gpu).toBe('nvidia-rtx-4090');
    store.change(set(store.state.scenario, 'context_tokens', 2048));
    await settled();
    const next = store.state.details.get('nvidia-rtx-4090');
    expect(next && !isError(next) && next.scenario?.context_tokens).toBe(2048);
  });

  it('remembers settings on the device and survives a broken record', async () => {
    await store.configure({ memory: 'GB', currency: 'EUR' });
    expect(store.units).toEqual({ memory: 'GB', currency: 'EUR', usdPerUnit: 1.17 });
    const again = new Store(new EngineClient(new WorkerOnThisThread() as unknown as Worker), place);
    expect(again.state.settings.memory).toBe('GB');
    place.saved.set('whichgpu.settings', '{broken');
    expect(new Store(new EngineClient(new WorkerOnThisThread() as unknown as Worker), place).state.settings.memory).toBe('GiB');
  });

  it('says that the calculator did not start when the worker fails', async () => {
    const broken = new WorkerOnThisThread();
    broken.postMessage = () => setTimeout(() => broken.dispatchEvent(Object.assign(new Event('error'), { message: 'no WebAssembly' })));
    const failing = new Store(new EngineClient(broken as unknown as Worker), new PlaceInMemory());
    await failing.start();
    expect([failing.state.status, failing.state.failure]).toEqual(['failed', 'lost: no WebAssembly']);
  });
});
