export const rankBys = ['value', 'speed', 'price', 'latency', 'energy', 'memory', 'upfront'] as const;
export type RankBy = (typeof rankBys)[number];

/** How the answer is looked at. It lives in the address's fragment, apart from the question, and never changes a number. */
export interface View {
  readonly sort: { readonly key: string; readonly descending: boolean } | null;
  /** What the core orders rows by. */
  readonly by: RankBy;
  readonly text: string;
  readonly fitOnly: boolean;
  readonly vendor: string;
  readonly segment: string;
  /** The row whose details are open. */
  readonly open: string | null;
  readonly compare: readonly string[];
  readonly comparing: boolean;
  readonly plots: boolean;
  /** Rent or own is shown. */
  readonly own: boolean;
}

export const defaultView: View = {
  sort: null,
  by: 'value',
  text: '',
  fitOnly: false,
  vendor: '',
  segment: '',
  open: null,
  compare: [],
  comparing: false,
  plots: false,
  own: false,
};

export const maxCompared = 4;

export function readView(hash: string): View {
  const keys = new URLSearchParams(hash.replace(/^#/, ''));
  const sort = /^(-?)([a-z0-9_]+)$/.exec(keys.get('sort') ?? '');
  const compare = (keys.get('compare') ?? '').split(',').filter((id) => id !== '');
  return {
    sort: sort?.[2] ? { key: sort[2], descending: sort[1] === '-' } : null,
    by: rankBys.find((by) => by === keys.get('by')) ?? 'value',
    text: keys.get('find') ?? '',
    fitOnly: keys.get('show') === 'fits',
    vendor: keys.get('vendor') ?? '',
    segment: keys.get('class') ?? '',
    open: keys.get('open'),
    compare: compare.slice(0, maxCompared),
    comparing: keys.get('view') === 'compare',
    plots: keys.get('plots') === '1',
    own: keys.get('own') === '1',
  };
}

export function writeView(view: View): string {
  const keys = new URLSearchParams();
  if (view.sort) keys.set('sort', `${view.sort.descending ? '-' : ''}${view.sort.key}`);
  if (view.by !== 'value') keys.set('by', view.by);
  if (view.text) keys.set('find', view.text);
  if (view.fitOnly) keys.set('show', 'fits');
  if (view.vendor) keys.set('vendor', view.vendor);
  if (view.segment) keys.set('class', view.segment);
  if (view.open) keys.set('open', view.open);
  if (view.compare.length > 0) keys.set('compare', view.compare.join(','));
  if (view.comparing) keys.set('view', 'compare');
  if (view.plots) keys.set('plots', '1');
  if (view.own) keys.set('own', '1');
  const text = keys.toString().replaceAll('%2C', ',').replaceAll('%7E', '~');
  return text === '' ? '' : `#${text}`;
}
