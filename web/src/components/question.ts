import { html, nothing } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import { t, word, type MessageKey } from '../i18n/index.js';
import type { Scenario } from '../generated/contract.js';
import { fieldsFor, type Field } from '../state/fields.js';
import { changeWorkload, defaultScenario, set, workloads } from '../state/scenario.js';
import { PageElement } from './base.js';
import { fieldControl } from './field.js';
import { askedModelName, gpuName, weightsName, weightsOf } from './names.js';

export type PickTarget = 'model' | 'gpu' | 'weights' | 'context' | 'workload' | 'all';

/** Common questions, each a whole scenario. */
export const presets: readonly { readonly label: MessageKey; readonly scenario: Scenario }[] = [
  { label: 'preset.home70b', scenario: { version: 1, workload: 'chat', model: 'llama-3.1-70b', precision: { weights: 'gguf-q4_k_m' } } },
  { label: 'preset.serve50', scenario: { version: 1, workload: 'serving', model: 'llama-3.1-8b', concurrency: 50 } },
  { label: 'preset.finetune', scenario: { version: 1, workload: 'finetune', model: 'llama-3.1-8b', training: { method: 'lora' } } },
  { label: 'preset.sdxl', scenario: { version: 1, workload: 'image-generation', model: 'sdxl-1.0' } },
  { label: 'preset.a6000', scenario: { version: 1, workload: 'chat', gpu: 'nvidia-rtx-a6000' } },
];

/**
 * The question's controls. What is left open shows the core's choice in grey, from the answer's echo.
 * @summary The rail with everything that can be asked.
 * @fires wg-pick - A searchable list is wanted; detail: { target, anchor }.
 */
@customElement('wg-question')
export class Question extends PageElement {
  /** The door for one's own model is loaded when it is first opened. */
  @state() private bring = false;
  @state() private paste = false;

  private pick(target: PickTarget, event: Event): void {
    this.dispatchEvent(new CustomEvent('wg-pick', { bubbles: true, detail: { target, anchor: event.currentTarget } }));
  }

  private change(path: string, value: unknown): void {
    this.store.change(set(this.store.state.scenario, path, value));
  }

  private chooser(label: MessageKey, target: PickTarget, text: string, id: string, open = false) {
    return html`<div class="field">
      <span class="label" id="${id}-label">${t(label)}</span>
      <button type="button" class="chooser ${open ? 'open' : ''}" id=${id} aria-haspopup="dialog" aria-labelledby="${id}-label ${id}" @click=${(event: Event) => this.pick(target, event)}>
        ${text}
      </button>
    </div>`;
  }

  override render() {
    const { scenario, answer, index } = this.store.state;
    const workload = scenario.workload ?? 'chat';
    const gpuMode = this.store.gpuMode;
    const echo = answer?.scenario;
    const list = fieldsFor(workload, scenario);
    const group = (name: Field['group'], more: boolean) => list.filter((field) => field.group === name && Boolean(field.more) === more);
    const hasModel = workload !== 'hpc';
    const inference = ['chat', 'serving', 'rag'].includes(workload);
    const engineAsked = scenario.engine ?? null;
    const folded = list.filter((field) => field.more);
    return html`
      <h2 class="sr">${t('question.title')}</h2>
      <div class="workloads" role="group" aria-label=${t('question.title')}>
        ${workloads.map(
          (id) =>
            html`<button type="button" aria-pressed=${id === workload} @click=${() => id !== workload && this.store.change(changeWorkload(scenario, id, index))}>${word('workload', id)}</button>`,
        )}
      </div>
      ${workload === 'chat'
        ? html`<div class="switch" role="group" aria-label=${t('question.by')}>
            <button type="button" aria-pressed=${!gpuMode} @click=${() => gpuMode && this.store.change({ ...defaultScenario })}>${t('question.byModel')}</button>
            <button type="button" aria-pressed=${gpuMode} @click=${() => !gpuMode && this.store.change({ version: 1, workload: 'chat', gpu: scenario.gpu ?? 'nvidia-rtx-4090' })}>
              ${t('question.byGpu')}
            </button>
          </div>`
        : nothing}
      <fieldset>
        <legend>${t('group.model')}</legend>
        ${gpuMode ? this.chooser('field.gpu', 'gpu', gpuName(index, scenario.gpu), 'choose-gpu') : nothing}
        ${hasModel && !gpuMode ? this.chooser('field.model', 'model', askedModelName(index, scenario), 'choose-model') : nothing}
        ${hasModel && !gpuMode && ['chat', 'serving', 'rag', 'finetune', 'pretrain'].includes(workload)
          ? html`<details class="bring-own" @toggle=${(event: Event) => {
              if ((event.target as HTMLDetailsElement).open && !this.bring) void import('./bring.js').then(() => (this.bring = true));
            }}>
              <summary>${t('bring.title')}</summary>
              ${this.bring ? html`<wg-bring .store=${this.store}></wg-bring>` : nothing}
            </details>`
          : nothing}
        ${['chat', 'serving', 'rag', 'finetune', 'pretrain'].includes(workload)
          ? html`<details class="bring-own" @toggle=${(event: Event) => {
              if ((event.target as HTMLDetailsElement).open && !this.paste) void import('./paste.js').then(() => (this.paste = true));
            }}>
              <summary>${t('paste.title')}</summary>
              ${this.paste ? html`<wg-paste .store=${this.store}></wg-paste>` : nothing}
            </details>`
          : nothing}
        ${hasModel && !gpuMode && !['finetune', 'pretrain', 'vision-training'].includes(workload)
          ? this.chooser('field.weights', 'weights', weightsName(index, weightsOf(echo, scenario)) || t('question.unset'), 'choose-weights', !scenario.precision?.weights)
          : nothing}
        ${inference
          ? html`<div class="pair">
              <div class="field">
                <label for="field-engine">${t('field.engine')}</label>
                <select id="field-engine" class=${engineAsked ? '' : 'open'} @change=${(event: Event) => this.store.change(set(set(scenario, 'engine', (event.target as HTMLSelectElement).value), 'precision', undefined))}>
                  <option value="" .selected=${!engineAsked}>${index?.engines.find((e) => e.id === echo?.engine)?.name ?? t('question.unset')}</option>
                  ${(index?.engines ?? [])
                    .filter((engine) => !engine.purpose?.length || engine.purpose.includes('inference'))
                    .map((engine) => html`<option value=${engine.id} .selected=${engineAsked === engine.id}>${engine.name}</option>`)}
                </select>
              </div>
              <div class="field">
                <label for="field-kv">${t('field.kv')}</label>
                <select id="field-kv" class=${scenario.precision?.kv_cache ? '' : 'open'} @change=${(event: Event) => this.change('precision.kv_cache', (event.target as HTMLSelectElement).value)}>
                  <option value="" .selected=${!scenario.precision?.kv_cache}>${(echo?.precision?.kv_cache ?? t('question.unset')).toUpperCase()}</option>
                  ${['fp16', 'bf16', 'fp8', 'q8_0', 'q4_0'].map((id) => html`<option value=${id} .selected=${scenario.precision?.kv_cache === id}>${id.toUpperCase()}</option>`)}
                </select>
              </div>
            </div>`
          : nothing}
      </fieldset>
      <fieldset>
        <legend>${t('group.sizes')}</legend>
        <div class="pair">${group('sizes', false).map((field) => fieldControl(this.store, field))}</div>
      </fieldset>
      <fieldset>
        <legend>${t('group.hardware')}</legend>
        <div class="pair">${group('hardware', false).map((field) => fieldControl(this.store, field))}</div>
        ${gpuMode
          ? nothing
          : html`<div class="with-clear">
              ${this.chooser('field.pinnedGpu', 'gpu', scenario.gpu ? gpuName(index, scenario.gpu) : t('question.anyGpu'), 'choose-gpu', !scenario.gpu)}
              ${scenario.gpu ? html`<button type="button" class="quiet" @click=${() => this.change('gpu', undefined)}>${t('question.clear')}</button>` : nothing}
            </div>`}
      </fieldset>
      <fieldset>
        <legend>${t('group.money')}</legend>
        <div class="pair">${group('money', false).map((field) => fieldControl(this.store, field))}</div>
      </fieldset>
      ${folded.length > 0
        ? html`<details class="more">
            <summary>${t('question.more')}</summary>
            ${(['sizes', 'hardware', 'money', 'own', 'limits', 'host'] as const).map((name) => {
              const own = group(name, true);
              return own.length === 0
                ? nothing
                : html`<fieldset>
                    <legend>${t(`group.${name}`)}</legend>
                    <div class="pair">${own.map((field) => fieldControl(this.store, field))}</div>
                  </fieldset>`;
            })}
          </details>`
        : nothing}
      <div class="presets">
        <h3>${t('question.presets')}</h3>
        <ul>
          ${presets.map((preset) => html`<li><button type="button" class="quiet" @click=${() => this.store.change(preset.scenario)}>${t(preset.label)}</button></li>`)}
        </ul>
      </div>
      <div class="rail-foot">
        <button type="button" class="quiet" @click=${() => this.store.undo()}>${t('history.undo')}</button>
        <button type="button" class="quiet" @click=${() => this.store.redo()}>${t('history.redo')}</button>
        <button type="button" class="quiet" @click=${() => this.store.reset()}>${t('question.reset')}</button>
      </div>
    `;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'wg-question': Question;
  }
}
