// Holds the built site to scripts/size-budget.json: what a browser really fetches to show the first answer, compressed
// as a host would. Prints every file, so that a growth can be seen where it happens.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { once } from 'node:events';
import { brotliCompressSync, constants } from 'node:zlib';

const root = new URL('../', import.meta.url);
const { chromium } = createRequire(new URL('web/package.json', root))('playwright-core');
const budget = JSON.parse(readFileSync(new URL('scripts/size-budget.json', root), 'utf8'));

const compressed = (bytes) =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }).length;

/** The files that opening the page fetches, until nothing more comes. */
async function firstLoad() {
  const path = (name) => new URL(name, root).pathname;
  const server = spawn(process.execPath, [path('scripts/serve.mjs'), path('web/dist'), '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(server.stdout.setEncoding('utf8'), 'data');
  const address = /http:\S+/.exec(line)[0];
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  try {
    const context = await browser.newContext({ serviceWorkers: 'block' });
    const page = await context.newPage();
    const files = new Map();
    context.on('request', (request) => files.set(new URL(request.url()).pathname, request.url()));
    await page.goto(address, { waitUntil: 'networkidle' });
    const sizes = [];
    for (const [name, url] of [...files].filter(([, url]) => url.startsWith(address)).sort()) {
      const bytes = Buffer.from(await (await fetch(url, { headers: { connection: 'close' } })).arrayBuffer());
      sizes.push({ name, bytes: bytes.length, brotli: compressed(bytes) });
    }
    return sizes;
  } finally {
    await browser.close();
    server.kill();
  }
}

const files = await firstLoad();
for (const { name, bytes, brotli } of files) console.log(`${String(bytes).padStart(9)} ${String(brotli).padStart(8)}  ${name}`);
const wasm = files.filter(({ name }) => name.endsWith('.wasm'));
if (wasm.length !== 1) {
  console.error(`the first load should fetch one .wasm file, it fetched ${wasm.length}`);
  process.exit(1);
}
const measured = {
  wasm_brotli_bytes: wasm[0].brotli,
  first_load_brotli_bytes: files.reduce((sum, { brotli }) => sum + brotli, 0),
};
let failed = 0;
for (const [name, limit] of Object.entries(budget)) {
  const within = measured[name] <= limit;
  if (!within) failed += 1;
  console.log(`${within ? 'ok    ' : 'FAILED'} ${name}: ${measured[name]} of ${limit}`);
}
console.log(`${Object.keys(budget).length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
