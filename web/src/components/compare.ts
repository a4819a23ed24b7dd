import { html, nothing, type TemplateResult } from 'lit';
import { customElement } from 'lit/decorators.js';
import type { Estimate, Quantity } from '../generated/contract.js';
import { isError } from '../engine/protocol.js';
import { kindOf, number } from '../format.js';
import { isMessageKey, t, word } from '../i18n/index.js';
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
    </section>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'wg-compare': CompareView;
  }
}
