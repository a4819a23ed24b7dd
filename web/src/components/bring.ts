import { html, nothing, type TemplateResult } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import createImport from '../generated/core/whichgpu-import.js';
import wasmUrl from '../generated/core/whichgpu-import.wasm?url';
import type { CalcError, Scenario } from '../generated/contract.js';
import { number, parameters } from '../format.js';
import { say } from './bring-text.js';
import { LocalFile, NotThere, RemoteFile, sizeText, TextFile, Unreadable, type FileSource } from './file-source.js';
import { PageElement } from './base.js';

interface Share {
  readonly name: string;
  readonly bytes: number;
}

/** What the core says of files of weights; the form of `whichgpu inspect`. */
interface Inspected {
  readonly needed?: { readonly file: number; readonly bytes: number };
  readonly error?: CalcError;
  readonly kind: string;
  readonly model: NonNullable<Scenario['custom_model']> | null;
  readonly precision: string | null;
  readonly assumptions: readonly string[];
  readonly notes: readonly string[];
  readonly missing: readonly string[];
  readonly by_type: readonly Share[];
  readonly tensor_bytes: number | null;
  readonly vocabulary: number | null;
  readonly adapter: { readonly rank: number; readonly targets: readonly string[] } | null;
  readonly blobs: readonly { readonly role: string; readonly bytes: number }[];
  readonly params_total?: number;
  readonly params_active?: number;
  readonly kv_bytes_per_token_bf16?: number;
}

interface ImportModule {
  inspect_files(files: readonly { name: string; bytes: Uint8Array; file_bytes: number }[]): string;
}

let opened: Promise<ImportModule> | undefined;

/** The second module of the core, fetched when the first model is brought; tried again after a failure. */
async function importModule(): Promise<ImportModule> {
  opened ??= createImport({ locateFile: () => new URL(wasmUrl, import.meta.url).href }) as Promise<ImportModule>;
  opened.catch(() => (opened = undefined));
  return opened;
}

const hub = 'https://huggingface.co/';

/** "org/model" or an address of the Hub; null when it is neither. */
export function hubName(text: string): string | null {
  const path = text.trim().replace(/^https?:\/\/(www\.)?(huggingface\.co|hf\.co)\//, '').replace(/\/(tree|blob|resolve)\/.*$/, '').replace(/\/$/, '');
  return /^[\w.-]+\/[\w.-]+$/.test(path) ? path : null;
}

/** The address from which a file of weights is fetched; null when the text is no address of one. */
export function fileAddress(text: string): URL | null {
  const given = text.trim();
  if (!URL.canParse(given)) return null;
  const url = new URL(given);
  if (!/^https?:$/.test(url.protocol) || !/\.(gguf|safetensors|safetensors\.index\.json)$/i.test(url.pathname)) return null;
  if (/^(www\.)?(huggingface\.co|hf\.co)$/.test(url.hostname)) return new URL(url.pathname.replace(/^(\/[^/]+\/[^/]+)\/blob\//, '$1/resolve/'), hub);
  return url;
}

const firstRead = 1 << 20;
const mostParts = 64;

/**
 * A model that the catalog does not have, from its files: fetched from the Hub when asked, pasted, chosen or dropped. Of
 * files of weights only the headers are read.
 * @summary Bring a model of one's own.
 */
@customElement('wg-bring')
export class Bring extends PageElement {
  @state() private problem = '';
  @state() private busy = false;
  @state() private read = 0;
  @state() private found: Inspected | null = null;
  @state() private remarks: readonly string[] = [];

  /** Reads as much of the files as the core asks for; files that belong with them are looked for by `more`. */
  private async take(files: FileSource[], more: (found: Inspected) => Promise<FileSource[]> = () => Promise.resolve([])): Promise<void> {
    this.problem = '';
    this.found = null;
    this.remarks = [];
    this.read = 0;
    this.busy = true;
    try {
      const module = await importModule();
      const starts = await Promise.all(files.map((file) => file.start(firstRead)));
      let looked = false;
      for (;;) {
        const answer = JSON.parse(module.inspect_files(files.map((file, i) => ({ name: file.name, bytes: starts[i] ?? new Uint8Array(), file_bytes: file.size })))) as Inspected;
        if (answer.needed) {
          const { file: index, bytes } = answer.needed;
          const file = files[index];
          const held = starts[index]?.length ?? 0;
          if (!file) throw new Error(`no file ${index}`);
          const size = file.size;
          const start = await file.start(Math.max(bytes, 2 * held));
          // Nothing more came, and no size either with which the core could say what is cut off.
          if (start.length <= held && file.size === size) throw new Unreadable(say('cut', { size: sizeText(held) }));
          starts[index] = start;
          continue;
        }
        if (!answer.error && !looked) {
          looked = true;
          const others = await more(answer);
          if (others.length > 0) {
            files.push(...others);
            starts.push(...(await Promise.all(others.map((file) => file.start(firstRead)))));
            continue;
          }
        }
        this.remarks = files.map((file) => file.remark).filter((text) => text !== '');
        this.show(answer);
        return;
      }
    } catch (cause) {
      this.problem = cause instanceof Unreadable ? cause.message : say('failed', { reason: cause instanceof Error ? cause.message : String(cause) });
    } finally {
      for (const file of files) file.close();
      this.busy = false;
    }
  }

  private show(answer: Inspected): void {
    if (answer.error) {
      this.problem = say('refused', { path: answer.error.path ?? '', message: answer.error.message ?? '' });
      return;
    }
    this.found = answer;
    if (!answer.model) return;
    const { model: _model, precision: _precision, custom_model: _custom, ...rest } = this.store.state.scenario;
    const scenario: Scenario = { ...rest, custom_model: answer.model };
    if (answer.precision) scenario.precision = { weights: answer.precision };
    this.store.change(scenario);
  }

  private async fetchWanted(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const input = String(new FormData(event.currentTarget as HTMLFormElement).get('repo') ?? '');
    const address = fileAddress(input);
    if (address) {
      if (address.origin !== new URL(hub).origin) {
        this.problem = say('otherHost', { host: address.host });
        return;
      }
      const remote = (name: string) => new RemoteFile(new URL(name, address).href, (bytes) => (this.read = bytes));
      await this.take([remote(address.href)], async (found) => {
        if (found.kind === 'gguf') return found.missing.slice(0, mostParts).map(remote);
        if (found.kind !== 'safetensors' && found.kind !== 'safetensors-index') return [];
        // The configuration beside the weights knows what their shapes do not tell; the index what all shards take.
        const names = found.kind === 'safetensors' && found.missing.length > 0 ? ['config.json', 'model.safetensors.index.json'] : ['config.json'];
        const beside = await Promise.all(names.map((name) => this.whole(remote(name))));
        return beside.filter((file) => file !== null);
      });
      return;
    }
    const repo = hubName(input);
    if (!repo) {
      this.problem = say('noName', { text: input });
      return;
    }
    await this.fetchConfig(repo);
  }

  /** A small file, or null where there is none. */
  private async whole(file: RemoteFile): Promise<FileSource | null> {
    try {
      const start = await file.start(firstRead);
      const bytes = file.size > start.length ? await file.start(file.size) : start;
      return new TextFile(file.name, new TextDecoder().decode(bytes));
    } catch (cause) {
      if (cause instanceof NotThere) return null;
      throw cause;
    } finally {
      file.close();
    }
  }

  private async fetchConfig(repo: string): Promise<void> {
    this.busy = true;
    try {
      const response = await fetch(`${hub}${repo}/resolve/main/config.json`, { credentials: 'omit', referrerPolicy: 'no-referrer' });
      if (response.status === 401 || response.status === 403) this.problem = say('gated', { repo });
      else if (response.status === 404) this.problem = say('missing', { repo });
      else if (response.status === 429 || response.status === 503) this.problem = say('busy', { status: response.status });
      else if (!response.ok) this.problem = say('failed', { reason: `HTTP ${response.status}` });
      else await this.take([new TextFile(`${repo.split('/')[1] ?? repo}.json`, await response.text())]);
    } catch (cause) {
      console.info(`${repo} did not load`, cause);
      this.problem = say('offline');
    } finally {
      this.busy = false;
    }
  }

  private async readFiles(list: FileList | null | undefined): Promise<void> {
    if (list && list.length > 0) await this.take(Array.from(list, (file) => new LocalFile(file)));
  }

  private details(found: Inspected): readonly string[] {
    const size = sizeText(found.tensor_bytes ?? 0);
    const lines: string[] = [];
    if (found.adapter) lines.push(say('adapter', { rank: found.adapter.rank, targets: found.adapter.targets.join(', '), size }));
    else if (found.kind.endsWith('-projector')) lines.push(say('projector', { size }));
    else if (found.kind === 'ollama-manifest' && !found.model) lines.push(say('manifest', { blobs: found.blobs.map((blob) => `${blob.role} ${sizeText(blob.bytes)}`).join(', ') }));
    else if (found.kind === 'safetensors-index' && !found.model) lines.push(say('index', { size }));
    else if (found.by_type.length > 0) lines.push(say('stored', { size, types: found.by_type.slice(0, 6).map((type) => `${type.name} ${sizeText(type.bytes)}`).join(', ') }));
    if (found.model && found.tensor_bytes !== null && found.precision) lines.push(say('storedAs', { format: found.precision }));
    if (found.vocabulary !== null) lines.push(say('vocabulary', { count: number(found.vocabulary) }));
    if (found.missing.length > 0 && found.kind !== 'ollama-manifest') lines.push(say('parts', { files: found.missing.slice(0, 3).join(', ') + (found.missing.length > 3 ? ' …' : '') }));
    else if (!found.model && !found.adapter && ['gguf', 'safetensors'].includes(found.kind)) lines.push(say('noModel'));
    return [...lines, ...this.remarks];
  }

  override render(): TemplateResult {
    const found = this.found;
    const unsaid = found ? [...found.assumptions, ...found.notes] : [];
    return html`<div
      class="bring"
      @dragover=${(event: DragEvent) => event.preventDefault()}
      @drop=${(event: DragEvent) => {
        event.preventDefault();
        void this.readFiles(event.dataTransfer?.files);
      }}
    >
      <form class="field" @submit=${this.fetchWanted}>
        <label for="bring-repo">${say('repo')}</label>
        <div class="row"><input id="bring-repo" name="repo" autocomplete="off" spellcheck="false" placeholder="org/model" /><button class="quiet boxed" ?disabled=${this.busy}>${say('fetch')}</button></div>
      </form>
      <div class="field">
        <label for="bring-text">${say('paste')}</label>
        <textarea id="bring-text" rows="3" spellcheck="false" @change=${(event: Event) => {
          const text = (event.target as HTMLTextAreaElement).value.trim();
          if (text) void this.take([new TextFile(say('pasted'), text)]);
        }}></textarea>
      </div>
      <div class="field">
        <label for="bring-file">${say('file')}</label>
        <input id="bring-file" type="file" multiple @change=${(event: Event) => void this.readFiles((event.target as HTMLInputElement).files)} />
      </div>
      ${this.busy && this.read > 0 ? html`<p>${say('reading', { size: sizeText(this.read) })}</p>` : nothing}
      ${this.problem ? html`<p class="problem" role="alert">${this.problem}</p>` : nothing}
      ${found
        ? html`<div role="status">
            ${found.params_total !== undefined
              ? html`<p>${say('found', { total: parameters(found.params_total), active: parameters(found.params_active ?? 0), cache: String(Math.round((found.kv_bytes_per_token_bf16 ?? 0) / 1024)) })}</p>`
              : nothing}
            ${this.details(found).map((text) => html`<p>${text}</p>`)}
            ${unsaid.length > 0 ? html`<p>${say('assumed')}</p><ul>${unsaid.map((text) => html`<li>${text}</li>`)}</ul>` : nothing}
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
