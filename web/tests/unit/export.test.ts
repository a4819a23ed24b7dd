import { expect, it } from 'vitest';
import type { RankRow } from '../../src/generated/contract.js';
import { csv, markdown } from '../../src/export.js';

const rows: RankRow[] = [
  { gpu: 'a', verdict: 'fits', per_gpu_gib: 6.1, capacity_gib: 24, decode_tokens_per_s: { value: 118, p10: 98, p90: 137 }, offer: { provider: 'one, two', price_date: '2026-08-22' } },
  { gpu: 'b', verdict: 'does_not_fit', per_gpu_gib: 6.1, capacity_gib: 4 },
];

it('CSV keeps intervals, quotes commas and leaves the unknown empty', () => {
  expect(csv(rows, 'chat')).toBe(
    'gpu,verdict,per_gpu_gib,capacity_gib,decode_tokens_per_s,decode_tokens_per_s_p10,decode_tokens_per_s_p90,provider,price_date\n' +
      'a,fits,6.1,24,118,98,137,"one, two",2026-08-22\n' +
      'b,does_not_fit,6.1,4,,,,,\n',
  );
});

it('Markdown is one table', () => {
  expect(markdown(rows, 'chat').split('\n')[2]).toBe('| a | fits | 6.1 | 24 | 118 | 98 | 137 | one, two | 2026-08-22 |');
});
