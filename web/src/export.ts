import type { RankRow, Workload } from './generated/contract.js';
import { columnsFor, value } from './state/columns.js';

/** One line a row: the id, the verdict, memory, then the workload's quantities with their intervals; units are in the names. */
function table(rows: readonly RankRow[], workload: Workload): { head: string[]; lines: string[][] } {
  const columns = columnsFor(workload);
  const head = ['gpu', 'gpu_count', 'model', 'precision', 'verdict', 'per_gpu_gib', 'capacity_gib', ...columns.flatMap((c) => [c.key, `${c.key}_p10`, `${c.key}_p90`]), 'provider', 'price_date'];
  const cell = (x: unknown) => (x === null || x === undefined ? '' : String(x));
  const lines = rows.map((row) => [
    row.gpu,
    cell(row.gpu_count),
    cell(row.model),
    cell(row.precision),
    cell(row.verdict),
    cell(row.per_gpu_gib),
    cell(row.capacity_gib),
    ...columns.flatMap((c) => [cell(value(row, c.key)), cell(row[c.key]?.p10), cell(row[c.key]?.p90)]),
    cell(row.offer?.provider),
    cell(row.offer?.price_date),
  ]);
  const used = head.map((_, at) => lines.some((line) => line[at] !== ''));
  const keep = (line: string[]) => line.filter((_, at) => used[at]);
  return { head: keep(head), lines: lines.map(keep) };
}

const quoted = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

export function csv(rows: readonly RankRow[], workload: Workload): string {
  const { head, lines } = table(rows, workload);
  return [head, ...lines].map((line) => line.map(quoted).join(',')).join('\n') + '\n';
}

export function markdown(rows: readonly RankRow[], workload: Workload): string {
  const { head, lines } = table(rows, workload);
  const line = (cells: readonly string[]) => `| ${cells.map((c) => c.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...lines.map(line)].join('\n') + '\n';
}

export function download(name: string, type: string, content: string | Blob): void {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000); // after the browser has taken the data
}
