import type { CatalogIndex, NamedEntry } from './protocol.js';

type Row = Readonly<Record<string, unknown>>;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const textOrNull = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const numberOrNull = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null);
const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter((v) => typeof v === 'string') : []);

function rows(catalog: unknown, key: string): readonly Row[] {
  if (typeof catalog !== 'object' || catalog === null) return [];
  const value = (catalog as Record<string, unknown>)[key];
  return Array.isArray(value) ? (value as Row[]) : [];
}

function named(row: Row): NamedEntry {
  return {
    id: text(row['id']),
    name: text(row['name']) || text(row['id']),
    purpose: texts(row['purpose']),
    formats: texts(row['formats']),
  };
}

/** Picks the columns that labels and pickers need out of the catalog that the core loads. */
export function makeIndex(catalog: unknown): CatalogIndex {
  const about = (catalog as Record<string, Row | undefined> | null)?.['catalog'];
  const asOf = text(about?.['as_of']);
  return {
    asOf,
    gpus: rows(catalog, 'gpus').map((row) => ({
      id: text(row['id']),
      name: text(row['name']),
      aliases: texts(row['aliases']),
      vendor: text(row['vendor']),
      segment: text(row['segment']),
      year: numberOrNull(row['release_year']),
      memoryGb: numberOrNull(row['memory_gb']),
      bandwidthGbPerS: numberOrNull(row['bandwidth_gb_per_s']),
      tdpW: numberOrNull(row['tdp_w']),
    })),
    models: rows(catalog, 'models').map((row) => ({
      id: text(row['id']),
      name: text(row['name']),
      aliases: texts(row['aliases']),
      organization: text(row['organization']),
      kind: text(row['kind']),
      params: numberOrNull(row['params_total']),
      paramsActive: numberOrNull(row['params_active']),
      maxContext: numberOrNull(row['max_context']),
      release: textOrNull(row['release']),
    })),
    quants: rows(catalog, 'quants').map((row) => ({
      id: text(row['id']),
      name: text(row['name']),
      family: text(row['family']),
      bits: numberOrNull(row['bits_per_weight_effective']) ?? numberOrNull(row['bits_per_weight_nominal']),
    })),
    engines: rows(catalog, 'engines').map(named),
    providers: rows(catalog, 'providers').map(named),
    countries: rows(catalog, 'electricity').map((row) => ({ id: text(row['code']), name: text(row['country']) })),
    currencies: rows(catalog, 'currencies').flatMap((row) => {
      const rate = numberOrNull(row['usd_per_unit']);
      return rate === null ? [] : [{ code: text(row['code']), usdPerUnit: rate, date: textOrNull(row['date']) }];
    }),
    offerCount: rows(catalog, 'offers').length,
  };
}
