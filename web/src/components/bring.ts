import { html, nothing, type TemplateResult } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import createImport from '../generated/core/whichgpu-import.js';
import wasmUrl from '../generated/core/whichgpu-import.wasm?url';
import type { CalcError, Scenario } from '../generated/contract.js';
import { parameters } from '../format.js';
import { t } from '../i18n/index.js';
import { PageElement } from './base.js';

interface Imported {
  readonly model: NonNullable<Scenario['custom_model']>;
  readonly precision: string | null;
  readonly assumptions: readonly string[];
  readonly params_total: number;
  readonly params_active: number;
  readonly kv_bytes_per_token_bf16: number;
  readonly error?: CalcError;
}

let opened: Promise<{ import_config(config: string, name: string): string }> | undefined;

/** The second module of the core, fetched when the first model is brought; tried again after a failure. */
async function importModule() {
  opened ??= createImport({ locateFile: () => new URL(wasmUrl, import.meta.url).href }) as Promise<{ import_config(config: string, name: string): string }>;
  opened.catch(() => (opened = undefined));
  return opened;
}

const hub = 'https://huggingface.co/';

/** "org/model" or an address of the Hub; null when it is neither. */
export function hubName(text: string): string | null {
  const path = text.trim().replace(/^https?:\/\/(www\.)?(huggingface\.co|hf\.co)\//, '').replace(/\/(tree|blob|resolve)\/.*$/, '').replace(/\/$/, '');
  return /^[\w.-]+\/[\w.-]+$/.test(path) ? path : null;
}

/**
 * A model that the catalog does not have, from its config.json: fetched from the Hub when asked, pasted or dropped.
 * @summary Bring a model of one's own.
 */
@customElement('wg-bring')
export class Bring extends PageElement {
  @state() private problem = '';
  @state() private busy = false;
  @state() private found: Imported | null = null;

  private async take(text: string, name: string): Promise<void> {
    this.problem = '';
    this.found = null;
    try {
      const module = await importModule();
      const answer = JSON.parse(module.import_config(text, name)) as Imported;
      if (answer.error) {
        this.problem = t('bring.refused', { path: answer.error.path ?? '', message: answer.error.message ?? '' });
        return;
      }
      this.found = answer;
      const { model: _model, precision: _precision, custom_model: _custom, ...rest } = this.store.state.scenario;
      const scenario: Scenario = { ...rest, custom_model: answer.model };
      if (answer.precision) scenario.precision = { weights: answer.precision };
      this.store.change(scenario);
    } catch (cause) {
      this.problem = t('bring.failed', { reason: cause instanceof Error ? cause.message : String(cause) });
    }
  }

  private async fetchFromHub(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const input = String(new FormData(event.currentTarget as HTMLFormElement).get('repo') ?? '');
    const repo = hubName(input);
    if (!repo) {
      this.problem = t('bring.noName', { text: input });
      return;
    }
    this.busy = true;
    try {
      const response = await fetch(`${hub}${repo}/resolve/main/config.json`, { credentials: 'omit', referrerPolicy: 'no-referrer' });
      if (response.status === 401 || response.status === 403) this.problem = t('bring.gated', { repo });
      else if (response.status === 404) this.problem = t('bring.missing', { repo });
      else if (!response.ok) this.problem = t('bring.failed', { reason: `HTTP ${response.status}` });
      else await this.take(await response.text(), repo.split('/')[1] ?? repo);
    } catch (cause) {
      console.info(`${repo} did not load`, cause);
      this.problem = t('bring.offline');
    } finally {
      this.busy = false;
    }
  }

  private async readFile(file: File | undefined): Promise<void> {
    if (file) await this.take(await file.text(), file.name.replace(/\.json$/, ''));
  }

  override render(): TemplateResult {
    return html`<div
      class="bring"
      @dragover=${(event: DragEvent) => event.preventDefault()}
      @drop=${(event: DragEvent) => {
        event.preventDefault();
        void this.readFile(event.dataTransfer?.files[0]);
      }}
    >
      <form class="field" @submit=${this.fetchFromHub}>
        <label for="bring-repo">${t('bring.repo')}</label>
        <div class="row"><input id="bring-repo" name="repo" autocomplete="off" spellcheck="false" placeholder="org/model" /><button class="quiet boxed" ?disabled=${this.busy}>${t('bring.fetch')}</button></div>
      </form>
      <div class="field">
        <label for="bring-text">${t('bring.paste')}</label>
        <textarea id="bring-text" rows="3" spellcheck="false" @change=${(event: Event) => {
          const text = (event.target as HTMLTextAreaElement).value.trim();
          if (text) void this.take(text, t('bring.pasted'));
        }}></textarea>
      </div>
      <div class="field">
        <label for="bring-file">${t('bring.file')}</label>
        <input id="bring-file" type="file" accept=".json,application/json" @change=${(event: Event) => void this.readFile((event.target as HTMLInputElement).files?.[0])} />
      </div>
      ${this.problem ? html`<p class="problem" role="alert">${this.problem}</p>` : nothing}
      ${this.found
        ? html`<div role="status">
            <p>${t('bring.found', { total: parameters(this.found.params_total), active: parameters(this.found.params_active), cache: String(Math.round(this.found.kv_bytes_per_token_bf16 / 1024)) })}</p>
            ${this.found.assumptions.length > 0 ? html`<p>${t('bring.assumed')}</p><ul>${this.found.assumptions.map((text) => html`<li>${text}</li>`)}</ul>` : nothing}
          </div>`
        : nothing}
    </div>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'wg-bring': Bring;
  }
}
