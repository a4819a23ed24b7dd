import { expect, it } from 'vitest';
import { front } from '../../src/components/plots.js';

const point = (gpu: string, x: number, y: number) => ({ row: { gpu }, x, y });
const points = [point('cheap', 1, 10), point('beaten', 2, 9), point('fast', 3, 50), point('same price, slower', 3, 40), point('dear', 9, 50)];

it('the front holds those that no other beats in both', () => {
  expect(front(points, true).map((p) => p.row.gpu)).toEqual(['cheap', 'fast']);
});

it('where less is better the other end counts', () => {
  expect(front(points, false).map((p) => p.row.gpu)).toEqual(['cheap', 'beaten']);
});
