import type { Quantity } from './generated/contract.js';
import { currentLanguage, t } from './i18n/index.js';

/** How numbers are written; the one place that turns a number into text. */
export interface Units {
  readonly memory: 'GiB' | 'GB';
  readonly currency: string;
  /** US dollars for one unit of the currency. */
  readonly usdPerUnit: number;
}

export const defaultUnits: Units = { memory: 'GiB', currency: 'USD', usdPerUnit: 1 };

const gbPerGib = 2 ** 30 / 1e9;
const formatters = new Map<string, Intl.NumberFormat>();

function formatter(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${currentLanguage()}${JSON.stringify(options)}`;
  let found = formatters.get(key);
  if (!found) formatters.set(key, (found = new Intl.NumberFormat(currentLanguage(), options)));
  return found;
}

/** Three significant digits below a thousand, whole numbers above. */
export function number(value: number): string {
  if (value !== 0 && Math.abs(value) < 0.001) return formatter({ maximumSignificantDigits: 2, notation: 'scientific' }).format(value);
  return Math.abs(value) >= 1000
    ? formatter({ maximumFractionDigits: 0, useGrouping: 'always' }).format(value)
    : formatter({ maximumSignificantDigits: 3 }).format(value);
}

export const integer = (value: number): string => formatter({ maximumFractionDigits: 0 }).format(value);

/** 8192 → "8K", 131072 → "128K": context lengths are counted in 1024s by everyone who uses them. */
export function tokens(value: number): string {
  if (value >= 1e12) return `${number(value / 1e12)}T`;
  if (value >= 1e9) return `${number(value / 1e9)}B`;
  if (value >= 1e6 && value % 1024 !== 0) return `${number(value / 1e6)}M`;
  if (value >= 1024 && value % 1024 === 0) return value >= 2 ** 20 ? `${number(value / 2 ** 20)}M` : `${number(value / 1024)}K`;
  return integer(value);
}

/** A number as people type it: "8192", "8K" (1024s), "10M", "1.5B", "2e6", "0,5"; null for anything else. */
export function readNumber(text: string): number | null {
  const found = /^(-?\d+(?:[.,]\d+)?(?:e\d+)?)\s*([kmbt]?)$/i.exec(text.trim());
  if (!found?.[1]) return null;
  const scale = { '': 1, k: 1024, m: 1e6, b: 1e9, t: 1e12 }[(found[2] ?? '').toLowerCase()] ?? 1;
  return Number(found[1].replace(',', '.')) * scale;
}

export function parameters(value: number): string {
  if (value >= 1e12) return `${number(value / 1e12)}T`;
  if (value >= 1e9) return `${number(value / 1e9)}B`;
  return `${number(value / 1e6)}M`;
}

export const memoryValue = (gib: number, units: Units): number => (units.memory === 'GB' ? gib * gbPerGib : gib);

export function memory(gib: number, units: Units, withUnit = true): string {
  const value = memoryValue(gib, units);
  const text = formatter(value > 0 && value < 0.05 ? { maximumSignificantDigits: 1 } : value >= 100 ? { maximumFractionDigits: 0 } : { maximumFractionDigits: 1, minimumFractionDigits: 1 }).format(value);
  return withUnit ? `${text}\u00a0${units.memory}` : text;
}

/** `like` is the amount whose digits these are: an interval is written as finely as its value. */
export function money(usd: number, units: Units, like = usd): string {
  const value = usd / units.usdPerUnit;
  const size = Math.abs(like / units.usdPerUnit);
  const digits = size >= 100 || size === 0 ? 0 : size >= 0.1 ? 2 : 4;
  return formatter({
    style: 'currency',
    currency: units.currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: digits === 4 ? 0 : digits,
    maximumFractionDigits: digits,
  }).format(value);
}

/** The step of time that a person would say: 0.045 s → "45 ms", 5400 s → "1.5 h". */
export function duration(seconds: number): { readonly text: string; readonly unit: string; readonly scale: number } {
  const [unit, scale] =
    seconds < 1
      ? (['unit.ms', 1e-3] as const)
      : seconds < 120
        ? (['unit.s', 1] as const)
        : seconds < 7200
          ? (['unit.min', 60] as const)
          : seconds < 72 * 3600
            ? (['unit.h', 3600] as const)
            : (['unit.d', 86400] as const);
  return { text: number(seconds / scale), unit: t(unit), scale };
}

export type Kind = 'rate' | 'images' | 'seconds' | 'hours' | 'usd_per_hour' | 'usd_per_million' | 'usd' | 'gib' | 'tflops' | 'tokens' | 'plain';

/** A quantity ready to be shown: the number, its unit, the interval; all in the same unit. */
export interface Shown {
  readonly value: string;
  readonly unit: string;
  readonly low: string | null;
  readonly high: string | null;
}

export function show(quantity: Quantity, kind: Kind, units: Units): Shown {
  const { value, p10, p90 } = quantity;
  const interval = (text: (x: number) => string) => {
    const known = typeof p10 === 'number' && typeof p90 === 'number' && p10 !== p90;
    return { low: known ? text(p10) : null, high: known ? text(p90) : null };
  };
  const plain = (text: (x: number) => string, unit: string): Shown => ({ value: text(value), unit, ...interval(text) });
  switch (kind) {
    case 'rate':
      return plain(number, t('unit.tokens_per_s'));
    case 'images':
      return plain(number, t('unit.images_per_s'));
    case 'tflops':
      return plain(number, t('unit.tflops'));
    case 'seconds':
    case 'hours': {
      const factor = kind === 'hours' ? 3600 : 1;
      const { unit, scale } = duration(value * factor);
      return plain((x) => number((x * factor) / scale), unit);
    }
    case 'usd_per_hour':
      return plain((x) => money(x, units), t('unit.per_h'));
    case 'usd_per_million':
      return plain((x) => money(x, units, value), t('unit.per_million'));
    case 'usd':
      return plain((x) => money(x, units, value), '');
    case 'gib':
      return plain((x) => memory(x, units, false), units.memory);
    case 'tokens':
      return plain(tokens, '');
    case 'plain':
      return plain(number, quantity.unit ?? '');
  }
}

/** The kind that a field's name promises: units are part of the names. */
export function kindOf(name: string): Kind {
  if (name.endsWith('_gib')) return 'gib';
  if (name === 'usd_per_hour') return 'usd_per_hour';
  if (name.startsWith('usd_per_million')) return 'usd_per_million';
  if (name.startsWith('usd')) return 'usd';
  if (name === 'images_per_s') return 'images';
  if (name.endsWith('tokens_per_s')) return 'rate';
  if (name === 'gpu_hours') return 'plain';
  if (name.endsWith('hours')) return 'hours';
  if (name.endsWith('_s') && !name.endsWith('_per_s')) return 'seconds';
  if (name === 'seconds' || name.startsWith('seconds_per_image')) return 'seconds';
  if (name === 'tflops') return 'tflops';
  return 'plain';
}

/** The quantity as one spoken sentence, for screen readers and titles. */
export function spoken(quantity: Quantity, kind: Kind, units: Units): string {
  const { value, unit, low, high } = show(quantity, kind, units);
  const joined = unit.startsWith('/') ? value + unit : `${value} ${unit}`.trim();
  return low === null || high === null ? joined : t('value.interval', { value: joined, low, high });
}
