import { html, nothing, type TemplateResult } from 'lit';
import type { CalcError, Estimate, Quantity, RankRow, Scenario, Term } from '../generated/contract.js';
import type {} from './launch.js';
import type { QualityRow } from '../engine/evidence.js';
import { isError, type Answer, type CatalogIndex } from '../engine/protocol.js';
import { duration, integer, kindOf, memory, money, number, tokens, type Units } from '../format.js';
import { currentLanguage, isMessageKey, t, word } from '../i18n/index.js';
import { properties, quantityText, reasonText, termShade, verdictMark } from './draw.js';
import { providerName } from './names.js';

export interface DetailInput {
  readonly row: RankRow;
  readonly name: string;
  readonly estimate: Answer<Estimate> | undefined;
  readonly scenario: Scenario;
  readonly index: CatalogIndex | null;
  readonly units: Units;
  /** The same question with 16-bit weights. */
  readonly wide?: Estimate | undefined;
  /** Published quality by format; null: none was published, absent: not loaded. */
  readonly quality?: ReadonlyMap<string, readonly QualityRow[] | null>;
}

function termAmount(term: Term, units: Units): string {
  if (typeof term.gib === 'number') return memory(term.gib, units);
  if (typeof term.value === 'number' && term.unit === 's') {
    const { text, unit } = duration(term.value);
    return `${text}\u00a0${unit}`;
  }
  if (typeof term.value === 'number' && term.unit?.startsWith('USD')) return `${money(term.value, units)}${term.unit.slice(3)}`;
  if (typeof term.value === 'number') return `${number(term.value)}${term.unit ? `\u00a0${term.unit}` : ''}`;
  return t('value.unknown');
}

function termTable(caption: string, terms: readonly Term[], units: Units, swatches = false): TemplateResult {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}: ${t('detail.formula')}">
    <table class="terms">
      <thead>
        <tr>
          <th scope="col">${t('detail.term')}</th>
          <th scope="col" class="num">${t('detail.amount')}</th>
          <th scope="col">${t('detail.formula')}</th>
        </tr>
      </thead>
      <tbody>
        ${terms.map(
          (term, at) =>
            html`<tr>
              <th scope="row">${swatches ? html`<span class="swatch" ${properties({ '--shade': termShade(at) })}></span>` : nothing}${word('term', term.name)}</th>
              <td class="num">${termAmount(term, units)}</td>
              <td class="formula">${term.formula ?? ''}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Every quantity of a section as name and value, in the section's own order. */
function quantities(section: object & { readonly distance?: string | null }, units: Units): TemplateResult {
  const entries = Object.entries<unknown>({ ...section }).filter((entry): entry is [string, Quantity] => {
    const value = entry[1];
    return typeof value === 'object' && value !== null && 'value' in value && typeof value.value === 'number' && isMessageKey(`quantity.${entry[0]}`);
  });
  return html`<dl class="quantities">
    ${entries.map(
      ([key, quantity]) =>
        html`<div>
          <dt>${word('quantity', key)}</dt>
          <dd>${quantityText(quantity, kindOf(key), units, { distance: section.distance })}</dd>
        </div>`,
    )}
  </dl>`;
}

function memorySection(estimate: Estimate, units: Units): TemplateResult | typeof nothing {
  const section = estimate.memory;
  if (!section) return nothing;
  const terms = (section.terms ?? []).filter((term) => term.gib !== 0);
  const used = section.per_gpu_gib?.value ?? terms.reduce((sum, term) => sum + (term.gib ?? 0), 0);
  const capacity = section.capacity_gib ?? 0;
  const scale = Math.max(used, capacity, 1e-9);
  const limits = [
    ['detail.maxContext', section.max_context_tokens, tokens],
    ['detail.maxConcurrency', section.max_concurrency, integer],
    ['detail.maxBatch', section.max_batch, integer],
    ['detail.minGpus', section.min_gpu_count, integer],
  ] as const;
  return html`<section>
    <h4>${t('detail.memory')}</h4>
    <div class="memory-line">
      <span class="verdict" data-verdict=${section.verdict ?? 'unknown'}>${verdictMark(section.verdict ?? 'unknown')}<span class="verdict-word">${word('verdict', section.verdict ?? 'unknown')}</span></span>
      ${section.per_gpu_gib ? quantityText(section.per_gpu_gib, 'gib', units) : nothing}
      ${capacity > 0 ? html`<span class="interval">${t('value.of', { used: memory(used, units, false), capacity: memory(capacity, units) })}</span>` : nothing}
    </div>
    <div class="stack" role="img" aria-label=${t('detail.barLabel', { used: memory(used, units), capacity: memory(capacity, units) })}>
      ${terms.map((term, at) => html`<span class="part" title="${word('term', term.name)}: ${termAmount(term, units)}" ${properties({ '--share': `${(100 * (term.gib ?? 0)) / scale}%`, '--shade': termShade(at) })}></span>`)}
      ${capacity > 0 && capacity < used ? html`<span class="edge" ${properties({ '--at': `${(100 * capacity) / scale}%` })}></span>` : nothing}
    </div>
    ${termTable(t('detail.memory'), terms, units, true)}
    <dl class="quantities">
      ${limits.map(([label, value, text]) =>
        typeof value === 'number' && value > 0
          ? html`<div>
              <dt>${t(label)}</dt>
              <dd><span class="number">${text(value)}</span></dd>
            </div>`
          : nothing,
      )}
    </dl>
  </section>`;
}

function boundLine(bound: string | null | undefined): TemplateResult | typeof nothing {
  return bound && bound !== 'unknown' ? html`<p class="bound">${t('detail.bound', { what: word('bound', bound) })}</p>` : nothing;
}

function workSection(
  title: string,
  section: { readonly terms?: Term[]; readonly bound_by?: string | null; readonly distance?: string | null } | null | undefined,
  units: Units,
): TemplateResult | typeof nothing {
  if (!section) return nothing;
  const terms = section.terms ?? [];
  return html`<section>
    <h4>${title}</h4>
    ${quantities(section, units)} ${boundLine(section.bound_by)} ${terms.length > 0 ? termTable(title, terms, units) : nothing}
  </section>`;
}

function costSection(estimate: Estimate, input: DetailInput): TemplateResult | typeof nothing {
  const cost = estimate.cost;
  if (!cost) return nothing;
  const offer = cost.offer;
  return html`<section>
    <h4>${t('detail.cost')}</h4>
    ${offer
      ? html`<p class="offer">
          ${t('detail.offer', {
            provider: providerName(input.index, offer.provider),
            instance: offer.instance ?? t('value.unknown'),
            kind: word('option', offer.kind ?? 'on-demand'),
          })}${offer.region ? html` · ${offer.region}` : nothing}${offer.price_date ? html` · <time>${offer.price_date}</time>` : nothing}
          ${offer.stale ? html`<span class="stale">${t('value.stale', { date: offer.price_date ?? '' })}</span>` : nothing}
        </p>`
      : cost.usd_per_hour
        ? nothing
        : html`<p class="absent">${t('value.noOffer')}</p>`}
    ${quantities(cost, input.units)} ${cost.terms?.length ? termTable(t('detail.cost'), cost.terms, input.units) : nothing}
  </section>`;
}

const weightsOf = (estimate: Estimate | undefined): number | undefined => estimate?.memory?.terms?.find((term) => term.name === 'weights')?.gib ?? undefined;

const signed = (value: number): string => `${value > 0 ? '+' : ''}${number(value)}`;

/** The published figures of the row's own model first, then of others. */
function qualitySection(estimate: Estimate, input: DetailInput): TemplateResult | typeof nothing {
  const format = estimate.scenario?.precision?.weights;
  const published = format ? input.quality?.get(format) : undefined;
  if (!estimate.speed || published === undefined) return nothing;
  const model = estimate.scenario?.model;
  const rows = [...(published ?? [])].sort((a, b) => Number(b.model_id === model) - Number(a.model_id === model)).slice(0, 6);
  const own = weightsOf(estimate);
  const wide = weightsOf(input.wide);
  return html`<section class="evidence quality">
    <h4>${t('detail.quality')}</h4>
    ${own !== undefined && wide !== undefined && wide > own * 1.01
      ? html`<p>${t('detail.saves', { saved: memory(wide - own, input.units), own: memory(own, input.units), wide: memory(wide, input.units) })}</p>`
      : nothing}
    ${rows.length === 0
      ? html`<p class="absent">${t('detail.noQuality')}</p>`
      : html`<div class="scroll" tabindex="0" role="region" aria-label=${t('detail.quality')}>
          <table class="terms">
            <thead>
              <tr>
                <th scope="col">${t('detail.qualityModel')}</th>
                <th scope="col">${t('detail.qualityMetric')}</th>
                <th scope="col" class="num">${t('detail.qualityValue')}</th>
                <th scope="col" class="num">${t('detail.qualityChange')}</th>
                <th scope="col">${t('detail.source')}</th>
                <th scope="col">${t('detail.date')}</th>
              </tr>
            </thead>
            <tbody>
              ${rows.map(
                (row) =>
                  html`<tr>
                    <th scope="row">${row.model}</th>
                    <td>${row.metric.replaceAll('_', ' ')}</td>
                    <td class="num">${row.value === undefined ? t('value.unknown') : number(row.value)}</td>
                    <td class="num">
                      ${row.delta_pct !== undefined ? `${signed(row.delta_pct)} %` : row.delta !== undefined ? signed(row.delta) : t('value.unknown')}
                      ${row.baseline_format ? html`<span class="interval">${t('detail.qualityFrom', { format: row.baseline_format })}</span>` : nothing}
                    </td>
                    <td class="formula">${row.link ? html`<a href=${row.link} rel="noopener">${row.source}</a>` : (row.source ?? '')}${row.dataset ? ` · ${row.dataset}` : ''}</td>
                    <td>${row.date ?? ''}</td>
                  </tr>`,
              )}
            </tbody>
          </table>
        </div>`}
  </section>`;
}

const distanceOf = ({ speed, training, vision, image_generation: images, hpc }: Estimate): string =>
  (speed ?? training ?? vision ?? images ?? hpc)?.distance ?? 'far';

function evidenceSection(estimate: Estimate): TemplateResult {
  const rows = estimate.evidence ?? [];
  return html`<section class="evidence">
    <h4>${t('detail.evidence')}</h4>
    ${rows.length === 0
      ? html`<p>${t(distanceOf(estimate) === 'far' ? 'detail.noEvidence' : 'detail.evidenceElsewhere')} <a href="${currentLanguage() === 'es' ? 'es/' : ''}accuracy/">${t('nav.accuracy')}</a></p>`
      : html`<div class="scroll" tabindex="0" role="region" aria-label=${t('detail.evidence')}>
          <table class="terms">
            <thead>
              <tr>
                <th scope="col">${t('detail.near')}</th>
                <th scope="col" class="num">${t('detail.measured')}</th>
                <th scope="col" class="num">${t('detail.ratio')}</th>
                <th scope="col">${t('detail.source')}</th>
                <th scope="col">${t('detail.date')}</th>
              </tr>
            </thead>
            <tbody>
              ${rows.map(
                (row) =>
                  html`<tr>
                    <th scope="row">${row.distance === 'same' || row.distance === 'near' || row.distance === 'far' ? t(`distance.${row.distance}`) : row.id}</th>
                    <td class="num">${typeof row.value === 'number' ? number(row.value) : t('value.unknown')} ${row.unit ?? ''}</td>
                    <td class="num">${typeof row.ratio === 'number' ? number(row.ratio) : ''}</td>
                    <td class="formula">${[row.gpu, row.model, row.precision, row.software, row.conditions, row.source].filter(Boolean).join(' · ')}</td>
                    <td>${row.measured ?? ''}</td>
                  </tr>`,
              )}
            </tbody>
          </table>
        </div>`}
  </section>`;
}

/** The commands come with the whole core, which is fetched when somebody asks for them. */
function openLaunch(details: HTMLDetailsElement): void {
  const element = details.querySelector('wg-launch');
  if (!element) return;
  if (details.open) void import('./launch.js').then(() => (element.wanted = true));
  else element.wanted = false;
}

const errorText = (error: CalcError): TemplateResult => html`<p class="problem" role="alert">${error.message} ${error.path ? html`<code>${error.path}</code>` : nothing}</p>`;

/** What stands behind one row: terms, formulas with the values put in, cost lines, evidence. */
export function detail(input: DetailInput): TemplateResult {
  const { row, estimate, units } = input;
  if (!estimate) return html`<div class="detail loading" role="status">${t('detail.loading')}</div>`;
  if (isError(estimate)) return html`<div class="detail">${errorText(estimate.error)}</div>`;
  const reason = reasonText(row, units);
  return html`<div class="detail" role="region" aria-label=${t('detail.title', { name: input.name })}>
    ${reason ? html`<p class="reason" data-verdict=${row.verdict ?? 'unknown'}>${verdictMark(row.verdict ?? 'unknown')} ${reason}</p>` : nothing}
    <div class="detail-grid">
      ${memorySection(estimate, units)} ${workSection(t('detail.speed'), estimate.speed, units)} ${workSection(t('detail.training'), estimate.training, units)}
      ${workSection(t('detail.speed'), estimate.vision, units)} ${workSection(t('detail.speed'), estimate.image_generation, units)} ${workSection(t('detail.speed'), estimate.hpc, units)}
      ${costSection(estimate, input)}
      ${estimate.energy
        ? html`<section>
            <h4>${t('detail.energy')}</h4>
            ${quantities(estimate.energy, units)}
          </section>`
        : nothing}
      ${qualitySection(estimate, input)} ${evidenceSection(estimate)}
      ${estimate.warnings?.length
        ? html`<section class="warnings">
            <h4>${t('detail.warnings')}</h4>
            <ul>
              ${estimate.warnings.map((warning) => html`<li>${warning.message}</li>`)}
            </ul>
          </section>`
        : nothing}
      <section class="command">
        <h4>${t('detail.command')}</h4>
        ${estimate.speed || estimate.training
          ? html`<details class="run-it" @toggle=${(event: Event) => openLaunch(event.currentTarget as HTMLDetailsElement)}>
              <summary>${t('detail.runIt')}</summary>
              <wg-launch .scenario=${input.scenario}></wg-launch>
            </details>`
          : nothing}
        <pre tabindex="0">echo '${JSON.stringify(input.scenario)}' | whichgpu estimate</pre>
        <p class="facts"><a href="${currentLanguage() === 'es' ? 'es/' : ''}gpus/${row.gpu}/">${t('detail.facts')}</a></p>
      </section>
    </div>
  </div>`;
}
