import { html, nothing, type TemplateResult } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import { askFull } from '../engine/full.js';
import { isError, type Answer } from '../engine/protocol.js';
import type { PastedAnswer, PastedMachine, PastedMeasurement, Scenario } from '../generated/contract.js';
import { number } from '../format.js';
import { moreText, moreWord } from '../i18n/more.js';
import { PageElement } from './base.js';

/**
 * What a tool printed, read: nvidia-smi and its like give the machine, benchmarks give rows beside our estimates.
 * @summary Paste a tool's output.
 */
@customElement('wg-paste')
export class Paste extends PageElement {
  @state() private answer: Answer<PastedAnswer> | null = null;
  @state() private problem = '';
  @state() private copied = false;

  private async read(text: string): Promise<void> {
    this.problem = '';
    this.answer = null;
    this.copied = false;
    if (text.trim() === '') return;
    try {
      this.answer = await askFull<PastedAnswer>('paste', { text, scenario: this.store.state.scenario });
    } catch (cause) {
      this.problem = moreText('pasteFailed', { reason: cause instanceof Error ? cause.message : String(cause) });
    }
  }

  private use(machine: PastedMachine): void {
    const { gpu: _gpu, gpus: _gpus, gpu_count: _count, parallelism: _parallelism, ...rest } = this.store.state.scenario;
    const scenario: Scenario = { ...rest, ...machine.scenario };
    if (rest.host && machine.scenario.host) scenario.host = { ...rest.host, ...machine.scenario.host };
    this.store.change(scenario);
  }

  private async copy(csv: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(csv);
      this.copied = true;
    } catch (cause) {
      this.problem = moreText('pasteFailed', { reason: cause instanceof Error ? cause.message : String(cause) });
    }
  }

  private machine(machine: PastedMachine): TemplateResult {
    const known = machine.cards.some((card) => card.gpu);
    return html`<ul>
        ${machine.cards.map((card) => html`<li>${card.count} × ${card.name}${card.gpu ? nothing : html` <span class="absent">${moreText('notInCatalog')}</span>`}</li>`)}
      </ul>
      ${known ? html`<button type="button" class="quiet boxed" @click=${() => this.use(machine)}>${moreText('useMachine')}</button>` : nothing}`;
  }

  private measurement(measurement: PastedMeasurement): TemplateResult {
    return html`<div class="scroll" tabindex="0" role="region" aria-label=${moreText('measuredBeside', { tool: measurement.tool })}>
        <table class="terms">
          <caption>${moreText('measuredBeside', { tool: measurement.tool })}</caption>
          <thead>
            <tr>
              <th scope="col">${moreText('what')}</th>
              <th scope="col" class="num">${moreText('measured')}</th>
              <th scope="col" class="num">${moreText('estimated')}</th>
              <th scope="col" class="num">${moreText('ratio')}</th>
            </tr>
          </thead>
          <tbody>
            ${measurement.rows.map(
              (row) => html`<tr>
                <th scope="row">${moreWord('metrics', row.metric) ?? row.metric} <span class="interval">${[row.gpu, row.model, row.precision, row.prompt_tokens, row.output_tokens].filter((part) => part && part !== '0').join(' · ')}</span></th>
                <td class="num">${number(row.value)} ${row.unit}</td>
                <td class="num">${row.estimate ? html`${number(row.estimate.value)} <span class="interval">${number(row.estimate.p10 ?? row.estimate.value)}–${number(row.estimate.p90 ?? row.estimate.value)}</span>` : html`<span class="absent">${row.reason ?? ''}</span>`}</td>
                <td class="num">${typeof row.ratio === 'number' ? number(row.ratio) : ''}</td>
              </tr>`,
            )}
          </tbody>
        </table>
      </div>
      <p class="interval">${moreText('contribute')}</p>
      <button type="button" class="quiet boxed" @click=${() => void this.copy(measurement.csv)}>${moreText(this.copied ? 'copied' : 'copyRows')}</button>`;
  }

  override render(): TemplateResult {
    const answer = this.answer;
    return html`<div class="bring">
      <div class="field">
        <label for="paste-text">${moreText('pasteLabel')}</label>
        <textarea id="paste-text" rows="4" spellcheck="false" @change=${(event: Event) => void this.read((event.target as HTMLTextAreaElement).value)}></textarea>
      </div>
      <div role="status">
        ${this.problem ? html`<p class="problem">${this.problem}</p>` : nothing} ${answer && isError(answer) ? html`<p class="problem">${moreText('notRecognised')}</p>` : nothing}
        ${answer && !isError(answer) && answer.machine ? this.machine(answer.machine) : nothing} ${answer && !isError(answer) && answer.measurement ? this.measurement(answer.measurement) : nothing}
      </div>
    </div>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'wg-paste': Paste;
  }
}
