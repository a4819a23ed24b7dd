import { LitElement } from 'lit';
import { property } from 'lit/decorators.js';
import type { Store } from '../state/store.js';

/**
 * An element of the page. It draws into the document itself, so that one stylesheet, labels, find-in-page and copying
 * work across all parts; the widget, which lives on other people's pages, uses a shadow root instead.
 */
export abstract class PageElement extends LitElement {
  @property({ attribute: false }) store!: Store;
  private unsubscribe: (() => void) | undefined;

  protected override createRenderRoot(): HTMLElement {
    this.replaceChildren(); // what the static page showed until now
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.unsubscribe = this.store.subscribe(() => this.requestUpdate());
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.unsubscribe?.();
  }
}
