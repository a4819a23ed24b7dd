import { html, nothing, LitElement, type TemplateResult } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { askFull } from '../engine/full.js';
import { isError, type Answer } from '../engine/protocol.js';
import type { LaunchAnswer, Scenario } from '../generated/contract.js';
import { moreText, moreWord } from '../i18n/more.js';

/**
 * The commands that run a question as it was estimated, each with a button that copies it.
 * @summary Commands for the engines.
 */
@customElement('wg-launch')
export class Launch extends LitElement {
  @property({ attribute: false }) scenario: Scenario | null = null;
  /** Whether somebody looks: nothing is fetched before. */
  @property({ attribute: false }) wanted = false;
  @state() private answer: Answer<LaunchAnswer> | null = null;
  @state() private problem = '';
  @state() private copied = -1;
  private asked = '';

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  protected override willUpdate(): void {
    if (!this.wanted) {
      if (this.problem) this.asked = this.problem = ''; // opening it again tries anew
      return;
    }
    const key = JSON.stringify(this.scenario);
    if (key === this.asked || this.problem) return;
    this.asked = key;
    void this.ask(key);
  }

  private async ask(key: string): Promise<void> {
    this.copied = -1;
    try {
      const answer = await askFull<LaunchAnswer>('launch', this.scenario);
      if (this.asked === key) this.answer = answer;
    } catch (cause) {
      this.problem = moreText('failed', { reason: cause instanceof Error ? cause.message : String(cause) });
    }
  }

  private async copy(text: string, at: number): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      this.copied = at;
    } catch (cause) {
      this.problem = moreText('failed', { reason: cause instanceof Error ? cause.message : String(cause) });
    }
  }

  override render(): TemplateResult {
    if (this.problem) return html`<p class="problem" role="alert">${this.problem}</p>`;
    const answer = this.answer;
    if (!answer) return html`<p role="status">${moreText('loading')}</p>`;
    if (isError(answer)) return html`<p class="problem" role="alert">${answer.error.message}</p>`;
    if (answer.launch.length === 0) return html`<p class="absent">${moreText('none')}</p>`;
    return html`${answer.launch.map(
      (command, at) => html`<section class="launch">
        <header>
          <h5>${command.engine}</h5>
          <button type="button" class="quiet boxed" aria-label=${moreText('copyOf', { engine: command.engine })} @click=${() => void this.copy(command.text, at)}>${moreText(this.copied === at ? 'copied' : 'copy')}</button>
        </header>
        <pre tabindex="0">${command.text.trimEnd()}</pre>
        ${command.notes.length > 0 ? html`<ul>${command.notes.map((note) => html`<li>${moreWord('notes', note.code) ?? note.message}</li>`)}</ul>` : nothing}
      </section>`,
    )}`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'wg-launch': Launch;
  }
}
