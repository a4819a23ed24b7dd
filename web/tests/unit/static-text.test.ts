import { expect, it } from 'vitest';
// @ts-expect-error a build script without types
import { compareText, methods, text } from '../../scripts/static-text.mjs';

const holes = (message: string) => (message.match(/\{\w+\}/g) ?? []).sort();

it('the static pages have the same words in both languages', () => {
  expect(Object.keys(text.es).sort()).toEqual(Object.keys(text.en).sort());
  for (const [key, message] of Object.entries<string>(text.en)) expect([key, holes(text.es[key])]).toEqual([key, holes(message)]);
});

it('every method is explained in both languages', () => {
  expect(methods.es.length).toBe(methods.en.length);
  for (const entry of [...methods.en, ...methods.es]) expect(entry.every((part: string) => part.trim() !== '')).toBe(true);
});

/** Every path of a tree of words, with the holes that its text has. */
function paths(tree: object, prefix = ''): string[] {
  return Object.entries(tree).flatMap(([key, value]: [string, unknown]) => (typeof value === 'object' && value !== null ? paths(value, `${prefix}${key}.`) : [`${prefix}${key} ${holes(String(value))}`]));
}

it('comparisons and claims have the same words in both languages', () => {
  expect(paths(compareText.es).sort()).toEqual(paths(compareText.en).sort());
});
