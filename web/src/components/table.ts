import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { customElement } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import type { RankRow } from '../generated/contract.js';
import type { CatalogIndex } from '../engine/protocol.js';
import { integer, money, number } from '../format.js';
import { t, word, type MessageKey } from '../i18n/index.js';
import { columnsFor, rowKey, runs, value, type Column } from '../state/columns.js';
import { defaultView, maxCompared, rankBys } from '../state/view.js';
import { PageElement } from './base.js';
import { detail } from './detail.js';
import { fitText, reasonText, memoryBar, quantityText, whiskerBar, whyAbsent } from './draw.js';
import { lookup, modelSize, providerName, rowName, weightsName } from './names.js';

interface Entry {
  readonly key: string;
  readonly row: RankRow;
  readonly name: string;
}

/** On one's own GPU the question is how large a model it can run: those that run, by parameters. */
function largestFirst(index: CatalogIndex | null, entries: readonly Entry[]): readonly Entry[] {
  const size = ({ row }: Entry) => modelSize(index, row.model);
  return [...entries].sort((a, b) => Number(runs(b.row)) - Number(runs(a.row)) || size(b) - size(a));
}

/**
 * Every GPU as a row of a real table: on phones the same rows are drawn as cards.
 * @summary The ranked answer, with sorting, filters and details.
 */
@customElement('wg-table')
export class RankTable extends PageElement {
  private tops = new Map<string, number>();
  private shownAnswer: unknown = null;

  private entries(): readonly Entry[] {
    const { answer, index } = this.store.state;
    const gpuMode = this.store.gpuMode;
    return (answer?.rows ?? []).map((row) => ({ key: rowKey(row, gpuMode), row, name: rowName(index, row, gpuMode) }));
  }

  private visible(entries: readonly Entry[], columns: readonly Column[]): readonly Entry[] {
    const { view, index } = this.store.state;
    const gpus = index ? lookup(index).gpus : undefined;
    const words = view.text.toLowerCase().split(/\s+/).filter((w) => w !== '');
    const kept = entries.filter(({ row, name }) => {
      if (view.fitOnly && !runs(row)) return false;
      const gpu = gpus?.get(row.gpu);
      if (view.vendor && gpu?.vendor !== view.vendor) return false;
      if (view.segment && gpu?.segment !== view.segment) return false;
      if (words.length === 0) return true;
      const hay = `${name} ${row.gpu} ${gpu?.aliases.join(' ') ?? ''} ${gpu?.vendor ?? ''} ${row.model ?? ''} ${row.offer?.provider ?? ''} ${providerName(index, row.offer?.provider)}`.toLowerCase();
      return words.every((w) => hay.includes(w));
    });
    const sort = view.sort;
    if (!sort) return this.store.gpuMode && view.by === 'value' ? largestFirst(index, kept) : kept;
    const sign = sort.descending ? -1 : 1;
    if (sort.key === 'name') return [...kept].sort((a, b) => sign * a.name.localeCompare(b.name, undefined, { numeric: true }));
    const measure = (row: RankRow): number | null => {
      if (sort.key === 'memory') return typeof row.per_gpu_gib === 'number' && row.capacity_gib ? row.per_gpu_gib / row.capacity_gib : null;
      const column = columns.find((c) => c.key === sort.key);
      return column ? value(row, column.key) : null;
    };
    return kept
      .map((entry, at) => ({ entry, at, x: measure(entry.row) }))
      .sort((a, b) => (a.x === null || b.x === null ? Number(a.x === null) - Number(b.x === null) : sign * (a.x - b.x)) || a.at - b.at)
      .map(({ entry }) => entry);
  }

  private sortBy(key: string, bestHigh: boolean): void {
    const { sort } = this.store.state.view;
    if (sort?.key !== key) this.store.look({ sort: { key, descending: bestHigh } });
    else if (sort.descending === bestHigh) this.store.look({ sort: { key, descending: !bestHigh } });
    else this.store.look({ sort: null });
  }

  private head(key: string, label: MessageKey, bestHigh: boolean, classes: string): TemplateResult {
    const { sort } = this.store.state.view;
    const direction = sort?.key === key ? (sort.descending ? 'descending' : 'ascending') : 'none';
    return html`<th scope="col" role="columnheader" class=${classes} aria-sort=${direction}>
      <button type="button" @click=${() => this.sortBy(key, bestHigh)}>${t(label)}<span class="sort-mark" aria-hidden="true"></span></button>
    </th>`;
  }

  private toggle(key: string): void {
    this.store.look({ open: this.store.state.view.open === key ? null : key });
  }

  private tick(key: string): void {
    const { compare } = this.store.state.view;
    const next = compare.includes(key) ? compare.filter((k) => k !== key) : [...compare, key].slice(-maxCompared);
    this.store.look({ compare: next });
  }

  private cell(column: Column, row: RankRow, longest: number): TemplateResult {
    const quantity = row[column.key];
    const units = this.store.units;
    const label = t(column.label);
    const classes = `q ${column.bar ? 'with-bar' : ''} ${column.wideOnly ? 'wide' : ''} c-${column.key}`;
    if (column.key === 'usd_per_hour') {
      const { index } = this.store.state;
      const offer = row.offer;
      return html`<td role="cell" class=${classes} data-label=${label}>
        ${quantityText(quantity, column.kind, units, { absent: whyAbsent(row, column.key, units) })}
        ${quantity && offer?.provider
          ? html`<span class="under ${offer.stale ? 'stale' : ''}" title=${offer.stale ? t('value.stale', { date: offer.price_date ?? '' }) : t('value.priceOf', { provider: providerName(index, offer.provider), date: offer.price_date ?? t('value.unknown') })}
              >${providerName(index, offer.provider)}${offer.stale ? html` · ${offer.price_date?.slice(0, 7)}<span class="sr">, ${t('value.stale', { date: offer.price_date ?? '' })}</span>` : nothing}</span
            >`
          : nothing}
        ${typeof row.upfront_usd === 'number' ? html`<span class="under">${t('value.buy', { price: money(row.upfront_usd, units) })}</span>` : nothing}
      </td>`;
    }
        return html`<td role="cell" class=${classes} data-label=${label}>
      ${quantityText(quantity, column.kind, units, { absent: whyAbsent(row, column.key, units), distance: column.bar ? row.distance : null })}
      ${column.bar ? (quantity ? whiskerBar(quantity, longest) : html`<span class="under">${row.verdict === 'does_not_fit' && row.min_gpu_count ? t('reason.count', { count: integer(row.min_gpu_count) }) : '\u00a0'}</span>`) : nothing}
    </td>`;
  }

  private under(row: RankRow): string {
    const { index } = this.store.state;
    if (this.store.gpuMode) return typeof row.max_context_tokens === 'number' ? `${t('col.context')} ${integer(row.max_context_tokens)}` : weightsName(index, row.precision);
    const gpu = index ? lookup(index).gpus.get(row.gpu) : undefined;
    if (!gpu) return row.gpu;
    return [gpu.memoryGb === null ? '' : `${number(gpu.memoryGb)} GB`, word('segment', gpu.segment), gpu.year === null ? '' : String(gpu.year)].filter((p) => p !== '').join(' · ');
  }

  private row(entry: Entry, columns: readonly Column[], longest: ReadonlyMap<string, number>): TemplateResult {
    const { view, scenario, details, index } = this.store.state;
    const { key, row, name } = entry;
    const open = view.open === key;
    const verdict = row.verdict ?? 'unknown';
    const pinned = !this.store.gpuMode && scenario.gpu === row.gpu;
    return html`<tr role="row" id="row-${key}" data-key=${key} data-verdict=${verdict} class="${open ? 'open' : ''} ${pinned ? 'pinned' : ''}" @click=${(event: MouseEvent) => this.onRowClick(event, key)}>
        <td role="cell" class="tick">
          <input type="checkbox" aria-label=${t('table.compareTick', { name })} .checked=${view.compare.includes(key)} @change=${() => this.tick(key)} />
        </td>
        <th role="rowheader" scope="row" class="name">
          <button type="button" class="row-open" aria-expanded=${open} aria-controls=${open ? `detail-${key}` : nothing} @click=${() => this.toggle(key)}>${name}</button>
          <span class="under">${this.under(row)}</span>
        </th>
        <td role="cell" class="fit" data-label=${t('col.fit')} title=${reasonText(row, this.store.units) || nothing}>${fitText(row, this.store.units)} ${memoryBar(row)}</td>
        ${columns.map((column) => this.cell(column, row, longest.get(column.key) ?? 0))}
      </tr>
      ${open
        ? html`<tr role="row" class="detail-row" id="detail-${key}">
            <td role="cell" colspan=${columns.length + 3}>
              ${detail({
                row,
                name,
                estimate: details.get(key),
                scenario: this.store.scenarioOf(row),
                index,
                units: this.store.units,
                wide: this.store.state.wide.get(key),
                quality: this.store.state.quality,
              })}
            </td>
          </tr>`
        : nothing}`;
  }

  private onRowClick(event: MouseEvent, key: string): void {
    if ((event.target as Element).closest('button, input, a, label')) return;
    if (getSelection()?.toString()) return; // copying, not opening
    this.toggle(key);
  }

  private onKey(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || !(event.target instanceof HTMLElement) || !event.target.matches('.row-open')) return;
    const all = [...this.querySelectorAll<HTMLElement>('.row-open')];
    const next = all[all.indexOf(event.target) + step];
    if (next) {
      event.preventDefault();
      next.focus();
    }
  }

  /** Where the rows on screen stand before the new answer, so that they can slide to their new places. */
  protected override willUpdate(_changed: PropertyValues): void {
    this.tops.clear();
    if (this.store.state.answer === this.shownAnswer || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    for (const row of this.querySelectorAll<HTMLElement>('tr[data-key]')) {
      const top = row.getBoundingClientRect().top;
      if (top > innerHeight) break;
      if (top > -60) this.tops.set(row.dataset['key'] ?? '', top);
    }
  }

  protected override updated(_changed: PropertyValues): void {
    const first = this.shownAnswer === null;
    this.shownAnswer = this.store.state.answer;
    if (first || this.tops.size === 0) return;
    for (const [key, top] of this.tops) {
      const row = this.querySelector<HTMLElement>(`tr[data-key="${CSS.escape(key)}"]`);
      const moved = row ? top - row.getBoundingClientRect().top : 0;
      if (row && Math.abs(moved) > 1 && Math.abs(moved) < 2 * innerHeight) {
        row.animate([{ transform: `translateY(${moved}px)` }, { transform: 'none' }], { duration: 180, easing: 'ease-out' });
      }
    }
  }

  override render() {
    const { answer, view, index, status } = this.store.state;
    const workload = answer?.scenario.workload ?? this.store.state.scenario.workload ?? 'chat';
    const columns = columnsFor(workload, this.store.gpuMode);
    const entries = this.entries();
    const shown = this.visible(entries, columns);
    const longest = new Map(
      columns.filter((column) => column.bar).map((column) => [column.key, Math.max(0, ...entries.map(({ row }) => (runs(row) ? (row[column.key]?.p90 ?? value(row, column.key) ?? 0) : 0)))]),
    );
    // Times, and the speeds of models from small to huge, span orders of magnitude: their bars end at three times the
    // median, longer ones are cut at the edge.
    for (const column of columns) {
      if (!column.bar || (column.best !== 'low' && !this.store.gpuMode)) continue;
      const sorted = entries.flatMap(({ row }) => value(row, column.key) ?? []).sort((a, b) => a - b);
      longest.set(column.key, 3 * (sorted[Math.floor(sorted.length / 2)] ?? 0));
    }
    const vendors = [...new Set(index?.gpus.map((gpu) => gpu.vendor))].sort();
    const segments = [...new Set(index?.gpus.map((gpu) => gpu.segment))];
    const gpuMode = this.store.gpuMode;
    const options = [
      { id: 'name', label: t(gpuMode ? 'col.model' : 'col.gpu') },
      { id: 'memory', label: t('col.fit') },
      ...columns.map((column) => ({ id: column.key as string, label: t(column.label) })),
    ];
    return html`
      <div class="filters" role="search">
        <input
          type="search"
          id="filter"
          aria-label=${t('table.filter')}
          placeholder=${t('table.filterHint')}
          autocomplete="off"
          .value=${view.text}
          @input=${(event: InputEvent) => this.store.look({ text: (event.target as HTMLInputElement).value })}
        />
        <label class="check"><input type="checkbox" .checked=${view.fitOnly} @change=${() => this.store.look({ fitOnly: !view.fitOnly })} />${t('table.fitOnly')}</label>
        ${gpuMode
          ? nothing
          : html`<select aria-label=${t('table.vendor')} @change=${(event: Event) => this.store.look({ vendor: (event.target as HTMLSelectElement).value })}>
                <option value="" .selected=${view.vendor === ''}>${t('table.allVendors')}</option>
                ${vendors.map((vendor) => html`<option value=${vendor} .selected=${view.vendor === vendor}>${vendor}</option>`)}
              </select>
              <select aria-label=${t('table.segment')} @change=${(event: Event) => this.store.look({ segment: (event.target as HTMLSelectElement).value })}>
                <option value="" .selected=${view.segment === ''}>${t('table.allSegments')}</option>
                ${segments.map((segment) => html`<option value=${segment} .selected=${view.segment === segment}>${word('segment', segment)}</option>`)}
              </select>`}
        <select
          class="order"
          aria-label=${t('order.label')}
          @change=${(event: Event) => {
            const choice = (event.target as HTMLSelectElement).value;
            const by = rankBys.find((b) => b === choice);
            const best = columns.find((column) => column.key === choice)?.best;
            this.store.look(by ? { by, sort: null } : { sort: { key: choice, descending: best === 'high' } });
          }}
        >
          ${rankBys.map((by) => html`<option value=${by} .selected=${view.sort === null && view.by === by}>${t(by === 'value' && gpuMode ? 'order.largest' : `order.${by}`)}</option>`)}
          ${options.map((option) => html`<option value=${option.id} .selected=${view.sort?.key === option.id}>${t('order.column', { name: option.label })}</option>`)}
        </select>
        <span class="shown" role="status">${answer ? t('table.shown', { shown: integer(shown.length), all: integer(entries.length) }) : ''}</span>
      </div>
      <table role="table" class="rank w-${workload}" aria-rowcount=${entries.length + 1} aria-busy=${status === 'loading'} @keydown=${this.onKey}>
        <caption class="sr">${t(gpuMode ? 'table.captionModels' : 'table.caption')}</caption>
        <thead role="rowgroup">
          <tr role="row">
            <th scope="col" role="columnheader" class="tick"><span class="sr">${t('col.compare')}</span></th>
            ${this.head('name', gpuMode ? 'col.model' : 'col.gpu', false, 'name')} ${this.head('memory', 'col.fit', false, 'fit')}
            ${columns.map((column) => this.head(column.key, column.label, column.best === 'high', `q ${column.bar ? 'with-bar' : ''} ${column.wideOnly ? 'wide' : ''} c-${column.key}`))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          ${answer === null && status === 'loading'
            ? Array.from({ length: 14 }, () => html`<tr class="ghost" role="row"><td role="cell" colspan=${columns.length + 3}></td></tr>`)
            : repeat(shown, (entry) => entry.key, (entry) => this.row(entry, columns, longest))}
        </tbody>
      </table>
      ${answer && shown.length === 0
        ? html`<p class="empty">
            ${t('table.empty')}
            <button type="button" class="quiet boxed" @click=${() => this.store.look({ text: '', fitOnly: false, vendor: defaultView.vendor, segment: defaultView.segment })}>${t('table.clearFilters')}</button>
          </p>`
        : nothing}
    `;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'wg-table': RankTable;
  }
}
