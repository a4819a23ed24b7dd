import UFuzzy from '@leeoniya/ufuzzy';
import { html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import { t } from '../i18n/index.js';
import { properties } from './draw.js';

export interface Choice {
  readonly id: string;
  readonly label: string;
  readonly detail?: string;
  readonly group?: string;
  /** Everything else that people call it. */
  readonly aliases?: readonly string[];
}

export interface PickRequest {
  readonly title: string;
  readonly choices: readonly Choice[];
  readonly current?: string | null;
  /** The control that asked; the list opens beside it and focus returns to it. */
  readonly anchor?: Element | null;
  readonly text?: string;
}

// One typing error is forgiven inside a word; words may come in any order.
const fuzzy = new UFuzzy({ intraMode: 1, intraIns: 1, intraSub: 1, intraTrn: 1, intraDel: 1 });
const shownAtMost = 80;

/** The choices that answer to a text, best first; all of them for an empty one. */
export function search(choices: readonly Choice[], text: string): readonly Choice[] {
  const needle = text.trim();
  if (needle === '') return choices;
  const rank = (haystack: string[]): number[] => {
    const [matches, info, order] = fuzzy.search(haystack, needle, 1, 1000);
    if (!matches) return [];
    return order && info ? order.map((at) => info.idx[at] ?? -1) : [...matches];
  };
  const byName = rank(choices.map((choice) => choice.label));
  const byAlias = rank(choices.map((choice) => [choice.label, choice.id, ...(choice.aliases ?? [])].join(' · ')));
  const lower = needle.toLowerCase();
  const exact = choices.flatMap((choice, at) =>
    choice.label.toLowerCase() === lower || choice.aliases?.some((alias) => alias.toLowerCase() === lower) ? [at] : [],
  );
  return [...new Set([...exact, ...byName, ...byAlias])].flatMap((at) => choices[at] ?? []);
}

/**
 * One searchable list for every choice: a modal dialog beside its control, a bottom sheet on phones.
 * @summary Pick one of many by typing, arrows and Enter.
 */
@customElement('wg-picker')
export class Picker extends LitElement {
  @state() private request: PickRequest | null = null;
  @state() private text = '';
  @state() private active = 0;
  private resolve: ((id: string | null) => void) | null = null;

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  /** Opens the list; resolves to the id picked, or null. */
  async pick(request: PickRequest): Promise<string | null> {
    this.resolve?.(null);
    this.request = request;
    this.text = request.text ?? '';
    this.active = Math.max(0, this.found.findIndex((choice) => choice.id === request.current));
    const picked = new Promise<string | null>((resolve) => (this.resolve = resolve));
    await this.updateComplete;
    const dialog = this.dialog;
    if (!dialog.open) dialog.showModal();
    const input = this.querySelector('input');
    input?.focus();
    this.reveal('center');
    return picked;
  }

  private get dialog(): HTMLDialogElement {
    return this.querySelector('dialog') as HTMLDialogElement;
  }

  private get found(): readonly Choice[] {
    return this.request ? search(this.request.choices, this.text) : [];
  }

  private finish(id: string | null): void {
    const resolve = this.resolve;
    this.resolve = null;
    if (this.dialog.open) this.dialog.close();
    const anchor = this.request?.anchor;
    this.request = null;
    if (anchor instanceof HTMLElement && anchor.isConnected) anchor.focus();
    resolve?.(id);
  }

  private onKey(event: KeyboardEvent): void {
    const last = Math.min(this.found.length, shownAtMost) - 1;
    const go = { ArrowDown: this.active + 1, ArrowUp: this.active - 1, PageDown: this.active + 8, PageUp: this.active - 8 }[event.key];
    if (go !== undefined) {
      event.preventDefault();
      this.active = Math.max(0, Math.min(last, go));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      const choice = this.found[this.active];
      if (choice) this.finish(choice.id);
    }
  }

  protected override updated(changed: PropertyValues): void {
    if (changed.has('active')) this.reveal('nearest');
  }

  private reveal(block: ScrollLogicalPosition): void {
    this.querySelector('[aria-selected="true"]')?.scrollIntoView?.({ block });
  }

  private place(): Readonly<Record<string, string>> {
    const box = this.request?.anchor?.getBoundingClientRect();
    if (!box) return { '--picker-x': 'calc(50vw - 14rem)', '--picker-y': '12vh' };
    const x = Math.max(8, Math.min(box.left, innerWidth - 456));
    const below = innerHeight - box.bottom;
    const y = below > 380 ? box.bottom + 4 : Math.max(8, Math.min(box.bottom + 4, innerHeight - 460));
    return { '--picker-x': `${x}px`, '--picker-y': `${y}px` };
  }

  override render() {
    const { request } = this;
    const all = this.found;
    const shown = all.slice(0, shownAtMost);
    let group: string | undefined;
    return html`<dialog
      class="picker"
      aria-label=${request?.title ?? ''}
      ${properties(this.place())}
      @close=${() => this.resolve && this.finish(null)}
      @click=${(event: MouseEvent) => event.target === event.currentTarget && this.finish(null)}
    >
      ${request
        ? html`<div class="picker-box">
            <div class="picker-head">
              <input
                type="search"
                role="combobox"
                aria-label=${request.title}
                aria-expanded="true"
                aria-controls="picker-list"
                aria-autocomplete="list"
                aria-activedescendant=${shown[this.active] ? `picker-${this.active}` : nothing}
                autocomplete="off"
                spellcheck="false"
                placeholder=${request.title}
                .value=${this.text}
                @input=${(event: InputEvent) => {
                  this.text = (event.target as HTMLInputElement).value;
                  this.active = 0;
                }}
                @keydown=${this.onKey}
              />
              <button type="button" class="quiet" @click=${() => this.finish(null)}>${t('picker.close')}</button>
            </div>
            <ul id="picker-list" role="listbox" aria-label=${request.title}>
              ${shown.map((choice, at) => {
                const head = choice.group !== group ? choice.group : undefined;
                group = choice.group;
                return html`${head ? html`<li class="picker-group" role="presentation">${head}</li>` : nothing}
                  <li
                    id="picker-${at}"
                    role="option"
                    data-id=${choice.id}
                    aria-selected=${at === this.active}
                    class=${choice.id === request.current ? 'current' : ''}
                    @click=${() => this.finish(choice.id)}
                  >
                    <span class="label">${choice.label}</span><span class="detail">${choice.detail ?? ''}</span>
                  </li>`;
              })}
            </ul>
            <p class="picker-foot" role="status">
              ${all.length === 0 ? t('picker.none', { text: this.text }) : t('picker.count', { count: all.length })}
            </p>
          </div>`
        : nothing}
    </dialog>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'wg-picker': Picker;
  }
}
