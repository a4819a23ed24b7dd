import type { CalcError, Estimate, OwnershipAnswer, RankAnswer, RankRow, Scenario } from '../generated/contract.js';
import type { EngineClient } from '../engine/client.js';
import type { QualityRow } from '../engine/evidence.js';
import { isError, type Answer, type CatalogIndex } from '../engine/protocol.js';
import { defaultUnits, type Units } from '../format.js';
import { isLanguage, setLanguage, type Language } from '../i18n/index.js';
import { defaultScenario } from './scenario.js';
import { rowKey } from './columns.js';
import { defaultView, readView, writeView, type View } from './view.js';

export type Theme = 'auto' | 'light' | 'dark';

export interface Settings {
  readonly language: Language;
  readonly theme: Theme;
  readonly currency: string;
  readonly memory: Units['memory'];
}

export interface State {
  readonly status: 'loading' | 'ready' | 'failed';
  readonly failure: string | null;
  readonly index: CatalogIndex | null;
  /** The question as asked: only what the person has chosen. The answer's echo has the defaults. */
  readonly scenario: Scenario;
  /** The newest good answer; kept while a question has an error, so that the page does not empty. */
  readonly answer: RankAnswer | null;
  readonly error: CalcError | null;
  readonly linkError: string | null;
  readonly query: string;
  readonly view: View;
  readonly settings: Settings;
  /** Details asked for, by row, for the present question. */
  readonly details: ReadonlyMap<string, Answer<Estimate>>;
  /** The same questions with 16-bit weights, where the format is a smaller one: what the format saves. */
  readonly wide: ReadonlyMap<string, Estimate>;
  /** Published quality by format; null where nothing was published. */
  readonly quality: ReadonlyMap<string, readonly QualityRow[] | null>;
}

/** What `window` offers, so that tests can bring their own. */
export interface Place {
  readonly location: { readonly search: string; readonly hash: string; readonly pathname: string };
  readonly history: Pick<History, 'pushState' | 'replaceState' | 'back' | 'forward'>;
  readonly storage: Pick<Storage, 'getItem' | 'setItem'> | null;
  /** Fetches the measurements of a model; absent: none are shown. */
  readonly evidence?: (name: string) => Promise<string | null>;
  /** Fetches what was published of a format's quality; absent: none is shown. */
  readonly quality?: (format: string) => Promise<readonly QualityRow[] | null>;
}

const settingsKey = 'whichgpu.settings';

function readSettings(storage: Place['storage'], documentLanguage: string): Settings {
  const base: Settings = { language: isLanguage(documentLanguage) ? documentLanguage : 'en', theme: 'auto', currency: 'USD', memory: 'GiB' };
  const text = storage?.getItem(settingsKey);
  if (!text) return base;
  try {
    const saved = JSON.parse(text) as Partial<Settings>;
    return {
      language: isLanguage(saved.language) ? saved.language : base.language,
      theme: saved.theme === 'light' || saved.theme === 'dark' ? saved.theme : 'auto',
      currency: typeof saved.currency === 'string' ? saved.currency : base.currency,
      memory: saved.memory === 'GB' ? 'GB' : 'GiB',
    };
  } catch {
    return base; // settings of another program or a broken write: the defaults are as good
  }
}

/** The question, the answer and how they are looked at. Every change goes through here, and from here into the address. */
export class Store {
  state: State;
  private readonly listeners = new Set<() => void>();
  private readonly evidence = new Set<string>();
  private readsEvidence = false;
  private asking = false;
  private again: 'push' | 'replace' | 'none' | null = null;

  private readonly client: EngineClient;
  private readonly place: Place;

  constructor(client: EngineClient, place: Place, documentLanguage = 'en') {
    this.client = client;
    this.place = place;
    this.state = {
      status: 'loading',
      failure: null,
      index: null,
      scenario: defaultScenario,
      answer: null,
      error: null,
      linkError: null,
      query: '',
      view: readView(place.location.hash),
      settings: readSettings(place.storage, documentLanguage),
      details: new Map(),
      wide: new Map(),
      quality: new Map(),
    };
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private update(patch: Partial<State>): void {
    this.state = { ...this.state, ...patch };
    for (const listener of this.listeners) listener();
  }

  get units(): Units {
    const { settings, index } = this.state;
    const currency = index?.currencies.find((entry) => entry.code === settings.currency);
    return currency
      ? { memory: settings.memory, currency: currency.code, usdPerUnit: currency.usdPerUnit }
      : { ...defaultUnits, memory: settings.memory };
  }

  /** A GPU without a model asks what runs on it. */
  get gpuMode(): boolean {
    const { scenario } = this.state;
    return Boolean(scenario.gpu) && !scenario.model && scenario.workload !== 'hpc';
  }

  async start(): Promise<void> {
    try {
      await setLanguage(this.state.settings.language);
      const { index, scenario, evidence } = await this.client.call('start', { query: this.place.location.search.replace(/^\?/, '') });
      this.readsEvidence = evidence;
      if (isError(scenario)) this.update({ index, linkError: scenario.error.message });
      else this.update({ index, scenario: Object.keys(scenario).length === 0 ? defaultScenario : scenario });
      await this.ask('none');
      this.update({ status: 'ready' });
    } catch (cause) {
      this.fail(cause);
    }
  }

  private readonly fail = (cause: unknown): void => {
    this.update({ status: 'failed', failure: cause instanceof Error ? cause.message : String(cause) });
  };

  /** Asks a changed question; the address follows with the answer. */
  change(scenario: Scenario, how: 'push' | 'replace' = 'push'): void {
    const keep = scenario.workload === this.state.scenario.workload;
    const view = keep ? this.state.view : { ...this.state.view, sort: null, compare: [], open: null };
    this.update({ scenario, linkError: null, view });
    void this.ask(how);
  }

  /** The address changed under us: back, forward, or a link within the page. */
  async arrive(): Promise<void> {
    const query = this.place.location.search.replace(/^\?/, '');
    const view = readView(this.place.location.hash);
    const scenario = query === '' ? defaultScenario : await this.client.call('decode', { query });
    if (isError(scenario)) this.update({ view, linkError: scenario.error.message });
    else this.update({ view, linkError: null, scenario });
    await this.ask('none');
  }

  /** One question is at the worker at a time; while it works, only the newest waits. */
  private async ask(how: 'push' | 'replace' | 'none'): Promise<void> {
    if (this.asking) {
      this.again = how === 'push' || this.again === 'push' ? 'push' : how;
      return;
    }
    this.asking = true;
    let next: typeof this.again = how;
    try {
      while (next !== null) {
        const mode: 'push' | 'replace' | 'none' = next;
        this.again = null;
        const { answer, query } = await this.client.call('ask', { scenario: this.state.scenario, by: this.state.view.by });
        next = this.again;
        if (isError(answer)) this.update({ error: answer.error });
        else this.update({ answer, error: null, details: new Map(), wide: new Map() });
        if (!isError(query)) this.update({ query });
        if (mode !== 'none' && !isError(query)) this.writeAddress(mode);
        this.loadDetails();
      }
    } catch (cause) {
      this.fail(cause);
    } finally {
      this.asking = false;
    }
  }

  private writeAddress(how: 'push' | 'replace'): void {
    const hash = writeView(this.state.view);
    const url = `${this.place.location.pathname}?${this.state.query.replace(/^\?/, '')}${hash}`;
    if (how === 'push') this.place.history.pushState(null, '', url);
    else this.place.history.replaceState(null, '', url);
  }

  look(patch: Partial<View>): void {
    const reorder = patch.by !== undefined && patch.by !== this.state.view.by;
    this.update({ view: { ...this.state.view, ...patch } });
    if (reorder) void this.ask('none');
    const { search, pathname } = this.place.location;
    this.place.history.replaceState(null, '', `${pathname}${search}${writeView(this.state.view)}`);
    this.loadDetails();
  }

  /** The question that a row stands for. */
  scenarioOf(row: RankRow): Scenario {
    const { scenario } = this.state;
    const count = row.gpu_count ?? scenario.gpu_count;
    const base: Scenario = { ...scenario, gpu: row.gpu };
    if (typeof count === 'number') base.gpu_count = count;
    if (row.model) base.model = row.model;
    if (row.precision) base.precision = { ...scenario.precision, weights: row.precision };
    return base;
  }

  private loadDetails(): void {
    const { view, answer } = this.state;
    if (!answer) return;
    const keys = new Set([...(view.open ? [view.open] : []), ...(view.comparing ? view.compare : [])]);
    for (const key of keys) if (!this.state.details.has(key)) void this.loadDetail(key, answer).catch(this.fail);
  }

  private async loadDetail(key: string, answer: RankAnswer): Promise<void> {
    const gpuMode = this.gpuMode;
    const row = answer.rows.find((r) => rowKey(r, gpuMode) === key);
    if (!row) return;
    const scenario = this.scenarioOf(row);
    const put = (estimate: Answer<Estimate>) => {
      // the question may have changed meanwhile
      if (this.state.answer === answer) this.update({ details: new Map(this.state.details).set(key, estimate) });
    };
    const first = await this.client.call('estimate', { scenario });
    put(first);
    if (!isError(first)) await this.loadQuality(key, answer, scenario, first);
    if (await this.loadEvidence(scenario.model ?? `gpu-${row.gpu}`)) put(await this.client.call('estimate', { scenario }));
  }

  /** What the row's format costs in quality, and what it saves: the same question with 16-bit weights. */
  private async loadQuality(key: string, answer: RankAnswer, scenario: Scenario, estimate: Estimate): Promise<void> {
    const format = estimate.scenario?.precision?.weights;
    if (!this.place.quality || typeof format !== 'string' || !estimate.speed) return;
    if (!this.state.quality.has(format)) {
      try {
        const rows = await this.place.quality(format);
        this.update({ quality: new Map(this.state.quality).set(format, rows) });
      } catch (cause) {
        console.info(`quality of ${format} did not load`, cause); // no network: the next look tries again
      }
    }
    const wide = await this.client.call('estimate', { scenario: { ...scenario, precision: { ...scenario.precision, weights: 'fp16' } } });
    if (this.state.answer === answer && !isError(wide)) this.update({ wide: new Map(this.state.wide).set(key, wide) });
  }

  /** Brings the measurements near a question into the core, once each; true when new ones came. */
  private async loadEvidence(name: string): Promise<boolean> {
    if (!this.place.evidence || !this.readsEvidence || this.evidence.has(name)) return false;
    this.evidence.add(name);
    const rows = await this.place.evidence(name).catch((cause: unknown) => {
      this.evidence.delete(name); // no network: the next look tries again
      console.info(`evidence of ${name} did not load`, cause);
      return null;
    });
    return rows !== null && !isError(await this.client.call('measurements', { text: rows }));
  }

  ownership(scenario: Scenario): Promise<Answer<OwnershipAnswer>> {
    return this.client.call('ownership', { scenario });
  }

  series(scenarios: readonly Scenario[]): Promise<readonly Answer<Estimate>[]> {
    return this.client.call('series', { scenarios });
  }

  async configure(patch: Partial<Settings>): Promise<void> {
    const settings = { ...this.state.settings, ...patch };
    if (patch.language) await setLanguage(patch.language);
    this.update({ settings });
    try {
      this.place.storage?.setItem(settingsKey, JSON.stringify(settings));
    } catch (cause) {
      console.info('the settings last until the page is closed', cause); // full, or forbidden
    }
  }

  reset(): void {
    this.update({ view: defaultView });
    this.change(defaultScenario);
  }

  undo(): void {
    this.place.history.back();
  }

  redo(): void {
    this.place.history.forward();
  }
}
