import { html, nothing, svg, type TemplateResult } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import type { Estimate, Quantity, RankRow, Scenario } from '../generated/contract.js';
import { isError, type Answer } from '../engine/protocol.js';
import { download } from '../export.js';
import { money, number, show, tokens } from '../format.js';
import { t, type MessageKey } from '../i18n/index.js';
import { runs, speedColumn, value } from '../state/columns.js';
import { set } from '../state/scenario.js';
import { PageElement } from './base.js';
import { gpuName, shortName } from './names.js';

const height = 320;
const left = 56;
const right = 16;
const top = 16;
const bottom = 40;

type Scale = (value: number) => number;

function logScale(low: number, high: number, from: number, to: number): Scale {
  const span = Math.log(high) - Math.log(low) || 1;
  return (value) => from + ((Math.log(value) - Math.log(low)) / span) * (to - from);
}

/** 1, 2, 5 and their tenfolds inside the range. */
function logTicks(low: number, high: number): number[] {
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
    for (const step of [1, 2, 5]) {
      const tick = step * 10 ** power;
      if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push(tick);
    }
  }
  return ticks.length > 9 ? ticks.filter((tick) => /^1(e|0*$|\.)|^0?\.0*1$/.test(String(tick))) : ticks;
}

interface Point {
  readonly row: RankRow;
  readonly x: number;
  readonly y: number;
}

/** Those that no other point beats in both: cheaper (or as cheap) and better. */
export function front(points: readonly Point[], highIsBest: boolean): readonly Point[] {
  const sign = highIsBest ? 1 : -1;
  let best = -Infinity;
  return [...points]
    .sort((a, b) => a.x - b.x || sign * (b.y - a.y))
    .filter((point) => {
      if (sign * point.y <= best) return false;
      best = sign * point.y;
      return true;
    });
}

interface Curve {
  readonly id: string;
  readonly title: MessageKey;
  /** The question at one step of the curve. */
  readonly at: (base: Scenario, step: number) => Scenario;
  readonly steps: readonly number[];
  readonly label: (step: number) => string;
  readonly pick: (estimate: Estimate) => Quantity | null | undefined;
}

const curves: readonly (Curve & { readonly workloads: readonly string[] })[] = [
  {
    id: 'context',
    title: 'plots.context',
    workloads: ['chat', 'serving', 'rag'],
    at: (base, step) => set(set(base, 'context_tokens', step), 'prompt_tokens', step - (base.output_tokens ?? 256)),
    steps: [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072],
    label: tokens,
    pick: (estimate) => (runsEstimate(estimate) ? estimate.speed?.decode_tokens_per_s : null),
  },
  {
    id: 'users',
    title: 'plots.users',
    workloads: ['serving', 'rag'],
    at: (base, step) => set(base, 'concurrency', step),
    steps: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    label: number,
    pick: (estimate) => (runsEstimate(estimate) ? estimate.speed?.throughput_tokens_per_s : null),
  },
  {
    id: 'count',
    title: 'plots.count',
    workloads: ['finetune', 'pretrain', 'vision-training'],
    at: (base, step) => set(set(base, 'gpu_count', step), 'parallelism', undefined),
    steps: [1, 2, 4, 8, 16, 32, 64],
    label: number,
    pick: (estimate) => (runsEstimate(estimate) ? (estimate.training?.hours ?? estimate.vision?.hours) : null),
  },
];

const runsEstimate = (estimate: Estimate): boolean => ['fits', 'tight', 'offload'].includes(estimate.memory?.verdict ?? 'unknown');

interface Drawn {
  readonly step: number;
  readonly quantity: Quantity;
}

/**
 * Speed against rent with the front, and curves for the GPU being looked at. Loaded when first asked for.
 * @summary The plots, each with a table and a download.
 */
@customElement('wg-plots')
export class Plots extends PageElement {
  @state() private drawn: ReadonlyMap<string, readonly Drawn[]> = new Map();
  @state() private room = 960;
  private drawnFor = '';
  private observer: ResizeObserver | undefined;

  /** Drawings are as wide as they are shown, so that their text keeps its size. */
  override connectedCallback(): void {
    super.connectedCallback();
    this.observer = new ResizeObserver(([entry]) => {
      if (entry) this.room = Math.round(entry.contentRect.width);
    });
    this.observer.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.observer?.disconnect();
  }

  private get widths(): { readonly wide: number; readonly half: number } {
    return { wide: Math.max(300, this.room), half: Math.max(300, this.room >= 640 ? (this.room - 28) / 2 : this.room) };
  }

  /** The GPU that the curves are about: the open row's, the pinned one, else the best value. */
  private subject(): RankRow | undefined {
    const { answer, view, scenario } = this.store.state;
    const wanted = view.open ?? scenario.gpu ?? answer?.picks?.best_value?.gpu;
    const row = answer?.rows.find((r) => r.gpu === wanted);
    return row && runs(row) ? row : answer?.rows.find(runs);
  }

  override updated(): void {
    const subject = this.subject();
    if (!subject || this.store.gpuMode) return;
    const base = this.store.scenarioOf(subject);
    const key = JSON.stringify(base);
    if (key === this.drawnFor) return;
    this.drawnFor = key;
    void this.compute(base, key);
  }

  private async compute(base: Scenario, key: string): Promise<void> {
    const own = curves.filter((curve) => curve.workloads.includes(base.workload ?? 'chat'));
    const answers = await Promise.all(own.map((curve) => this.store.series(curve.steps.map((step) => curve.at(base, step)))));
    if (this.drawnFor !== key) return;
    this.drawn = new Map(
      own.map((curve, at) => [
        curve.id,
        (answers[at] ?? []).flatMap((answer: Answer<Estimate>, i): Drawn[] => {
          const quantity = isError(answer) ? null : curve.pick(answer);
          const step = curve.steps[i];
          return quantity && step !== undefined ? [{ step, quantity }] : [];
        }),
      ]),
    );
  }

  private figure(id: string, title: string, drawing: TemplateResult, table: TemplateResult, note: string, first = false): TemplateResult {
    return html`<figure class=${first ? 'first' : ''} id="plot-${id}">
      <figcaption>
        <h3>${title}</h3>
        ${(['SVG', 'PNG'] as const).map((kind) => html`<button type="button" class="quiet" aria-label=${t('plots.download', { kind: `${title} ${kind}` })} @click=${() => void this.save(id, kind)}>${kind}</button>`)}
      </figcaption>
      ${drawing}
      ${note ? html`<p class="plot-note">${note}</p>` : nothing}
      <details>
        <summary>${t('plots.asTable')}</summary>
        <div class="scroll" tabindex="0" role="region" aria-label=${title}>${table}</div>
      </details>
    </figure>`;
  }

  /** The drawing with the page's colours written in, so that it looks the same elsewhere. */
  private async save(id: string, kind: 'SVG' | 'PNG'): Promise<void> {
    const shown = this.querySelector<SVGSVGElement>(`#plot-${id} svg`);
    if (!shown) return;
    const copy = shown.cloneNode(true) as SVGSVGElement;
    const originals = shown.querySelectorAll('*');
    copy.querySelectorAll('*').forEach((element, at) => {
      const style = getComputedStyle(originals[at] as Element);
      for (const name of ['fill', 'stroke', 'stroke-width', 'opacity', 'font-family', 'font-size']) element.setAttribute(name, style.getPropertyValue(name));
    });
    copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    const width = shown.viewBox.baseVal.width;
    copy.setAttribute('width', String(width));
    copy.setAttribute('height', String(height));
    const paper = getComputedStyle(document.body).backgroundColor;
    const back = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
    for (const [name, text] of [['width', '100%'], ['height', '100%'], ['fill', paper]] as const) back.setAttribute(name, text);
    copy.prepend(back);
    const text = new XMLSerializer().serializeToString(copy);
    if (kind === 'SVG') {
      download(`whichgpu-${id}.svg`, 'image/svg+xml', text);
      return;
    }
    const image = new Image();
    image.src = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = 2 * width;
    canvas.height = 2 * height;
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(image.src);
    canvas.toBlob((blob) => blob && download(`whichgpu-${id}.png`, 'image/png', blob));
  }

  private axes(width: number, x: Scale, y: Scale, xTicks: readonly number[], yTicks: readonly number[], xText: (v: number) => string, yText: (v: number) => string, yTitle: string, xTitle: string) {
    return svg`
      ${yTicks.map((tick) => svg`<line class="grid" x1=${left} x2=${width - right} y1=${y(tick)} y2=${y(tick)} /><text x=${left - 6} y=${y(tick) + 4} text-anchor="end">${yText(tick)}</text>`)}
      ${xTicks.map((tick) => svg`<text x=${x(tick)} y=${height - bottom + 16} text-anchor="middle">${xText(tick)}</text><line class="axis" x1=${x(tick)} x2=${x(tick)} y1=${height - bottom} y2=${height - bottom + 4} />`)}
      <line class="axis" x1=${left} x2=${width - right} y1=${height - bottom} y2=${height - bottom} />
      <text x=${left} y=${top - 5}>${yTitle}</text>
      <text x=${width - right} y=${height - 6} text-anchor="end">${xTitle}</text>`;
  }

  private scatter(): TemplateResult | typeof nothing {
    const { answer, index } = this.store.state;
    const column = speedColumn(answer?.scenario.workload ?? 'chat');
    const points = (answer?.rows ?? []).filter(runs).flatMap((row): Point[] => {
      const x = value(row, 'usd_per_hour');
      const y = value(row, column.key);
      return x !== null && y !== null && x > 0 && y > 0 ? [{ row, x, y }] : [];
    });
    if (points.length < 2) return nothing;
    const width = this.widths.wide;
    const xs = points.map((p) => p.x);
    const ys = points.map((p) => p.y);
    const [x0, x1, y0, y1] = [Math.min(...xs) * 0.85, Math.max(...xs) * 1.2, Math.min(...ys) * 0.8, Math.max(...ys) * 1.25];
    const x = logScale(x0, x1, left, width - right);
    const y = logScale(y0, y1, height - bottom, top);
    const best = front(points, column.best === 'high');
    const ids = new Set(best.map((p) => p.row.gpu));
    const units = this.store.units;
    const unit = show({ value: y1 }, column.kind, units).unit;
    const names = best.map((p) => shortName(gpuName(index, p.row.gpu))).join(', ');
    // Names of the front are written where they do not cover one another.
    const placed: { x: number; y: number; w: number }[] = [];
    const labels = best.flatMap((p) => {
      const name = shortName(gpuName(index, p.row.gpu));
      const w = name.length * 6.1;
      const end = x(p.x) + 8 + w > width - right;
      const at = { x: end ? x(p.x) - 8 - w : x(p.x) + 8, y: y(p.y) + (column.best === 'high' ? -6 : 14), w };
      if (placed.some((o) => Math.abs(o.y - at.y) < 12 && at.x < o.x + o.w && o.x < at.x + w)) return [];
      placed.push(at);
      return [svg`<text class="name" x=${at.x} y=${at.y}>${name}</text>`];
    });
    const drawing = html`<svg class="plot" viewBox="0 0 ${width} ${height}" role="img" aria-label="${t('plots.scatter')}. ${t('plots.scatterText', { names })}">
      ${this.axes(width, x, y, logTicks(x0, x1), logTicks(y0, y1), (v) => money(v, units), (v) => show({ value: v }, column.kind, units).value, unit, t('plots.rent'))}
      <path class="front" d=${best.map((p, i) => `${i === 0 ? 'M' : 'L'}${x(p.x).toFixed(1)} ${y(p.y).toFixed(1)}`).join('')} />
      ${points.map((p) => svg`<circle class="point ${ids.has(p.row.gpu) ? 'on' : ''}" cx=${x(p.x)} cy=${y(p.y)} r="3.5"><title>${shortName(gpuName(index, p.row.gpu))}: ${show({ value: p.y }, column.kind, units).value} ${unit}, ${money(p.x, units)}${t('unit.per_h')}</title></circle>`)}
      ${labels}
    </svg>`;
    const table = html`<table class="terms">
      <thead>
        <tr><th scope="col">${t('col.gpu')}</th><th scope="col" class="num">${t('col.price')}</th><th scope="col" class="num">${t(column.label)}</th></tr>
      </thead>
      <tbody>
        ${[...points].sort((a, b) => a.x - b.x).map((p) => {
          const shown = show({ value: p.y }, column.kind, units);
          return html`<tr><th scope="row">${shortName(gpuName(index, p.row.gpu))}</th><td class="num">${money(p.x, units)}${t('unit.per_h')}</td><td class="num">${shown.value} ${shown.unit}</td></tr>`;
        })}
      </tbody>
    </table>`;
    return this.figure('scatter', t('plots.scatter'), drawing, table, t('plots.scatterText', { names }), true);
  }

  private curve(curve: Curve, subject: RankRow): TemplateResult | typeof nothing {
    const points = this.drawn.get(curve.id) ?? [];
    if (points.length < 2) return nothing;
    const kind = curve.id === 'count' ? 'hours' : 'rate';
    const units = this.store.units;
    const width = this.widths.half;
    const lows = points.map((p) => p.quantity.p10 ?? p.quantity.value);
    const highs = points.map((p) => p.quantity.p90 ?? p.quantity.value);
    const steps = points.map((p) => p.step);
    const x = logScale(Math.min(...steps), Math.max(...steps), left, width - right);
    const [y0, y1] = [Math.min(...lows) * 0.9, Math.max(...highs) * 1.1];
    const y = logScale(y0, y1, height - bottom, top);
    const unit = show({ value: points[0]?.quantity.value ?? 1 }, kind, units).unit;
    const line = points.map((p, i) => `${i === 0 ? 'M' : 'L'}${x(p.step).toFixed(1)} ${y(p.quantity.value).toFixed(1)}`).join('');
    const band = [...points.map((p, i) => `${i === 0 ? 'M' : 'L'}${x(p.step).toFixed(1)} ${y(lows[i] ?? 1).toFixed(1)}`), ...[...points.keys()].reverse().map((i) => `L${x(steps[i] ?? 1).toFixed(1)} ${y(highs[i] ?? 1).toFixed(1)}`)].join('') + 'Z';
    const name = gpuName(this.store.state.index, subject.gpu);
    const title = `${t(curve.title)} ${t('plots.of', { gpu: name })}`;
    const table = html`<table class="terms">
      <tbody>
        ${points.map((p) => {
          const shown = show(p.quantity, kind, units);
          return html`<tr><th scope="row">${curve.label(p.step)}</th><td class="num">${shown.value} ${shown.unit}</td><td class="num">${shown.low === null ? '' : `${shown.low}–${shown.high}`}</td></tr>`;
        })}
      </tbody>
    </table>`;
    const drawing = html`<svg class="plot" viewBox="0 0 ${width} ${height}" role="img" aria-label=${title}>
      ${this.axes(width, x, y, steps, logTicks(y0, y1), curve.label, (v) => show({ value: v }, kind, units).value + (kind === 'hours' ? ` ${show({ value: v }, kind, units).unit}` : ''), kind === 'hours' ? '' : unit, '')}
      <path class="band" d=${band} /><path class="line" d=${line} />
    </svg>`;
    return this.figure(curve.id, title, drawing, table, '');
  }

  override render() {
    const subject = this.subject();
    return html`<section class="plots" aria-labelledby="plots-title">
      <header><h2 id="plots-title">${t('plots.title')}</h2></header>
      <div class="plot-grid">${this.scatter()} ${subject && !this.store.gpuMode ? curves.map((curve) => this.curve(curve, subject)) : nothing}</div>
    </section>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'wg-plots': Plots;
  }
}
