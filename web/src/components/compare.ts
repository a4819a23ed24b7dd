import { html, nothing, type TemplateResult } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import { askFull } from '../engine/full.js';
import type { CompareAnswer, CompareReason, Estimate, Quantity } from '../generated/contract.js';
import { isError } from '../engine/protocol.js';
import { kindOf, number, parameters } from '../format.js';
import { isMessageKey, t, word } from '../i18n/index.js';
import { moreText, moreWord } from '../i18n/more.js';
import { findRow } from '../state/columns.js';
import { PageElement } from './base.js';
import { memoryBar, quantityText, verdictMark } from './draw.js';
import { rowName, shortName } from './names.js';

/** For these a smaller number is the better one. */
const lowIsBest = /^(per_gpu_gib|ttft_s|tpot_s|latency_s|step_s|hours|gpu_hours|seconds_per_image|usd_|joules|kwh|kg_|average_w)/;

function quantitiesOf(estimate: Estimate): ReadonlyMap<string, Quantity> {
  const found = new Map<string, Quantity>();
  const sections = [estimate.memory, estimate.speed, estimate.training, estimate.vision, estimate.image_generation, estimate.hpc, estimate.cost, estimate.energy];
  for (const section of sections) {
    for (const [key, value] of Object.entries(section ?? {})) {
      const quantity: unknown = value;
      if (typeof quantity === 'object' && quantity !== null && 'value' in quantity && typeof quantity.value === 'number' && isMessageKey(`quantity.${key}`)) {
        found.set(key, quantity as Quantity);
      }
    }
  }
  return found;
}

/**
 * Two to four rows side by side: every quantity with its interval, and how many times the first one's it is.
 * @summary The comparison of ticked rows.
 */
@customElement('wg-compare')
export class CompareView extends PageElement {
  @state() private reasons: CompareAnswer | null = null;
  private asked = '';

  /** When to choose which, from walking the usual workloads: asked of the whole core, which comes with this view. */
  private async ask(gpus: readonly string[]): Promise<void> {
    this.asked = gpus.join(' ');
    this.reasons = null;
    if (new Set(gpus).size !== gpus.length || gpus.length < 2) return;
    const key = this.asked;
    try {
      const answer = await askFull<CompareAnswer>('compare', { gpus });
      if (this.asked === key && !isError(answer)) this.reasons = answer;
    } catch (cause) {
      console.info('the reasons to choose did not load', cause); // the table above stands without them
    }
  }

  private reason(reason: CompareReason): string {
    const what = moreWord('workloads', reason.workload ?? '') ?? reason.workload ?? '';
    const times = number(reason.margin ?? 1);
    if (reason.code === 'only') return moreText('only', { what });
    if (reason.code === 'faster') return moreText('faster', { what, times });
    if (reason.code === 'cheaper') return moreText('cheaper', { what, times });
    const amount = reason.axis === 'model_parameters' ? parameters : number;
    const values = { what, by: moreWord('by', reason.by ?? '') ?? '', axis: moreWord('axes', reason.axis ?? '') ?? '', limit: amount(reason.from ?? reason.to ?? 0), to: amount(reason.to ?? 0) };
    if (!values.axis) return reason.text ?? '';
    return typeof reason.from === 'number' && typeof reason.to === 'number' ? moreText('between', values) : moreText(typeof reason.from === 'number' ? 'from' : 'below', values);
  }

  private choose(): TemplateResult | typeof nothing {
    const answer = this.reasons;
    if (!answer) return nothing;
    return html`<p class="interval">${moreText('chooseLead', { date: answer.as_of ?? '' })}</p>
      <div class="choose">
        ${answer.sides.map((side, at) => {
          const reasons = answer.choose?.[at] ?? [];
          return html`<section>
            <h3>${moreText('chooseWhen', { name: side.name ?? side.gpu })}</h3>
            ${reasons.length > 0 ? html`<ul>${reasons.map((reason) => html`<li>${this.reason(reason)}</li>`)}</ul>` : html`<p class="absent">${moreText('nothing')}</p>`}
          </section>`;
        })}
      </div>`;
  }

  override render(): TemplateResult {
    const { view, answer, details, index } = this.store.state;
    const gpuMode = this.store.gpuMode;
    const columns = view.compare.flatMap((key) => {
      const row = findRow(answer, key, gpuMode);
      if (!row) return [];
      const estimate = details.get(key);
      return [{ key, row, name: shortName(rowName(index, row, gpuMode)), quantities: estimate && !isError(estimate) ? quantitiesOf(estimate) : new Map<string, Quantity>() }];
    });
    const keys = [...new Set(columns.flatMap((column) => [...column.quantities.keys()]))];
    const base = columns[0];
    const gpus = gpuMode ? [] : columns.map((column) => column.row.gpu ?? '');
    if (gpus.join(' ') !== this.asked) void this.ask(gpus);
    return html`<section class="compare">
      <header>
        <h2 id="compare-title" tabindex="-1">${t('compare.title')}</h2>
        <button type="button" class="quiet boxed" @click=${() => this.store.look({ comparing: false })}>${t('compare.close')}</button>
      </header>
      <div class="scroll" tabindex="0" role="region" aria-labelledby="compare-title">
        <table>
          <thead>
            <tr>
              <th scope="col">${t('compare.what')}</th>
              ${columns.map(
                ({ row, name }) => html`<th scope="col">
                  ${name}
                  <span class="verdict" data-verdict=${row.verdict ?? 'unknown'}>${verdictMark(row.verdict ?? 'unknown')}<span class="verdict-word">${word('verdict', row.verdict ?? 'unknown')}</span></span>
                  ${memoryBar(row)}
                </th>`,
              )}
            </tr>
          </thead>
          <tbody>
            ${keys.map((key) => {
              const values = columns.map((column) => column.quantities.get(key));
              const known = values.flatMap((q) => (q ? [q.value] : []));
              const best = lowIsBest.test(key) ? Math.min(...known) : Math.max(...known);
              const first = values[0]?.value;
              return html`<tr>
                <th scope="row">${word('quantity', key)}</th>
                ${values.map((quantity, at) => {
                  const leads = quantity !== undefined && known.length > 1 && quantity.value === best && new Set(known).size > 1;
                  return html`<td class=${leads ? 'best' : ''}>
                    ${quantityText(quantity, kindOf(key), this.store.units)}
                    ${at > 0 && quantity && first ? html`<span class="ratio">${t('compare.ratio', { ratio: number(quantity.value / first), name: base?.name ?? '' })}</span>` : nothing}
                    ${leads ? html`<span class="sr">, ${t('compare.best')}</span>` : nothing}
                  </td>`;
                })}
              </tr>`;
            })}
          </tbody>
        </table>
      </div>
      ${this.choose()}
    </section>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'wg-compare': CompareView;
  }
}
