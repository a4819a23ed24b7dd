import { readFile } from 'node:fs/promises';

/** The two files of the core in Node, whose fetch knows no files. */
export async function readCore(): Promise<ArrayBuffer> {
  const bytes = await readFile(new URL('../../core/whichgpu-full.wasm', import.meta.url));
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
}
export const readCatalog = (): Promise<string> => readFile(new URL('../../core/catalog.json', import.meta.url), 'utf8');
