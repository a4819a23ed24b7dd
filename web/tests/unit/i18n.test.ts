import { afterEach, expect, it } from 'vitest';
import { en } from '../../src/i18n/en.js';
import { es } from '../../src/i18n/es.js';
import { parts, setLanguage, t, word } from '../../src/i18n/index.js';

afterEach(() => setLanguage('en'));

const holes = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();

it('Spanish has every message of English and no other', () => {
  expect(Object.keys(es).sort()).toEqual(Object.keys(en).sort());
});

it.each(Object.entries(en))('%s keeps its holes in Spanish and is not empty', (key, text) => {
  const spanish = es[key as keyof typeof en];
  expect(spanish.trim()).not.toBe('');
  expect(holes(spanish)).toEqual(holes(text));
});

it('fills holes and leaves unknown ones visible', () => {
  expect(t('table.shown', { shown: 3, all: 9 })).toBe('3 of 9 rows');
  expect(t('table.shown', { shown: 3 })).toBe('3 of {all} rows');
});

it('splits a message where its holes are', () => {
  expect(parts('answer.fits', { fits: 7 })).toEqual(['fits ', 7, ' GPUs']);
});

it('shows a word of the core as it is where no translation is known', async () => {
  await setLanguage('es');
  expect(word('verdict', 'tight')).toBe('va justo');
  expect(word('term', 'mmproj_weights')).toBe('mmproj weights');
});
