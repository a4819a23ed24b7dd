import { expect, it } from 'vitest';
import { bringWords } from '../../src/components/bring-text.js';
import { sizeText } from '../../src/components/file-source.js';

const holes = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();

it.each(Object.entries(bringWords.en))('%s keeps its holes in Spanish', (key, text) => {
  const spanish = bringWords.es[key as keyof typeof bringWords.en];
  expect(spanish.trim()).not.toBe('');
  expect(holes(spanish)).toEqual(holes(text));
});

it.each([[0, '0 B'], [999, '999 B'], [1048576, '1.05 MB'], [999_600, '1.00 MB'], [4_661_211_808, '4.66 GB']])('%d bytes are %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});
