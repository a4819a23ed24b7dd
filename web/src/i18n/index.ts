import { en, type MessageKey, type Messages } from './en.js';

export type { MessageKey } from './en.js';
export const languages = { en: 'English', es: 'Español' } as const;
export type Language = keyof typeof languages;

export const isLanguage = (value: unknown): value is Language => typeof value === 'string' && Object.hasOwn(languages, value);

let current: Messages = en;
let language: Language = 'en';

/** English comes with the page; the others are fetched when chosen. */
export async function setLanguage(wanted: Language): Promise<void> {
  current = wanted === 'es' ? (await import('./es.js')).es : en;
  language = wanted;
}

export const currentLanguage = (): Language => language;

export const isMessageKey = (key: string): key is MessageKey => Object.hasOwn(en, key);

const hole = /\{(\w+)\}/g;

/** The message with its holes filled. */
export function t(key: MessageKey, values: Readonly<Record<string, string | number>> = {}): string {
  return current[key].replace(hole, (whole, name: string) => (name in values ? String(values[name]) : whole));
}

/** The message as parts, so that holes can be controls: "in {weights}" → ["in ", weights]. */
export function parts<T>(key: MessageKey, values: Readonly<Record<string, T>>): (string | T)[] {
  return current[key]
    .split(/(\{\w+\})/)
    .filter((piece) => piece !== '')
    .map((piece) => {
      const name = /^\{(\w+)\}$/.exec(piece)?.[1];
      const value = name === undefined ? undefined : values[name];
      return value === undefined ? piece : value;
    });
}

/** A word of the catalogs or the core in the reader's language, itself where no translation is known. */
export function word(prefix: string, id: string): string {
  const key = `${prefix}.${id}`;
  return isMessageKey(key) ? t(key) : id.replaceAll('_', ' ');
}
