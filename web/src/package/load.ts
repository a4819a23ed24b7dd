/** The two files of the core where there is no file system: bundlers see these addresses and bring the files along. */
const wasmUrl = new URL('../../core/whichgpu-full.wasm', import.meta.url);
const catalogUrl = new URL('../../core/catalog.json', import.meta.url);

async function get(url: URL): Promise<Response> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.href}: HTTP ${response.status}`);
  return response;
}

export const readCore = async (): Promise<ArrayBuffer> => (await get(wasmUrl)).arrayBuffer();
export const readCatalog = async (): Promise<string> => (await get(catalogUrl)).text();
