import { html, nothing, type PropertyValues } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import { csv, download, markdown } from '../export.js';
import { currentLanguage, languages, t, type Language, type MessageKey } from '../i18n/index.js';
import { speedColumn, value } from '../state/columns.js';
import { set } from '../state/scenario.js';
import type { Theme } from '../state/store.js';
import { PageElement } from './base.js';
import { allChoices, contextChoices, gpuChoices, modelChoices, weightsChoices } from './choices.js';
import type { Choice, Picker } from './picker.js';
import type { PickTarget } from './question.js';
import './answer.js';
import './picker.js';
import './question.js';
import './table.js';

const shortcuts: readonly { readonly keys: readonly string[]; readonly what: MessageKey }[] = [
  { keys: ['/'], what: 'keys.search' },
  { keys: ['↑', '↓'], what: 'keys.move' },
  { keys: ['Enter'], what: 'keys.open' },
  { keys: ['c'], what: 'keys.compare' },
  { keys: ['s'], what: 'keys.link' },
  { keys: ['u', 'r'], what: 'keys.undo' },
  { keys: ['Esc'], what: 'keys.close' },
  { keys: ['?'], what: 'keys.help' },
];

/**
 * The page: the question beside the answer, the dialogs, the keyboard.
 * @summary The calculator.
 */
@customElement('wg-app')
export class App extends PageElement {
  @state() private sheet = false;
  @state() private toast = '';
  @state() private online = navigator.onLine;
  /** Parts of the page that are fetched when first wanted, and have come. */
  @state() private parts: ReadonlySet<'compare' | 'own' | 'plots' | 'faults'> = new Set();
  /** A part that could not be fetched; what is shown stays. */
  @state() private missing = false;
  private toastTimer = 0;

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('keydown', this.onKey);
    addEventListener('online', this.onNetwork);
    addEventListener('offline', this.onNetwork);
    addEventListener('unhandledrejection', this.onMissing);
    if ('serviceWorker' in navigator) {
      navigator.serviceWorker.addEventListener('message', this.onCopy);
      navigator.serviceWorker.controller?.postMessage('cut off?');
    }
    this.addEventListener('wg-pick', this.onPick as unknown as EventListener);
    this.addEventListener('wg-reveal', this.onReveal as unknown as EventListener);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('keydown', this.onKey);
    removeEventListener('online', this.onNetwork);
    removeEventListener('offline', this.onNetwork);
    removeEventListener('unhandledrejection', this.onMissing);
    if ('serviceWorker' in navigator) navigator.serviceWorker.removeEventListener('message', this.onCopy);
  }

  /** Parts that are fetched later are all that nobody waits for: a newer version of the site may have replaced them. */
  private readonly onMissing = ({ reason }: PromiseRejectionEvent): void => {
    if (/import/i.test(String(reason))) this.missing = true;
  };

  private arrived(part: 'compare' | 'own' | 'plots' | 'faults'): void {
    this.parts = new Set([...this.parts, part]);
  }

  /** This page came from the copy on the device. */
  private readonly onCopy = ({ data }: MessageEvent<unknown>): void => {
    if (data === 'cut off') this.online = false;
  };

  private readonly onNetwork = (): void => {
    this.online = navigator.onLine;
  };

  protected override willUpdate(_changed: PropertyValues): void {
    const { settings } = this.store.state;
    const root = document.documentElement;
    root.lang = settings.language;
    if (settings.theme === 'auto') delete root.dataset['theme'];
    else root.dataset['theme'] = settings.theme;
    const { comparing, own, plots } = this.store.state.view;
    if (this.store.state.status === 'failed' && !this.parts.has('faults')) void import('./faults.js').then(() => this.arrived('faults'));
    if (comparing && !this.parts.has('compare')) void import('./compare.js').then(() => this.arrived('compare'));
    if (own && !this.parts.has('own')) void import('./own.js').then(() => this.arrived('own'));
    if (plots && !this.parts.has('plots')) void import('./plots.js').then(() => this.arrived('plots'));
  }

  private readonly onReveal = (event: CustomEvent<string>): void => {
    void this.updateComplete.then(() => {
      const row = this.querySelector<HTMLElement>(`tr[data-key="${CSS.escape(event.detail)}"]`);
      row?.scrollIntoView({ block: 'start', behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth' });
      row?.querySelector<HTMLElement>('.row-open')?.focus({ preventScroll: true });
    });
  };

  private readonly onPick = (event: CustomEvent<{ target: PickTarget; anchor: Element }>): void => {
    void this.pick(event.detail.target, event.detail.anchor);
  };

  private async pick(target: PickTarget, anchor: Element | null): Promise<void> {
    const { index, scenario, answer } = this.store.state;
    if (!index) return;
    const workload = scenario.workload ?? 'chat';
    const echo = answer?.scenario;
    const lists: Readonly<Record<PickTarget, () => { title: MessageKey; choices: readonly Choice[]; current?: string | null | undefined }>> = {
      model: () => ({ title: 'picker.model', choices: modelChoices(index, workload), current: scenario.model }),
      gpu: () => ({ title: 'picker.gpu', choices: gpuChoices(index), current: scenario.gpu }),
      weights: () => ({ title: 'picker.weights', choices: weightsChoices(index, scenario.engine ?? null), current: echo?.precision?.weights }),
      context: () => ({ title: 'field.context', choices: contextChoices(index, scenario), current: String(echo?.context_tokens ?? '') }),
      workload: () => ({ title: 'question.title', choices: [] }),
      all: () => ({ title: 'picker.all', choices: allChoices(index) }),
    };
    const { title, choices, current } = lists[target]();
    const picker = this.querySelector<Picker>('wg-picker');
    const id = await picker?.pick({ title: t(title), choices, current: current ?? null, anchor });
    if (!id) return;
    if (target === 'all') this.arriveAt(id);
    else if (target === 'model') this.store.change(set(set(this.store.state.scenario, 'custom_model', undefined), 'model', id));
    else if (target === 'gpu') this.store.change(set(this.store.state.scenario, 'gpu', id));
    else if (target === 'weights') this.chooseWeights(id);
    else if (target === 'context') this.store.change(set(this.store.state.scenario, 'context_tokens', Number(id)));
  }

  /** A format that the present engine does not run takes the engine's choice back to the core. */
  private chooseWeights(id: string): void {
    const { index, answer, scenario } = this.store.state;
    const family = index?.quants.find((quant) => quant.id === id)?.family;
    const engine = index?.engines.find((entry) => entry.id === (scenario.engine ?? answer?.scenario.engine));
    const runsIt = !engine?.formats?.length || (family !== undefined && engine.formats.includes(family));
    let next = set(scenario, 'precision.weights', id);
    if (!runsIt) {
      const other = index?.engines.find((entry) => family !== undefined && entry.formats?.includes(family) && (!entry.purpose?.length || entry.purpose.includes('inference')));
      next = set(next, 'engine', other?.id);
    }
    this.store.change(next);
  }

  /** The search over everything: a model becomes the question's, a GPU is looked at. */
  private arriveAt(id: string): void {
    const [kind, name = ''] = id.split(/:(.*)/s);
    const { scenario, index } = this.store.state;
    if (kind === 'gpu') {
      this.store.change(set(scenario, 'gpu', name));
      return;
    }
    const modelKind = index?.models.find((model) => model.id === name)?.kind;
    const workload = modelKind === 'vision' ? 'vision-inference' : modelKind === 'diffusion' || modelKind === 'video' ? 'image-generation' : ['chat', 'serving', 'rag', 'finetune', 'pretrain'].includes(scenario.workload ?? 'chat') ? (scenario.workload ?? 'chat') : 'chat';
    const keep = workload === (scenario.workload ?? 'chat');
    this.store.change(keep ? set(scenario, 'model', name) : { version: 1, workload, model: name });
  }

  private readonly onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || this.querySelector('dialog[open]')) return;
    const typing = event.target instanceof HTMLElement && event.target.matches('input:not([type=checkbox]), select, textarea');
    if (event.key === 'Escape') {
      if (this.store.state.view.comparing) this.store.look({ comparing: false });
      else if (this.sheet) this.sheet = false;
      else if (!typing && this.store.state.view.open) this.store.look({ open: null });
      return;
    }
    if (typing) return;
    const act: Readonly<Record<string, () => void>> = {
      '/': () => void this.pick('all', null),
      c: () => this.compare(),
      s: () => void this.copyLink(),
      u: () => this.store.undo(),
      r: () => this.store.redo(),
      '?': () => this.querySelector<HTMLDialogElement>('#keys')?.showModal(),
    };
    const run = act[event.key];
    if (run) {
      event.preventDefault();
      run();
    }
  };

  private compare(): void {
    if (this.store.state.view.compare.length < 2) {
      this.say(t('compare.hint'));
      return;
    }
    this.store.look({ comparing: true });
    void import('./compare.js').then(async () => {
      this.arrived('compare');
      await this.updateComplete;
      await this.querySelector('wg-compare')?.updateComplete;
      this.querySelector('.compare')?.scrollIntoView({ block: 'start' });
      this.querySelector<HTMLElement>('#compare-title')?.focus({ preventScroll: true });
    });
  }

  private say(text: string): void {
    this.toast = text;
    clearTimeout(this.toastTimer);
    this.toastTimer = window.setTimeout(() => (this.toast = ''), 4000);
  }

  /** The link says the whole question, also when the address still shows the plain page. */
  private get link(): string {
    const { query } = this.store.state;
    return `${location.origin}${location.pathname}?${query.replace(/^\?/, '')}${location.hash}`;
  }

  private async copy(text: string, done: MessageKey): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      this.say(t(done));
    } catch {
      history.replaceState(null, '', this.link);
      this.say(t('export.failed'));
    }
  }

  private copyLink(): Promise<void> {
    return this.copy(this.link, 'export.linkDone');
  }

  private settings() {
    const { settings, index } = this.store.state;
    const choose = <T extends string>(id: string, label: MessageKey, current: T, options: readonly (readonly [T, string])[], take: (value: T) => void) =>
      html`<label for=${id}>${t(label)}</label>
        <select id=${id} @change=${(event: Event) => take((event.target as HTMLSelectElement).value as T)}>
          ${options.map(([value, name]) => html`<option value=${value} .selected=${value === current}>${name}</option>`)}
        </select>`;
    return html`<details class="settings">
      <summary>${t('app.menu')}</summary>
      <div class="settings-box">
        ${choose('set-language', 'setting.language', settings.language, Object.entries(languages) as [Language, string][], (language) => void this.store.configure({ language }))}
        ${choose('set-theme', 'setting.theme', settings.theme, (['auto', 'light', 'dark'] as const).map((theme): [Theme, string] => [theme, t(`setting.theme.${theme}`)]), (theme) => void this.store.configure({ theme }))}
        ${choose('set-currency', 'setting.currency', settings.currency, (index?.currencies ?? [{ code: 'USD' }]).map((c): [string, string] => [c.code, c.code]), (currency) => void this.store.configure({ currency }))}
        ${choose('set-memory', 'setting.memory', settings.memory, [['GiB', 'GiB'], ['GB', 'GB']] as const, (memory) => void this.store.configure({ memory }))}
      </div>
    </details>`;
  }

  private compareBar() {
    const { view } = this.store.state;
    if (view.compare.length === 0 || view.comparing) return nothing;
    return html`<div class="compare-bar">
      <button type="button" class="primary" ?disabled=${view.compare.length < 2} @click=${() => this.compare()}>${t('compare.open', { n: view.compare.length })}</button>
      <span>${view.compare.length < 2 ? t('compare.hint') : nothing}</span>
      <button type="button" class="quiet" @click=${() => this.store.look({ compare: [] })}>${t('compare.clear')}</button>
    </div>`;
  }

  private exports() {
    const { answer, index } = this.store.state;
    if (!answer) return nothing;
    const workload = answer.scenario.workload ?? 'chat';
    const name = `whichgpu-${answer.scenario.model ?? answer.scenario.gpu ?? workload}-${index?.asOf ?? ''}`;
    return html`<div class="exports">
      <button type="button" class="quiet boxed" @click=${() => void this.copyLink()}>${t('export.link')}</button>
      <button type="button" class="quiet boxed" @click=${() => download(`${name}.csv`, 'text/csv', csv(answer.rows, workload))}>${t('export.csv')}</button>
      <button type="button" class="quiet boxed" @click=${() => download(`${name}.json`, 'application/json', JSON.stringify(answer, null, 1))}>${t('export.json')}</button>
      <button type="button" class="quiet boxed" @click=${() => void this.copy(markdown(answer.rows, workload), 'export.copied')}>${t('export.markdown')}</button>
    </div>`;
  }

  override render() {
    const { status, failure, index, view, answer } = this.store.state;
    const top = answer?.rows[0];
    const retry = html`<button type="button" class="quiet boxed" @click=${() => location.reload()}>${t('app.retry')}</button>`;
    const hasScatter = top !== undefined && value(top, speedColumn(answer?.scenario.workload ?? 'chat').key) !== null;
    return html`
      <a class="skip" href="#answer" @click=${(event: Event) => {
        event.preventDefault();
        this.querySelector<HTMLElement>('.sentence button')?.focus();
      }}>${t('app.skip')}</a>
      <header class="top">
        <h1><a href="./">${t('app.name')}</a></h1>
        <button type="button" class="find" aria-keyshortcuts="/" @click=${() => void this.pick('all', this.querySelector('.find'))}><span>${t('picker.all')}</span><kbd aria-hidden="true">/</kbd></button>
        <nav aria-label=${t('app.name')}>
          ${(['gpus', 'models', 'compare', 'providers', 'methods', 'data', 'accuracy'] as const).map((name) => html`<a href="${currentLanguage() === 'es' ? 'es/' : ''}${name}/">${t(`nav.${name}`)}</a>`)}
          <a href="embed/">${t('nav.embed')}</a>
        </nav>
        ${this.settings()}
      </header>
      <div class="layout ${this.sheet ? 'sheet-open' : ''}">
        <aside class="rail" id="question">
          <wg-question .store=${this.store}></wg-question>
          <div class="sheet-foot"><button type="button" class="primary" @click=${() => (this.sheet = false)}>${t('question.done')}</button></div>
        </aside>
        <main>
          ${this.online ? nothing : html`<p class="offline" role="status">${t('app.offline', { date: index?.asOf ?? '' })}</p>`}
          ${status === 'failed'
            ? html`<div class="problem" role="alert">${this.parts.has('faults') ? html`<wg-fault reason=${failure ?? ''}></wg-fault>` : t('app.failed', { reason: failure ?? '' })} ${retry}</div>`
            : html`${this.missing ? html`<div class="problem" role="alert">${t('app.missing')} ${retry}</div>` : nothing}<wg-answer .store=${this.store}></wg-answer>
                ${view.comparing && this.parts.has('compare') ? html`<wg-compare .store=${this.store}></wg-compare>` : nothing}
                <wg-table .store=${this.store}></wg-table>
                ${hasScatter && view.plots && this.parts.has('plots') ? html`<wg-plots .store=${this.store}></wg-plots>` : nothing}
                ${view.own && this.parts.has('own') ? html`<wg-own .store=${this.store}></wg-own>` : nothing}
                ${top
                  ? html`<p class="plots-open">
                      ${hasScatter && !view.plots ? html`<button type="button" class="quiet boxed" @click=${() => this.store.look({ plots: true })}>${t('plots.show')}</button>` : nothing}
                      ${view.own ? nothing : html`<button type="button" class="quiet boxed" @click=${() => this.store.look({ own: true })}>${t('own.show')}</button>`}
                    </p>`
                  : nothing}
                ${this.exports()}`}
          <footer>
            <p>${t('foot.measured')} ${t('foot.source')}</p>
            <p>${index?.asOf ? t('app.dataDate', { date: index.asOf }) : nothing} · <button type="button" class="quiet" @click=${() => this.querySelector<HTMLDialogElement>('#keys')?.showModal()}>${t('keys.title')}</button></p>
          </footer>
        </main>
      </div>
      <button type="button" class="sheet-button" aria-expanded=${this.sheet} aria-controls="question" @click=${() => {
        this.sheet = !this.sheet;
        if (this.sheet) void this.updateComplete.then(() => this.querySelector<HTMLElement>('.rail button')?.focus());
      }}>${t('question.open')}</button>
      ${this.compareBar()}
      <div class="toast" role="status" aria-live="polite" ?data-on=${this.toast !== ''}>${this.toast}</div>
      <wg-picker></wg-picker>
      <dialog id="keys" aria-labelledby="keys-title" @click=${(event: MouseEvent) => event.target === event.currentTarget && (event.currentTarget as HTMLDialogElement).close()}>
        <div class="keys-box">
          <h2 id="keys-title">${t('keys.title')}</h2>
          <dl>
            ${shortcuts.map((s) => html`<div><dt>${s.keys.map((key) => html`<kbd>${key}</kbd>`)}</dt><dd>${t(s.what)}</dd></div>`)}
          </dl>
          <form method="dialog"><button class="quiet boxed">${t('picker.close')}</button></form>
        </div>
      </dialog>
    `;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'wg-app': App;
  }
}
