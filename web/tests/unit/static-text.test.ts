import { expect, it } from 'vitest';
// @ts-expect-error a build script without types
import { methods, text } from '../../scripts/static-text.mjs';

const holes = (message: string) => (message.match(/\{\w+\}/g) ?? []).sort();

it('the static pages have the same words in both languages', () => {
  expect(Object.keys(text.es).sort()).toEqual(Object.keys(text.en).sort());
  for (const [key, message] of Object.entries<string>(text.en)) expect([key, holes(text.es[key])]).toEqual([key, holes(message)]);
});

it('every method is explained in both languages', () => {
  expect(methods.es.length).toBe(methods.en.length);
  for (const entry of [...methods.en, ...methods.es]) expect(entry.every((part: string) => part.trim() !== '')).toBe(true);
});
