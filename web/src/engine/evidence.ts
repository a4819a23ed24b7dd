/** One published figure of what a format costs in quality. */
export interface QualityRow {
  readonly model: string;
  readonly model_id?: string;
  readonly metric: string;
  readonly baseline_format?: string;
  readonly baseline_value?: number;
  readonly value?: number;
  readonly delta?: number;
  readonly delta_pct?: number;
  readonly dataset?: string;
  readonly date?: string;
  readonly source?: string;
  readonly link?: string;
}

type Index = Readonly<Record<string, number>>;
const indexes = new Map<string, Promise<Index>>();

const at = (folder: string, name: string): URL => new URL(`generated/${folder}/${encodeURIComponent(name)}`, document.baseURI);

async function read(folder: string, name: string): Promise<Response> {
  const response = await fetch(at(folder, name));
  if (!response.ok) throw new Error(`${name}: HTTP ${response.status}`);
  return response;
}

/** Whether a folder of the bundle holds a file of this name; a lookup that failed is made again the next time. */
async function holds(folder: string, name: string): Promise<boolean> {
  let index = indexes.get(folder);
  if (!index) {
    index = read(folder, 'index.json').then((response) => response.json() as Promise<Index>);
    indexes.set(folder, index);
    index.catch(() => indexes.delete(folder));
  }
  return Object.hasOwn(await index, name);
}

/** The measurements of one model (or of one GPU, "gpu-…"), which the first load leaves out; null where there are none. */
export async function fetchEvidence(name: string): Promise<string | null> {
  return (await holds('evidence', name)) ? (await read('evidence', `${name}.csv`)).text() : null;
}

/** What was published of a format's quality; null where nothing was. */
export async function fetchQuality(format: string): Promise<readonly QualityRow[] | null> {
  return (await holds('quality', format)) ? ((await read('quality', `${format}.json`)).json() as Promise<readonly QualityRow[]>) : null;
}
