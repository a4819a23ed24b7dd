import { afterEach, describe, expect, it } from 'vitest';
import { defaultUnits, duration, kindOf, memory, money, number, parameters, readNumber, show, spoken, tokens } from '../../src/format.js';
import { setLanguage } from '../../src/i18n/index.js';

afterEach(() => setLanguage('en'));

describe('numbers', () => {
  it.each([
    [0.2934, '0.293'],
    [117.6, '118'],
    [7600.4, '7,600'],
    [0, '0'],
    [0.00042, '4.2E-4'],
  ])('%d is written %s: three digits, whole above a thousand', (value, text) => expect(number(value)).toBe(text));

  it.each([
    [8192, '8K'],
    [131072, '128K'],
    [1048576, '1M'],
    [10_000_000, '10M'],
    [500, '500'],
    [15e12, '15T'],
  ])('%d tokens are %s', (value, text) => expect(tokens(value)).toBe(text));

  it.each([
    ['8192', 8192],
    ['8K', 8192],
    [' 10 M ', 10e6],
    ['1.5b', 1.5e9],
    ['0,5', 0.5],
    ['-5', -5],
    ['2e6', 2e6],
    ['many', null],
    ['8K tokens', null],
  ])('typed "%s" means %s', (text, value) => expect(readNumber(text)).toBe(value));

  it('parameters come in M, B and T', () => {
    expect([parameters(22e6), parameters(8.03e9), parameters(1.04e12)]).toEqual(['22M', '8.03B', '1.04T']);
  });

  it('a time takes the step a person would say', () => {
    const said = [0.045, 1, 119, 7199, 7200, 300000].map((s) => `${duration(s).text} ${duration(s).unit}`);
    expect(said).toEqual(['45 ms', '1 s', '119 s', '120 min', '2 h', '3.47 days']);
  });

  it('GiB become GB by definition: 1 GiB is 1.073741824 GB', () => {
    expect(memory(23.6, defaultUnits)).toBe('23.6\u00a0GiB');
    expect(memory(0.0078, defaultUnits)).toBe('0.008\u00a0GiB');
    expect(memory(100, { ...defaultUnits, memory: 'GB' })).toBe('107\u00a0GB');
  });

  it('money converts by the rate and keeps cents where they matter', () => {
    expect([0.29, 1234.5, 0.0042].map((usd) => money(usd, defaultUnits))).toEqual(['$0.29', '$1,235', '$0.0042']);
    expect(money(1.17, { ...defaultUnits, currency: 'EUR', usdPerUnit: 1.17 })).toBe('€1.00');
  });

  it('Spanish writes its own decimals', async () => {
    await setLanguage('es');
    expect([number(0.293), number(7600)]).toEqual(['0,293', '7.600']);
  });
});

describe('quantities', () => {
  it('value and interval share one unit', () => {
    expect(show({ value: 1.5, p10: 0.9, p90: 2.5 }, 'seconds', defaultUnits)).toEqual({ value: '1.5', unit: 's', low: '0.9', high: '2.5' });
    expect(show({ value: 0.5, p10: 0.2, p90: 2 }, 'hours', defaultUnits)).toEqual({ value: '30', unit: 'min', low: '12', high: '120' });
  });

  it('an exact quantity has no interval', () => {
    expect(show({ value: 0.29 }, 'usd_per_hour', defaultUnits)).toEqual({ value: '$0.29', unit: '/h', low: null, high: null });
  });

  it('is spoken with its interval', () => {
    expect(spoken({ value: 118, p10: 98, p90: 137 }, 'rate', defaultUnits)).toBe('118 tok/s, 80 % between 98 and 137');
  });

  it.each([
    ['decode_tokens_per_s', 'rate'],
    ['ttft_s', 'seconds'],
    ['requests_per_s', 'plain'],
    ['gpu_hours', 'plain'],
    ['finetune_hours', 'hours'],
    ['usd_per_million_output_tokens', 'usd_per_million'],
    ['usd_total', 'usd'],
    ['per_gpu_gib', 'gib'],
    ['joules_per_token', 'plain'],
  ] as const)('%s is of kind %s: the unit is in the name', (name, kind) => expect(kindOf(name)).toBe(kind));
});
