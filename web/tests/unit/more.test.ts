import { readFileSync, readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { moreTexts } from '../../src/i18n/more.js';

const holes = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();

it('commands and reasons speak Spanish with the same holes and words', () => {
  for (const [key, text] of Object.entries(moreTexts.en)) {
    const spanish: unknown = moreTexts.es[key as keyof typeof moreTexts.es];
    if (typeof text === 'string') expect(typeof spanish === 'string' ? holes(spanish) : key).toEqual(holes(text));
    else expect(Object.keys(spanish as object).sort()).toEqual(Object.keys(text).sort());
  }
});

it('every note that the core writes beside a command has its words', () => {
  const room = '../core/src/launch/';
  const codes = new Set(readdirSync(room).flatMap((name) => [...readFileSync(room + name, 'utf8').matchAll(/\{"([a-z0-9-]+)", "[A-Z0-9]/g)].map((found) => found[1] ?? '')));
  const notes = Object.keys(moreTexts.en.notes);
  expect(codes.size).toBeGreaterThan(15);
  expect([...codes].filter((code) => !notes.includes(code) && !['awq', 'gptq', 'gguf'].includes(code))).toEqual([]);
});
