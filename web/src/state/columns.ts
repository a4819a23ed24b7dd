import type { Quantity, RankAnswer, RankRow, Workload } from '../generated/contract.js';
import type { Kind } from '../format.js';
import type { MessageKey } from '../i18n/index.js';

export type QuantityKey = {
  [K in keyof RankRow]-?: NonNullable<RankRow[K]> extends Quantity ? K : never;
}[keyof RankRow];

/** One quantity column of the table. */
export interface Column {
  readonly key: QuantityKey;
  readonly label: MessageKey;
  readonly kind: Kind;
  /** Which end a person wants first when sorting. */
  readonly best: 'high' | 'low';
  /** Drawn with a bar to the longest row. */
  readonly bar?: boolean;
  /** Left out on narrow tables; the row's details keep it. */
  readonly wideOnly?: boolean;
}

const decode: Column = { key: 'decode_tokens_per_s', label: 'col.decode', kind: 'rate', best: 'high', bar: true };
const rent: Column = { key: 'usd_per_hour', label: 'col.price', kind: 'usd_per_hour', best: 'low' };
const perMillion: Column = { key: 'usd_per_million_output_tokens', label: 'col.perMillion', kind: 'usd_per_million', best: 'low', wideOnly: true };
const firstToken: Column = { key: 'ttft_s', label: 'col.ttft', kind: 'seconds', best: 'low', wideOnly: true };
const total: Column = { key: 'usd_total', label: 'col.total', kind: 'usd', best: 'low' };
const hours: Column = { key: 'hours', label: 'col.hours', kind: 'hours', best: 'low', bar: true };
const trainingSpeed: Column = { key: 'throughput_tokens_per_s', label: 'col.decode', kind: 'rate', best: 'high', wideOnly: true };

const serving: readonly Column[] = [
  { key: 'throughput_tokens_per_s', label: 'col.throughput', kind: 'rate', best: 'high', bar: true },
  { ...decode, label: 'col.perUser', bar: false, wideOnly: true },
  firstToken,
  rent,
  { ...perMillion, wideOnly: false },
];

const byWorkload: Readonly<Record<Workload, readonly Column[]>> = {
  chat: [decode, firstToken, { key: 'finetune_hours', label: 'col.finetune', kind: 'hours', best: 'low', wideOnly: true }, rent, perMillion],
  serving,
  rag: serving,
  finetune: [hours, trainingSpeed, rent, total],
  pretrain: [hours, trainingSpeed, rent, total],
  'vision-training': [hours, { key: 'images_per_s', label: 'col.images_per_s', kind: 'images', best: 'high', wideOnly: true }, rent, total],
  'vision-inference': [{ key: 'images_per_s', label: 'col.images_per_s', kind: 'images', best: 'high', bar: true }, rent],
  'image-generation': [{ key: 'seconds_per_image', label: 'col.seconds_per_image', kind: 'seconds', best: 'low', bar: true }, rent, total],
  hpc: [{ key: 'tflops', label: 'col.tflops', kind: 'tflops', best: 'high', bar: true }, rent],
};

/** Models on one GPU: its rent is the same in every row, so it is left to the details. */
const onOneGpu: readonly Column[] = [decode, firstToken, { key: 'prefill_tokens_per_s', label: 'col.prefill', kind: 'rate', best: 'high', wideOnly: true }];

export const columnsFor = (workload: Workload, gpuMode = false): readonly Column[] => (gpuMode ? onOneGpu : byWorkload[workload]);

/** The column that answers "how fast" for a workload. */
export const speedColumn = (workload: Workload): Column => byWorkload[workload][0] ?? decode;

export const runs = (row: RankRow): boolean => row.verdict === 'fits' || row.verdict === 'tight' || row.verdict === 'offload';

/** A row's name in addresses and keys: the GPU, or model and precision when a GPU ranks models. */
export const rowKey = (row: RankRow, gpuMode: boolean): string => (gpuMode ? `${row.model ?? ''}~${row.precision ?? ''}` : row.gpu);

export const findRow = (answer: RankAnswer | null, key: string, gpuMode: boolean): RankRow | undefined =>
  answer?.rows.find((row) => rowKey(row, gpuMode) === key);

export const value = (row: RankRow, key: QuantityKey): number | null => row[key]?.value ?? null;
