let index: Promise<Readonly<Record<string, number>>> | undefined;

const at = (name: string): URL => new URL(`generated/evidence/${encodeURIComponent(name)}`, document.baseURI);

async function read(name: string): Promise<Response> {
  const response = await fetch(at(name));
  if (!response.ok) throw new Error(`${name}: HTTP ${response.status}`);
  return response;
}

/** The measurements of one model (or of one GPU, "gpu-…"), which the first load leaves out; null where there are none. */
export async function fetchEvidence(name: string): Promise<string | null> {
  index ??= read('index.json').then((response) => response.json() as Promise<Readonly<Record<string, number>>>);
  if (!Object.hasOwn(await index, name)) return null;
  return (await read(`${name}.csv`)).text();
}
