import { html, nothing, type TemplateResult } from 'lit';
import { customElement } from 'lit/decorators.js';
import type { Pick, RankRow, Scenario } from '../generated/contract.js';
import { integer, money, number, tokens } from '../format.js';
import { parts, t, word } from '../i18n/index.js';
import { findRow, rowKey, runs, speedColumn } from '../state/columns.js';
import { PageElement } from './base.js';
import { quantityText, verdictMark } from './draw.js';
import { askedModelName, gpuName, lookup, modelSize, providerName, rowName, shortName, weightsName, weightsOf } from './names.js';
import type { PickTarget } from './question.js';

const pickNames = ['best_value', 'fastest', 'cheapest', 'smallest'] as const;
/** What somebody with a GPU looks for among the models that run on it. */
const modelPickNames = ['largest', 'fluent', 'newest', 'fastest'] as const;
type PickName = (typeof pickNames)[number] | (typeof modelPickNames)[number];
/** Faster than most people read. */
const fluentTokensPerS = 20;

/**
 * The answer in one sentence, its bold words being controls, and the four picks.
 * @summary The first thing a person reads.
 * @fires wg-pick - A searchable list is wanted; detail: { target, anchor }.
 */
@customElement('wg-answer')
export class AnswerView extends PageElement {
  private word(target: PickTarget, text: string): TemplateResult {
    const pick = (event: Event) =>
      this.dispatchEvent(new CustomEvent('wg-pick', { bubbles: true, detail: { target, anchor: event.currentTarget } }));
    return html`<button type="button" class="word" aria-haspopup="dialog" @click=${pick}>${text}</button>`;
  }

  private open(key: string): void {
    this.store.look({ open: key });
    this.dispatchEvent(new CustomEvent('wg-reveal', { bubbles: true, detail: key }));
  }

  private gpuLink(row: RankRow): TemplateResult {
    const { index } = this.store.state;
    return html`<button type="button" class="word plain" @click=${() => this.open(rowKey(row, this.store.gpuMode))}>${shortName(rowName(index, row, this.store.gpuMode))}</button>`;
  }

  private speedOf(row: RankRow): TemplateResult | string {
    const column = speedColumn(this.store.state.answer?.scenario.workload ?? 'chat');
    const quantity = row[column.key];
    // The word joiner keeps the comma on the line of the name before it.
    return quantity ? html`\u2060, ${quantityText(quantity, column.kind, this.store.units, { distance: row.distance })}` : '';
  }

  private question(): (string | TemplateResult)[] {
    const { scenario, answer, index } = this.store.state;
    const echo: Scenario = answer?.scenario ?? scenario;
    const workload = scenario.workload ?? 'chat';
    const size = (value: number | null | undefined) => (typeof value === 'number' ? tokens(value) : '…');
    const plain = (text: string) => html`<strong>${text}</strong>`;
    return parts<TemplateResult>(`answer.${workload}`, {
      model: this.word('model', askedModelName(index, scenario, echo) || '…'),
      weights: this.word('weights', weightsName(index, weightsOf(echo, scenario)) || t('question.unset')),
      context: this.word('context', size(scenario.context_tokens ?? echo.context_tokens)),
      users: plain(typeof echo.concurrency === 'number' ? integer(echo.concurrency) : '…'),
      method: plain(word('option', echo.training?.method ?? 'lora')),
      tokens: plain(size(echo.training?.tokens)),
      images: plain(typeof echo.vision?.images === 'number' ? number(echo.vision.images) : '…'),
      resolution: plain(typeof echo.vision?.resolution === 'number' ? `${integer(echo.vision.resolution)} px` : t('answer.nativeSize')),
      size: plain(workload === 'hpc' ? (typeof echo.hpc?.size === 'number' ? number(echo.hpc.size) : '…') : echo.image?.width && echo.image.height ? `${echo.image.width}×${echo.image.height}` : t('answer.nativeSize')),
      steps: plain(String(echo.image?.steps ?? t('answer.usualSteps'))),
      kernel: plain((echo.hpc?.kernel ?? '…').toUpperCase()),
    });
  }

  private sentence(): TemplateResult {
    const { scenario, answer, index } = this.store.state;
    if (!answer) return html`${t('app.loading')}`;
    const counts = answer.counts ?? {};
    const fits = counts.fits ?? 0;
    const all = counts.of ?? answer.rows.length;
    if (this.store.gpuMode) {
      const gpu = this.word('gpu', gpuName(index, scenario.gpu));
      const best = this.rowOf('largest');
      return html`${fits > 0 && best
        ? parts<TemplateResult | string>('answer.gpuMode', { gpu, fits: this.count(fits, all), model: this.gpuLink(best), speed: this.speedOf(best) })
        : parts<TemplateResult | string>('answer.gpuModeNone', { gpu, all: String(all) })}`;
    }
    const cheapest = answer.picks?.cheapest ? this.pickRow(answer.picks.cheapest) : undefined;
    const price = cheapest?.usd_per_hour;
    const pinned = scenario.gpu ? findRow(answer, scenario.gpu, false) : undefined;
    return html`${this.question()} <span class="arrow" aria-hidden="true">→</span><span class="sr">:</span>
      ${fits > 0 ? parts<TemplateResult | string>('answer.fits', { fits: this.count(fits, all) }) : t('answer.fitsNone', { all })}${fits > 0 ? '. ' : ' '}
      ${fits > 0
        ? cheapest && price
          ? parts<TemplateResult | string>('answer.cheapest', {
              gpu: this.gpuLink(cheapest),
              price: html`<strong>${money(price.value, this.store.units)}${t('unit.per_h')}</strong>`,
              speed: this.speedOf(cheapest),
            })
          : t('answer.noPrice')
        : nothing}
      ${pinned
        ? html`<span class="pinned">${parts<TemplateResult | string>('answer.onGpu', {
            gpu: this.word('gpu', shortName(rowName(index, pinned, false))),
            verdict: html`<strong data-verdict=${pinned.verdict ?? 'unknown'}>${word('verdict', pinned.verdict ?? 'unknown')}</strong>`,
            speed: this.speedOf(pinned),
          })}</span>`
        : nothing}`;
  }

  private count(fits: number, all: number): TemplateResult {
    return html`<strong>${t('answer.fitsCount', { fits: integer(fits), all: integer(all) })}</strong>`;
  }

  private pickRow(pick: Pick): RankRow | undefined {
    const { answer } = this.store.state;
    if (typeof pick.row === 'number') return answer?.rows[pick.row];
    return answer?.rows.find((row) => row.gpu === pick.gpu && (!pick.model || row.model === pick.model));
  }

  /** Why there is no pick: nothing fits, or what it compares is not known. */
  private noPick(name: PickName): string {
    if ((this.store.state.answer?.counts?.fits ?? 0) === 0) return t('pick.none');
    return name === 'cheapest' || name === 'best_value' ? t('value.noOffer') : t('value.unknown');
  }

  private rowOf(name: PickName): RankRow | undefined {
    const { answer, index } = this.store.state;
    if (!answer) return undefined;
    if (name !== 'largest' && name !== 'fluent' && name !== 'newest') {
      const pick = answer.picks?.[name];
      return pick ? this.pickRow(pick) : undefined;
    }
    const models = index ? lookup(index).models : undefined;
    const good = answer.rows.filter((row) => runs(row) && (name !== 'fluent' || (row.decode_tokens_per_s?.value ?? 0) >= fluentTokensPerS));
    const size = (row: RankRow) => modelSize(index, row.model);
    const release = (row: RankRow) => models?.get(row.model ?? '')?.release ?? '';
    return [...good].sort((a, b) => (name === 'newest' ? release(b).localeCompare(release(a)) : 0) || size(b) - size(a))[0];
  }

  private card(name: PickName): TemplateResult {
    const { answer, index } = this.store.state;
    const pick = name === 'largest' || name === 'fluent' || name === 'newest' ? null : answer?.picks?.[name];
    const row = this.rowOf(name);
    const gpuMode = this.store.gpuMode;
    if (!row) {
      return html`<li class="pick" data-pick=${name}><span class="pick-name">${t(`pick.${name}`)}</span><span class="pick-gpu absent">${answer ? this.noPick(name) : '…'}</span><span class="pick-line">&nbsp;</span></li>`;
    }
    const column = speedColumn(answer?.scenario.workload ?? 'chat');
    const title = shortName(rowName(index, row, gpuMode));
    return html`<li class="pick" data-pick=${name}>
      <button type="button" title=${pick?.why ?? nothing} @click=${() => this.open(rowKey(row, gpuMode))}>
        <span class="pick-name">${verdictMark(row.verdict ?? 'unknown')} ${t(`pick.${name}`)}</span>
        <span class="pick-gpu">${title}</span>
        <span class="pick-line"
          >${row[column.key] ? quantityText(row[column.key], column.kind, this.store.units, { interval: false, distance: row.distance }) : nothing}
          ${row.usd_per_hour ? html`<span class="pick-price">${money(row.usd_per_hour.value, this.store.units)}${t('unit.per_h')}</span>` : nothing}
          ${row.offer?.provider ? html`<span class="pick-from">${providerName(index, row.offer.provider)}</span>` : nothing}</span
        >
      </button>
    </li>`;
  }

  override render() {
    const { error, linkError, answer } = this.store.state;
    return html`
      <p class="sentence" id="answer" role="status" aria-label=${t('answer.label')} aria-busy=${answer === null}>${this.sentence()}</p>
      ${error || linkError
        ? html`<div class="problem" role="alert">
            <strong>${t('error.title')}.</strong>
            ${linkError ? t('error.link', { message: linkError }) : nothing}
            ${error ? html`${error.message} ${error.path ? html`<code>${error.path}</code>` : nothing}` : nothing}
            <button type="button" class="quiet" @click=${() => (linkError ? this.store.reset() : this.store.undo())}>${t(linkError ? 'error.defaults' : 'error.back')}</button>
          </div>`
        : nothing}
      <ul class="picks">
        ${(this.store.gpuMode ? modelPickNames : pickNames).map((name) => this.card(name))}
      </ul>
    `;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'wg-answer': AnswerView;
  }
}
