import { expect, it } from 'vitest';
// @ts-expect-error a build script without types
import { dayOf, historyOf, historySvg, pricesOf } from '../../scripts/price-history.mjs';

const offer = (price_date: string, usd: number | null, more: object = {}) => ({ provider: 'p', instance: 'i', region: 'r', gpu: 'g', gpu_count: 2, price_date, price_usd_per_hour: usd, spot_usd_per_hour: null, ...more });
const offers = [offer('2026-11-01', 4), offer('2025-10', 6), offer('2026-02-01', 1, { instance: 'j', gpu_count: 1, spot_usd_per_hour: 0.5 }), offer('2026-02-01', null), offer('2026-02-01', 9, { gpu: 'other' })];

it('takes the dated prices of one GPU, oldest first; what is not known is no price', () => {
  const points = pricesOf(offers, 'g') as { date: string; usd: number; kind: string }[];
  expect(points.map(({ date, usd, kind }) => [date, usd, kind])).toEqual([['2025-10', 3, 'on-demand'], ['2026-02-01', 0.5, 'spot'], ['2026-02-01', 1, 'on-demand'], ['2026-11-01', 2, 'on-demand']]);
  expect(historyOf(points)).toEqual({ n: 4, first: '2025-10', last: '2026-11-01', low: '1.00', high: '3.00' });
});

it('a month stands for its middle, and one day is no history', () => {
  expect(dayOf('2025-10') - dayOf('2025-10-01')).toBe(14);
  expect(dayOf('2025') - dayOf('2025-07-01')).toBe(0);
  expect(historyOf(pricesOf([offer('2026-11-01', 4)], 'g'))).toBeNull();
});

it('joins the prices of one offer by a line, and dears stand above cheaps, later right of earlier', () => {
  const drawing = historySvg(pricesOf(offers, 'g')) as string;
  const dots = [...drawing.matchAll(/<circle class="([a-z-]+)" cx="([\d.]+)" cy="([\d.]+)"/g)].map(([, kind, x, y]) => ({ kind, x: Number(x), y: Number(y) }));
  expect(dots.map((dot) => dot.kind)).toEqual(['on-demand', 'spot', 'on-demand', 'on-demand']);
  expect(dots[0]!.y).toBeLessThan(dots[3]!.y); // 3 above 2
  expect(dots[0]!.x).toBeLessThan(dots[3]!.x);
  expect(drawing.match(/<path d="M/g)).toHaveLength(1);
  expect(drawing).not.toMatch(/NaN|undefined|Infinity/);
});
