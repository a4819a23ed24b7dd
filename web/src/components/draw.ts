import { html, nothing, svg, type TemplateResult } from 'lit';
import { Directive, directive, PartType, type ElementPart, type PartInfo } from 'lit/directive.js';
import type { Quantity, RankRow, Verdict } from '../generated/contract.js';
import { memory, show, spoken, type Kind, type Units } from '../format.js';
import { t, word } from '../i18n/index.js';

class CustomProperties extends Directive {
  constructor(info: PartInfo) {
    super(info);
    if (info.type !== PartType.ELEMENT) throw new Error('properties() belongs on an element');
  }
  override render(_values: Readonly<Record<string, string>>) {
    return nothing;
  }
  override update(part: ElementPart, [values]: [Readonly<Record<string, string>>]) {
    for (const [name, value] of Object.entries(values)) (part.element as HTMLElement).style.setProperty(name, value);
    return nothing;
  }
}
/** Sets custom properties by script: the page's policy forbids style attributes in markup. */
export const properties = directive(CustomProperties);

/** The four verdicts differ by shape and word, not by colour alone. */
export function verdictMark(verdict: Verdict): TemplateResult {
  const shape = {
    fits: svg`<circle cx="5" cy="5" r="4" />`,
    tight: svg`<circle class="ring" cx="5" cy="5" r="3.5" /><path d="M5 1a4 4 0 0 0 0 8z" />`,
    offload: svg`<path d="M5 .8 9.2 5 5 9.2.8 5z" />`,
    does_not_fit: svg`<path class="stroke" d="m1.8 1.8 6.4 6.4m0-6.4L1.8 8.2" />`,
    unsupported: svg`<circle class="ring" cx="5" cy="5" r="3.6" /><path class="stroke" d="m2.6 7.4 4.8-4.8" />`,
    unknown: svg`<circle class="ring dashed" cx="5" cy="5" r="3.6" />`,
  }[verdict];
  return html`<svg class="mark" data-verdict=${verdict} viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">${shape}</svg>`;
}

/** Memory needed against a card's capacity. What does not fit is hatched beyond the capacity's tick. */
export function memoryBar(row: Pick<RankRow, 'per_gpu_gib' | 'capacity_gib' | 'verdict'>): TemplateResult {
  const used = row.per_gpu_gib ?? 0;
  const capacity = row.capacity_gib ?? 0;
  const scale = Math.max(used, capacity);
  const x = (gib: number) => (scale > 0 ? (100 * gib) / scale : 0);
  return html`<svg class="bar" data-verdict=${row.verdict ?? 'unknown'} viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
    <rect class="free" width=${x(capacity)} height="6" />
    <rect class="used" width=${x(Math.min(used, capacity))} height="6" />
    ${used > capacity ? svg`<rect class="over" x=${x(capacity)} width=${100 - x(capacity)} height="6" /><rect class="edge" x=${Math.min(99.2, x(capacity))} width="0.8" height="6" />` : nothing}
  </svg>`;
}

/** A bar from zero with a whisker from p10 to p90, on the scale of the whole column. */
export function whiskerBar(quantity: Quantity, longest: number): TemplateResult {
  const x = (value: number) => Math.min(100, longest > 0 ? (100 * value) / longest : 0);
  const { value, p10, p90 } = quantity;
  return html`<svg class="bar speed" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
    <rect class="value" y="1.5" width=${x(value)} height="3" />
    ${typeof p10 === 'number' && typeof p90 === 'number'
      ? svg`<path class="whisker" vector-effect="non-scaling-stroke" d="M${x(p10)} 3H${x(p90)}M${x(p10)} 0.5V5.5M${x(p90)} 0.5V5.5" />`
      : nothing}
  </svg>`;
}

/** Why a row is a "no", with the nearest "yes"; in the reader's language where the numbers say it all. */
export function reasonText(row: RankRow, units: Units): string {
  const { per_gpu_gib: need, capacity_gib: has, min_gpu_count: count } = row;
  if (row.verdict !== 'does_not_fit' || typeof need !== 'number' || typeof has !== 'number') return row.reason ?? '';
  const needs = t('reason.needs', { need: memory(need, units), has: memory(has, units) });
  return count ? `${needs} ${t('reason.fitsOn', { count })}` : needs;
}

export interface Absent {
  readonly why: string;
}

/** Why a quantity is missing from a row, said plainly. */
export function whyAbsent(row: RankRow, key: string, units: Units): Absent {
  if (row.verdict === 'does_not_fit' || row.verdict === 'unsupported') return { why: reasonText(row, units) || t('value.notFit') };
  if (key.startsWith('usd') && !row.offer) return { why: t('value.noOffer') };
  return { why: row.reason ?? t('value.noEstimate') };
}

const marks: Readonly<Record<string, 'distance.same' | 'distance.near' | 'distance.far'>> = {
  same: 'distance.same',
  near: 'distance.near',
  far: 'distance.far',
};

/** A number with its unit and, in grey, its interval; "~" when extrapolated, a dot when measured on the same GPU. */
export function quantityText(
  quantity: Quantity | null | undefined,
  kind: Kind,
  units: Units,
  options: { readonly absent?: Absent; readonly distance?: string | null | undefined; readonly interval?: boolean } = {},
): TemplateResult {
  if (!quantity) {
    const why = options.absent?.why ?? t('value.unknown');
    return html`<span class="absent" title=${why}>${t('value.na')}<span class="sr">: ${why}</span></span>`;
  }
  const shown = show(quantity, kind, units);
  const mark = options.distance ? marks[options.distance] : undefined;
  const far = options.distance === 'far';
  return html`<span class="quantity" title=${spoken(quantity, kind, units) + (mark ? ` · ${t(mark)}` : '')}
    >${far ? html`<span class="about" aria-hidden="true">~</span>` : nothing}<span class="number">${shown.value}</span
    >${shown.unit.startsWith('/') || shown.unit === '' ? nothing : '\u00a0'}<span class="unit">${shown.unit}</span>${options.distance === 'same'
      ? html`<span class="dot" aria-hidden="true"></span>`
      : nothing}${options.interval !== false && shown.low !== null
      ? html` <span class="interval" aria-hidden="true">${shown.low}–${shown.high}</span>`
      : nothing}${mark ? html`<span class="sr">, ${t(mark)}</span>` : nothing}</span
  >`;
}

export function fitText(row: RankRow, units: Units): TemplateResult {
  const verdict = row.verdict ?? 'unknown';
  return html`<span class="verdict" data-verdict=${verdict}>${verdictMark(verdict)}<span class="verdict-word">${word('verdict', verdict)}</span></span>
    ${typeof row.per_gpu_gib === 'number' && typeof row.capacity_gib === 'number'
      ? html`<span class="amount">${t('value.of', { used: memory(row.per_gpu_gib, units, false), capacity: memory(row.capacity_gib, units) })}</span>`
      : nothing}`;
}

/** Colours of memory terms, in their drawing order; the words beside them carry the meaning. */
export const termShade = (index: number): string => `var(--term-${(index % 8) + 1})`;
