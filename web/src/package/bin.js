#!/usr/bin/env node
// The command-line program as WebAssembly, on the package's own catalogs unless others are named.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const given = process.argv.slice(2);
if (!given.some((word) => word === '--data' || word.startsWith('--data='))) process.argv.splice(2, 0, '--data', fileURLToPath(new URL('../data', import.meta.url)));
// Emscripten 3.1's loader takes a `fetch` for a browser's, and asks it for a path; without one it reads the file.
globalThis.fetch = undefined;
createRequire(import.meta.url)('../core/whichgpu-cli.cjs');
