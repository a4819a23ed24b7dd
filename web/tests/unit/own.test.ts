import { expect, it } from 'vitest';
import { drawn, ticks } from '../../src/components/own.js';
import { ownTexts } from '../../src/i18n/own.js';
import { fieldsFor } from '../../src/state/fields.js';

const holes = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();

it('the rent-or-own view speaks Spanish with the same holes', () => {
  for (const [key, text] of Object.entries(ownTexts.en)) {
    if (typeof text !== 'string') continue;
    const spanish = ownTexts.es[key as keyof typeof ownTexts.es];
    expect(typeof spanish === 'string' ? holes(spanish) : key).toEqual(holes(text));
  }
});

it('ticks are round and at most six', () => {
  expect(ticks(100)).toEqual([0, 20, 40, 60, 80, 100]);
  expect(ticks(290)).toEqual([0, 100, 200]);
  expect(ticks(4300)).toEqual([0, 1000, 2000, 3000, 4000]);
});

it('a price is asked for once: in dollars where an older link has it so', () => {
  const prices = (scenario: object) => fieldsFor('chat', scenario).map((field) => field.path).filter((path) => path === 'price_usd_per_hour' || path === 'price.per_hour');
  expect(prices({})).toEqual(['price.per_hour']);
  expect(prices({ price_usd_per_hour: 1 })).toEqual(['price_usd_per_hour']);
});

it('draws the cheapest of every kind, old prices only where there are no others', () => {
  const offer = (kind: string, stale = false) => ({ kind, stale });
  expect(drawn([offer('spot'), offer('spot'), offer('on-demand'), offer('on-demand'), offer('on-demand'), offer('reserved-3y'), offer('reserved-1y'), offer('on-demand', true)])).toEqual([0, 2, 3, 5]);
  expect(drawn([offer('on-demand', true), offer('spot', true)])).toEqual([0, 1]);
  expect(drawn([])).toEqual([]);
});
