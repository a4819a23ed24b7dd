// Times start-up and ranking of the WASM module in Chromium and in Node, and single estimates of the native program.
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import { once } from 'node:events';

const root = new URL('../', import.meta.url);
const path = (name) => new URL(name, root).pathname;
const program = path('build/release/whichgpu');
const folder = path('build/benchmark');
mkdirSync(folder, { recursive: true });
execFileSync(program, ['bundle', folder], { stdio: ['ignore', 'ignore', 'inherit'] });
for (const name of ['whichgpu.js', 'whichgpu.wasm']) copyFileSync(path(`build/wasm/${name}`), `${folder}/${name}`);
writeFileSync(`${folder}/index.html`, '<!doctype html><title>benchmark</title>');

const scenarios = {
  'rank, chat': { model: 'llama-3.1-8b' },
  'rank, serving 32 users': { model: 'llama-3.1-70b', workload: 'serving', concurrency: 32 },
  'rank, mixture of experts': { model: 'mixtral-8x7b', precision: { weights: 'q4_k_m' } },
  'rank, fine-tuning': { model: 'llama-3.1-8b', workload: 'finetune' },
  'rank, ResNet-50 training': { model: 'resnet-50', workload: 'vision-training' },
  'estimate with its explanation': { model: 'llama-3.1-8b', gpu: 'nvidia-rtx-4090' },
};
const rounds = 41;

/** Runs in the page as well as here: needs nothing from around it. Milliseconds by question. */
async function measure({ create, options, catalog, scenarios, rounds }) {
  const times = {};
  const started = performance.now();
  const module = await create(options);
  const engine = new module.Engine(catalog);
  engine.estimate(JSON.stringify(scenarios['estimate with its explanation']));
  times['start-up: bytes to first estimate'] = [performance.now() - started];
  for (const [name, scenario] of Object.entries(scenarios)) {
    const text = JSON.stringify(scenario);
    times[name] = [];
    for (let i = 0; i < rounds; i += 1) {
      const from = performance.now();
      const answer = name.startsWith('rank') ? engine.rank(text) : engine.estimate(text);
      times[name].push(performance.now() - from);
      if (answer.includes('"error"')) throw new Error(`${name}: ${answer.slice(0, 200)}`);
    }
  }
  return times;
}

async function inChromium() {
  const { chromium } = createRequire(new URL('web/package.json', root))('playwright-core');
  const server = spawn(process.execPath, [path('scripts/serve.mjs'), folder, '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(server.stdout.setEncoding('utf8'), 'data');
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--headless', '--no-sandbox', '--disable-gpu'] });
  try {
    const page = await browser.newPage();
    await page.goto(/http:\S+/.exec(line)[0]);
    return await page.evaluate(`(async () => {
      const { default: create } = await import('./whichgpu.js');
      const wasmBinary = await (await fetch('whichgpu.wasm')).arrayBuffer();
      const catalog = await (await fetch('catalog.json')).text();
      return await (${measure})({ create, options: { wasmBinary }, catalog, scenarios: ${JSON.stringify(scenarios)}, rounds: ${rounds} });
    })()`);
  } finally {
    await browser.close();
    server.kill();
  }
}

async function inNode() {
  const { default: create } = await import(`${folder}/whichgpu.js`);
  return measure({ create, options: { wasmBinary: readFileSync(`${folder}/whichgpu.wasm`) }, catalog: readFileSync(`${folder}/catalog.json`, 'utf8'), scenarios, rounds });
}

/** Seconds that the native program takes for `count` estimates of one scenario, reading the catalogs included. */
function native(count) {
  const file = `${folder}/estimates.jsonl`;
  writeFileSync(file, `${JSON.stringify(scenarios['estimate with its explanation'])}\n`.repeat(count));
  const from = performance.now();
  execFileSync(program, ['estimate', file], { stdio: ['ignore', 'ignore', 'inherit'], maxBuffer: 1 << 30 });
  return (performance.now() - from) / 1000;
}

const quantile = (list, share) => [...list].sort((a, b) => a - b)[Math.floor(share * (list.length - 1))];
console.log(`${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores; milliseconds, median (90th percentile) of ${rounds}`);
const [chromium, node] = [await inChromium(), await inNode()];
for (const name of Object.keys(node)) {
  const show = (list) => `${quantile(list, 0.5).toFixed(1)} (${quantile(list, 0.9).toFixed(1)})`.padStart(16);
  console.log(`${name.padEnd(36)} Chromium ${show(chromium[name])}   Node ${show(node[name])}`);
}
const [few, many] = [native(1), native(2001)];
console.log(`native, one core: ${Math.round(2000 / (many - few))} explained estimates/s as JSON text; ${(few * 1000).toFixed(0)} ms for one, with reading the catalogs`);

// Growth: the catalog with every GPU and every offer `times` over, under names of their own; cost and memory of each copy
// are those of the original, so that what grows is the number of rows alone. The module takes no catalog above 16 MiB.
function grown(times) {
  const catalog = JSON.parse(readFileSync(`${folder}/catalog.json`, 'utf8'));
  const copies = (rows, rename) => Array.from({ length: times }, (_, i) => (i === 0 ? rows : rows.map((row) => rename(row, `-copy-${i}`)))).flat();
  catalog.gpus = copies(catalog.gpus, ({ aliases: _, ...row }, end) => ({ ...row, id: row.id + end, name: row.name + end }));
  catalog.offers = copies(catalog.offers, (row, end) => ({ ...row, gpu: row.gpu + end }));
  return catalog;
}
const { default: create } = await import(`${folder}/whichgpu.js`);
const wasmBinary = readFileSync(`${folder}/whichgpu.wasm`);
for (const times of [1, 10, 35]) {
  const catalog = grown(times);
  const module = await create({ wasmBinary });
  let from = performance.now();
  const engine = new module.Engine(JSON.stringify(catalog));
  const question = JSON.stringify(scenarios['rank, chat']);
  const first = JSON.parse(engine.rank(question));
  if (first.error) throw new Error(`${times} times the catalog: ${JSON.stringify(first.error)}`);
  const rows = first.rows.length;
  const start_ms = performance.now() - from;
  const ranked = [];
  for (let i = 0; i < (times > 10 ? 3 : 9); i += 1) {
    from = performance.now();
    engine.rank(question);
    ranked.push(performance.now() - from);
  }
  const middle = quantile(ranked, 0.5);
  console.log(`${catalog.gpus.length} GPUs, ${catalog.offers.length} offers: first answer after ${start_ms.toFixed(0)} ms; a ranking of ${rows} rows ${middle.toFixed(1)} ms, ${((1000 * middle) / rows).toFixed(1)} ms per 1,000 rows`);
}
