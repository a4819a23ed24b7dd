import { LitElement, html } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { currentLanguage, type Language } from '../i18n/index.js';

/** What can go wrong, by the word that the reason begins with (engine/module.ts and engine/client.ts give it). */
type Fault = 'wasm' | 'data' | 'torn' | 'version' | 'lost';

const sentences: Readonly<Record<Language, Readonly<Record<Fault, string>>>> = {
  en: {
    wasm: 'The calculator could not start: this browser, or a policy of its network or owner, does not let WebAssembly run, or its file did not arrive. The pages below can be read without it.',
    data: 'The data did not arrive. The network may be away, or the site is just being renewed; in a minute it usually works.',
    torn: 'The data arrived damaged or cut short. Trying again fetches them anew.',
    version: 'The page and its data are of different versions, as can happen while the site is being renewed. Trying again fetches both anew.',
    lost: 'The calculation stopped: memory was short, or the browser ended it in the background. Your question is kept in the address, and trying again goes on from there.',
  },
  es: {
    wasm: 'La calculadora no ha podido arrancar: este navegador, o una norma de su red o de su dueño, no deja ejecutar WebAssembly, o su archivo no ha llegado. Las páginas de abajo se leen sin ella.',
    data: 'Los datos no han llegado. Puede faltar la red, o el sitio se está renovando; en un minuto suele funcionar.',
    torn: 'Los datos han llegado dañados o cortados. Al reintentar se piden de nuevo.',
    version: 'La página y sus datos son de versiones distintas, como puede pasar mientras se renueva el sitio. Al reintentar se piden ambos de nuevo.',
    lost: 'El cálculo se ha parado: faltaba memoria, o el navegador lo ha cerrado en segundo plano. Tu pregunta sigue en la dirección, y al reintentar continúa desde ahí.',
  },
};
const words: Readonly<Record<Language, readonly (readonly [string, string])[]>> = {
  en: [['gpus/', 'GPUs'], ['models/', 'Models'], ['compare/', 'Comparisons'], ['methods/', 'Methods']],
  es: [['es/gpus/', 'GPU'], ['es/models/', 'Modelos'], ['es/compare/', 'Comparaciones'], ['es/methods/', 'Métodos']],
};
const detailWord: Readonly<Record<Language, string>> = { en: 'What the browser says', es: 'Lo que dice el navegador' };

const isFault = (word: string): word is Fault => word in sentences.en;

/**
 * Says kindly why the calculator is not there, what helps, and what can be read meanwhile.
 * @summary A fault of the whole page.
 */
@customElement('wg-fault')
export class FaultNote extends LitElement {
  /** A word, a colon and what the browser said; an error of the calculation itself has no such word. */
  @property() reason = '';

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  private get fault(): Fault {
    const word = this.reason.split(':', 1)[0] ?? '';
    return isFault(word) ? word : 'lost';
  }

  protected override updated(): void {
    // The offline copy may hold the very file that is broken.
    if ((this.fault === 'torn' || this.fault === 'version') && 'caches' in window)
      void caches
        .keys()
        .then((names) => Promise.all(names.filter((name) => name.startsWith('whichgpu-')).map((name) => caches.delete(name))))
        .catch((cause: unknown) => console.info('the offline copy stays', cause));
  }

  override render() {
    const language = currentLanguage();
    return html`<p>${sentences[language][this.fault]}</p>
      <p>${words[language].map(([path, name], i) => html`${i > 0 ? ' · ' : ''}<a href=${path}>${name}</a>`)}</p>
      <details><summary>${detailWord[language]}</summary><code>${this.reason}</code></details>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'wg-fault': FaultNote;
  }
}
