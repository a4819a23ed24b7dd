// Writes src/generated/contract.ts from the JSON Schema of the boundary, so that the page and the core share one contract.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { compile } from 'json-schema-to-typescript';

const schema = JSON.parse(await readFile(new URL('../../data/schema/contract.schema.json', import.meta.url), 'utf8'));
const target = new URL('../src/generated/contract.ts', import.meta.url);

/** Answers may gain fields that this page does not know; its types name only those that it reads. */
function closeObjects(node) {
  if (Array.isArray(node)) return node.map(closeObjects);
  if (node === null || typeof node !== 'object') return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closeObjects(value)]));
  if (copy.properties) copy.additionalProperties = false;
  return copy;
}

const source = await compile(closeObjects(schema), 'Contract', {
  bannerComment: '/* Generated from data/schema/contract.schema.json by scripts/generate-types.mjs. */',
  unreachableDefinitions: true,
  style: { singleQuote: true, printWidth: 120 },
});
await mkdir(new URL('.', target), { recursive: true });
await writeFile(target, source);
console.log(`types: ${source.split('\n').length} lines`);
