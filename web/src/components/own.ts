import { html, nothing, svg, type TemplateResult } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import type { OwnershipAnswer, OwnershipOffer, RankRow, Scenario } from '../generated/contract.js';
import { isError, type Answer } from '../engine/protocol.js';
import { integer, money, number } from '../format.js';
import { t, word } from '../i18n/index.js';
import { basisText, ownText } from '../i18n/own.js';
import { runs } from '../state/columns.js';
import { fieldsFor } from '../state/fields.js';
import { PageElement } from './base.js';
import { fieldControl } from './field.js';
import { gpuName, providerName } from './names.js';
import '../styles/own.css';

const width = 760;
const height = 320;
const left = 64;
const right = 16;
const top = 22;
const bottom = 40;
const month = 730;
/**
 * Positions of the offers that are drawn (the table has them all): the two cheapest on demand, and the cheapest spot and
 * reserved ones; old prices only where there are no others.
 */
export function drawn(offers: readonly Pick<OwnershipOffer, 'kind' | 'stale'>[]): readonly number[] {
  const fresh = [...offers.keys()].filter((i) => !offers[i]?.stale);
  const all = fresh.length > 0 ? fresh : [...offers.keys()];
  const first = (pattern: RegExp, n: number) => all.filter((i) => pattern.test(offers[i]?.kind ?? '')).slice(0, n);
  return [...first(/^on-demand$/, 2), ...first(/^spot$/, 1), ...first(/^reserved/, 1)].sort((a, b) => a - b);
}

/** Round steps from 0 to `most`, at most six. */
export function ticks(most: number): readonly number[] {
  const rough = most / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((s) => s * power >= rough) ?? 10) * power;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}

/**
 * What a month costs owned and rented, by the hours of use, and where the lines cross. Loaded when first asked for.
 * @summary Rent or own, for the GPU that is looked at.
 */
@customElement('wg-own')
export class Own extends PageElement {
  @state() private view: Answer<OwnershipAnswer> | null = null;
  private askedFor = '';

  private subject(): RankRow | undefined {
    const { answer, view, scenario } = this.store.state;
    const wanted = view.open ?? scenario.gpu ?? answer?.picks?.best_value?.gpu;
    return answer?.rows.find((row) => row.gpu === wanted) ?? answer?.rows.find(runs);
  }

  override updated(): void {
    const subject = this.subject();
    if (!subject) return;
    const scenario = this.store.scenarioOf(subject);
    const key = JSON.stringify(scenario);
    if (key === this.askedFor) return;
    this.askedFor = key;
    void this.ask(scenario, key);
  }

  private async ask(scenario: Scenario, key: string): Promise<void> {
    const view = await this.store.ownership(scenario);
    if (this.askedFor === key) this.view = view;
  }

  private name(offer: OwnershipOffer): string {
    return providerName(this.store.state.index, offer.provider) + (offer.kind === 'on-demand' ? '' : `, ${word('option', offer.kind)}`);
  }

  private sentence(offer: OwnershipOffer): string {
    const hours = offer.hours_per_month ?? 0;
    const values = { provider: this.name(offer), price: money(offer.usd_per_hour, this.store.units), hours: number(hours), share: `${number((100 * hours) / month)}\u00a0%` };
    return ownText(offer.owning_pays === 'from' ? 'from' : offer.owning_pays === 'up-to' ? 'upTo' : offer.owning_pays === 'always' ? 'always' : 'never', values);
  }

  private pays(offer: OwnershipOffer): string {
    const hours = number(offer.hours_per_month ?? 0);
    switch (offer.owning_pays) {
      case 'from':
        return ownText('paysFrom', { hours });
      case 'up-to':
        return ownText('paysUpTo', { hours });
      case 'always':
        return ownText('paysAlways');
      case 'never':
        return ownText('paysNever');
      default:
        return t('value.unknown');
    }
  }

  /** The lines of owning and of the cheapest offers, with a dot where they cross. */
  private drawing(view: OwnershipAnswer): TemplateResult | typeof nothing {
    const { points, offers } = view;
    const units = this.store.units;
    const shown = drawn(offers).flatMap((i) => {
      const offer = offers[i];
      return offer ? [{ offer, usd: points.map((point) => point.offers_usd[i]) }] : [];
    });
    const last = points.at(-1);
    if (!last) return nothing;
    const most = Math.max(last.own_usd ?? 0, ...shown.map(({ usd }) => usd.at(-1) ?? 0)) * 1.08;
    if (!(most > 0)) return nothing;
    const x = (hours: number) => left + (hours / month) * (width - left - right);
    const y = (usd: number) => height - bottom - (usd / most) * (height - bottom - top);
    const path = (values: readonly (number | undefined)[]) => values.map((usd, i) => `${i === 0 ? 'M' : 'L'}${x(points[i]?.hours ?? 0).toFixed(1)} ${y(usd ?? 0).toFixed(1)}`).join('');
    // Names stand at the lines' ends, none over another.
    const ends: { at: number; name: string; own: boolean }[] = shown.map(({ offer, usd }) => ({ at: y(usd.at(-1) ?? 0), name: this.name(offer), own: false }));
    if (last.own_usd !== undefined) ends.push({ at: y(last.own_usd), name: ownText('own'), own: true });
    ends.sort((a, b) => b.at - a.at);
    ends.forEach((end, i) => (end.at = Math.min(end.at - 5, (ends[i - 1]?.at ?? height) - 13)));
    const said = shown.map(({ offer }) => this.sentence(offer)).join(' ');
    return html`<svg class="plot own-plot" viewBox="0 0 ${width} ${height}" role="img" aria-label="${ownText('plot')}. ${said}">
      ${ticks(most / units.usdPerUnit).map((tick) => {
        const at = y(tick * units.usdPerUnit);
        return svg`<line class="grid" x1=${left} x2=${width - right} y1=${at} y2=${at} /><text x=${left - 6} y=${at + 4} text-anchor="end">${number(tick)}</text>`;
      })}
      ${[0, 146, 292, 438, 584, month].map((tick) => svg`<line class="axis" x1=${x(tick)} x2=${x(tick)} y1=${height - bottom} y2=${height - bottom + 4} /><text x=${x(tick)} y=${height - bottom + 16} text-anchor="middle">${integer(tick)}</text>`)}
      <line class="axis" x1=${left} x2=${width - right} y1=${height - bottom} y2=${height - bottom} />
      <text x=${left} y=${top - 8}>${units.currency} ${ownText('axisY')}</text>
      <text x=${width - right} y=${height - 6} text-anchor="end">${ownText('axisX')}</text>
      ${shown.map(({ usd }) => svg`<path class="rent" d=${path(usd)} />`)}
      ${last.own_usd === undefined ? nothing : svg`<path class="line" d=${path(points.map((point) => point.own_usd))} />`}
      ${shown.map(({ offer }) => {
        const { hours_per_month: hours } = offer;
        const owned = view.owned;
        if (hours === undefined || !owned) return nothing;
        return svg`<circle class="point on" cx=${x(hours)} cy=${y(owned.idle_month_usd + (owned.power_usd_per_hour ?? 0) * hours)} r="4"><title>${this.sentence(offer)}</title></circle>`;
      })}
      ${ends.map((end) => svg`<text class="name ${end.own ? 'own' : ''}" x=${width - right - 4} y=${end.at} text-anchor="end">${end.name}</text>`)}
    </svg>`;
  }

  private offers(view: OwnershipAnswer): TemplateResult {
    const units = this.store.units;
    return html`<h3>${ownText('table')}</h3>
      <div class="scroll" tabindex="0" role="region" aria-label=${ownText('table')}>
        <table class="terms">
          <thead>
            <tr>
              <th scope="col">${ownText('provider')}</th>
              <th scope="col">${ownText('kind')}</th>
              <th scope="col" class="num">${ownText('price')}</th>
              <th scope="col">${ownText('pays')}</th>
              <th scope="col">${ownText('paid')}</th>
              <th scope="col">${ownText('date')}</th>
            </tr>
          </thead>
          <tbody>
            ${view.offers.map(
              (offer) =>
                html`<tr>
                  <th scope="row">${providerName(this.store.state.index, offer.provider)}</th>
                  <td>${word('option', offer.kind)}</td>
                  <td class="num">${money(offer.usd_per_hour, units)}${t('unit.per_h')}</td>
                  <td>${this.pays(offer)}</td>
                  <td>${offer.months === undefined ? (offer.owning_pays ? ownText('paidNever') : t('value.unknown')) : ownText('paidMonths', { n: number(offer.months) })}</td>
                  <td>${offer.price_date}${offer.stale ? html` <span class="stale">${ownText('old')}</span>` : nothing}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>`;
  }

  private pointsTable(view: OwnershipAnswer): TemplateResult {
    const units = this.store.units;
    const shown = drawn(view.offers);
    return html`<details>
      <summary>${ownText('points')}</summary>
      <div class="scroll" tabindex="0" role="region" aria-label=${ownText('points')}>
        <table class="terms">
          <thead>
            <tr>
              <th scope="col">${ownText('hours')}</th>
              ${view.owned ? html`<th scope="col" class="num">${ownText('own')}</th>` : nothing} ${shown.map((i) => view.offers[i]).map((offer) => (offer ? html`<th scope="col" class="num">${this.name(offer)}</th>` : nothing))}
            </tr>
          </thead>
          <tbody>
            ${view.points.map(
              (point) =>
                html`<tr>
                  <th scope="row">${integer(point.hours)}</th>
                  ${point.own_usd === undefined ? nothing : html`<td class="num">${money(point.own_usd, units)}</td>`} ${shown.map((i) => html`<td class="num">${money(point.offers_usd[i] ?? 0, units)}</td>`)}
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </details>`;
  }

  private body(view: OwnershipAnswer): TemplateResult {
    const { owned, offers, scenario } = view;
    const units = this.store.units;
    const best = offers.find((offer) => !offer.stale && offer.kind === 'on-demand') ?? offers[0];
    const values = owned && {
      idle: money(owned.idle_month_usd, units),
      hardware: `${money(owned.hardware_usd, units)} (${basisText(owned.price_basis)})`,
      life: integer(scenario.ownership?.lifetime_months ?? 0),
      power: money(owned.power_usd_per_hour ?? 0, units),
    };
    return html`
      <p class="lead" role="status">
        ${values ? ownText(owned.electricity_counted ? 'lead' : 'leadNoPower', values) : ownText('unknown')} ${best && values ? this.sentence(best) : nothing} ${offers.length === 0 ? ownText('noOffers') : nothing}
      </p>
      <figure>
        <figcaption><h3>${ownText('plot')}</h3></figcaption>
        <div class="scroll" tabindex="0" role="region" aria-label=${ownText('plot')}>${this.drawing(view)}</div>
        ${this.pointsTable(view)}
      </figure>
      ${offers.length > 0 ? this.offers(view) : nothing}
    `;
  }

  override render(): TemplateResult {
    const { index, scenario } = this.store.state;
    const subject = this.subject();
    const workload = scenario.workload ?? 'chat';
    const fields = fieldsFor(workload, scenario).filter((field) => field.group === 'own' || field.path === 'utilisation');
    const { view } = this;
    return html`<section class="plots own" aria-labelledby="own-title">
      <header>
        <h2 id="own-title">${ownText('title', { gpu: `${(subject?.gpu_count ?? 1) > 1 ? `${subject?.gpu_count} × ` : ''}${gpuName(index, subject?.gpu ?? null)}` })}</h2>
        <button type="button" class="quiet boxed" @click=${() => this.store.look({ own: false })}>${ownText('close')}</button>
      </header>
      <div class="own-fields" role="group" aria-label=${ownText('fields')}>${fields.map((field) => fieldControl(this.store, field, 'own'))}</div>
      ${view === null ? html`<p role="status">${t('detail.loading')}</p>` : isError(view) ? html`<p class="problem" role="alert">${view.error.message}</p>` : this.body(view)}
    </section>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'wg-own': Own;
  }
}
