import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { CatalogIndex } from '../engine/protocol.js';
import { isError } from '../engine/protocol.js';
import type { RankAnswer, RankRow, Scenario } from '../generated/contract.js';
import { fitText, memoryBar, quantityText, whyAbsent } from '../components/draw.js';
import { modelName, rowName, shortName, weightsName, weightsOf } from '../components/names.js';
import { defaultUnits, money } from '../format.js';
import { isLanguage, parts, setLanguage, t, word } from '../i18n/index.js';
import { columnsFor, runs, speedColumn } from '../state/columns.js';
import { siteUrl } from './site.js';
import { styles } from './which-gpu.styles.js';

type View = 'answer' | 'table' | 'compare';

interface Ready {
  readonly index: CatalogIndex;
  readonly scenario: Scenario;
  readonly answer: RankAnswer;
}

/**
 * The numbers of WhichGPU inside another page: one tag, no account, nothing sent anywhere.
 * @summary A live answer: the sentence with a memory bar, the top rows, or two cards side by side.
 * @attr scenario - The query of a WhichGPU link: "v=1&m=llama-3.1-8b&g=nvidia-rtx-4090".
 * @attr view - answer, table or compare.
 * @attr gpus - For compare: GPU ids, separated by commas.
 * @attr theme - auto, light or dark.
 * @attr locale - en or es.
 * @attr site - Where the links and the frame lead; the site that the script is from when left out.
 * @cssproperty --which-gpu-accent - Colour of links and marks.
 */
@customElement('which-gpu')
export class WhichGpu extends LitElement {
  static override styles = styles;
  @property() scenario = '';
  @property() view: View = 'answer';
  @property() gpus = '';
  @property() locale = '';
  @property() site = siteUrl?.href ?? '';
  @property({ reflect: true }) theme = 'auto';
  @state() private ready: Ready | null = null;
  @state() private problem = '';
  /** The core could not start here (a strict host); the site's own page can, in a frame. */
  @state() private framed = false;
  private seen: IntersectionObserver | undefined;
  private visible = false;

  override connectedCallback(): void {
    super.connectedCallback();
    this.seen = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      this.seen?.disconnect();
      this.visible = true;
      void this.load();
    }, { rootMargin: '200px' });
    this.seen.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.seen?.disconnect();
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (this.visible && (changed.has('scenario') || changed.has('locale'))) void this.load();
  }

  private get query(): string {
    return this.scenario.replace(/^[^?]*\?/, '').replace(/#.*$/, '');
  }

  private async load(): Promise<void> {
    const query = this.query;
    try {
      await setLanguage(isLanguage(this.locale) ? this.locale : 'en');
      const { answerFor } = await import('./answer.js');
      const found = await answerFor(query);
      if (query !== this.query) return; // changed meanwhile
      if ('error' in found) this.problem = found.error.message;
      else if (isError(found.answer)) this.problem = found.answer.error.message;
      else {
        this.problem = '';
        this.ready = { ...found, answer: found.answer };
      }
    } catch (cause) {
      console.info('which-gpu: shown in a frame', cause);
      this.framed = this.site !== '' && location.origin !== new URL(this.site, location.href).origin;
      this.problem = this.framed ? '' : String(cause);
    }
  }

  private get link(): string {
    return new URL(this.query === '' ? '' : `?${this.query}`, new URL(this.site, location.href)).href;
  }

  private sentence({ index, scenario, answer }: Ready): TemplateResult {
    const echo = answer.scenario;
    const workload = echo.workload ?? 'chat';
    const column = speedColumn(workload);
    const bold = (text: string) => html`<b>${text}</b>`;
    const row = scenario.gpu ? answer.rows.find((r) => r.gpu === scenario.gpu) : undefined;
    const cheapest = answer.rows[answer.picks?.cheapest?.row ?? -1];
    const speed = (r: RankRow) => (r[column.key] ? html`, ${quantityText(r[column.key], column.kind, defaultUnits, { distance: r.distance })}` : '');
    const asked = html`${bold(modelName(index, echo.model))} · ${bold(weightsName(index, weightsOf(echo, scenario)) || word('workload', workload))}`;
    if (row) {
      return html`<p>${asked}. ${parts<TemplateResult | string>('answer.onGpu', {
          gpu: bold(shortName(rowName(index, row, false))),
          verdict: html`<span class="verdict" data-verdict=${row.verdict ?? 'unknown'}>${word('verdict', row.verdict ?? 'unknown')}</span>`,
          speed: speed(row),
        })}</p>
        ${memoryBar(row)}
        <span class="amount">${fitText(row, defaultUnits)}</span>`;
    }
    return html`<p>
      ${asked}: ${parts<TemplateResult | string>('answer.fits', { fits: bold(t('answer.fitsCount', { fits: answer.counts?.fits ?? 0, all: answer.counts?.of ?? answer.rows.length })) })}.
      ${cheapest?.usd_per_hour
        ? parts<TemplateResult | string>('answer.cheapest', { gpu: bold(shortName(rowName(index, cheapest, false))), price: bold(money(cheapest.usd_per_hour.value, defaultUnits) + t('unit.per_h')), speed: speed(cheapest) })
        : nothing}
    </p>`;
  }

  private table(ready: Ready, rows: readonly RankRow[]): TemplateResult {
    const columns = columnsFor(ready.answer.scenario.workload ?? 'chat').filter((column) => !column.wideOnly);
    return html`<div class="scroll" tabindex="0" role="region" aria-label=${t('table.caption')}>
      <table>
        <thead>
          <tr>
            <th scope="col">${t('col.gpu')}</th>
            <th scope="col">${t('col.fit')}</th>
            ${columns.map((column) => html`<th scope="col">${t(column.label)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row) =>
              html`<tr>
                <th scope="row"><b>${shortName(rowName(ready.index, row, false))}</b></th>
                <td>${fitText(row, defaultUnits)} ${memoryBar(row)}</td>
                ${columns.map((column) => html`<td>${quantityText(row[column.key], column.kind, defaultUnits, { absent: whyAbsent(row, column.key, defaultUnits) })}</td>`)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
  }

  private body(): TemplateResult {
    if (this.problem) return html`<p>${t('error.title')}. ${this.problem}</p>`;
    if (!this.ready) return html`<p aria-busy="true">${t('app.loading')}</p>`;
    const { answer } = this.ready;
    if (this.view === 'table') return html`${this.sentence(this.ready)}${this.table(this.ready, answer.rows.filter(runs).slice(0, 5))}`;
    if (this.view === 'compare') {
      const wanted = this.gpus.split(',').map((id) => id.trim());
      return this.table(this.ready, wanted.flatMap((id) => answer.rows.find((row) => row.gpu === id) ?? []));
    }
    return this.sentence(this.ready);
  }

  override render(): TemplateResult {
    if (this.framed) {
      const frame = new URL(`embed/frame.html?${this.query}`, new URL(this.site, location.href));
      frame.hash = new URLSearchParams({ view: this.view, gpus: this.gpus, theme: this.theme, locale: this.locale }).toString();
      return html`<iframe src=${frame.href} title="WhichGPU"></iframe>`;
    }
    const by = t('embed.by', { date: this.ready?.index.asOf ?? '…' });
    return html`<div class="box" lang=${isLanguage(this.locale) ? this.locale : 'en'}>
      ${this.body()}
      <p class="foot">${this.site === '' ? by : html`<a href=${this.link} target="_blank" rel="noopener">${by}</a>`}</p>
    </div>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'which-gpu': WhichGpu;
  }
}
