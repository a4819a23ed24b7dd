// Asks the native program and the WASM module the same questions and compares the answers byte for byte.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync } from 'node:fs';

const root = new URL('../../', import.meta.url);
const path = (name) => new URL(name, root).pathname;
const program = path('build/release/whichgpu');
// The module of another compiler on request: parity.mjs [FOLDER], build/wasm when none is named.
const folder = process.argv[2] ?? 'build/wasm';
const bundle = path('build/parity');
mkdirSync(bundle, { recursive: true });
execFileSync(program, ['bundle', bundle], { stdio: ['ignore', 'ignore', 'inherit'] });

const { default: createWhichGpu } = await import(new URL(`${folder}/whichgpu.js`, root));
const module = await createWhichGpu({ wasmBinary: readFileSync(path(`${folder}/whichgpu.wasm`)) });
const engine = new module.Engine(readFileSync(`${bundle}/catalog.json`, 'utf8'));
const { default: createFull } = await import(new URL(`${folder}/whichgpu-full.js`, root));
const fullModule = await createFull({ wasmBinary: readFileSync(path(`${folder}/whichgpu-full.wasm`)) });
const full = new fullModule.Engine(readFileSync(`${bundle}/catalog.json`, 'utf8'));

const lines = (name) => readFileSync(new URL(name, import.meta.url), 'utf8').split('\n').filter((line) => line.trim() !== '');
function native(command, input) {
  const run = spawnSync(program, command, { input, encoding: 'utf8', maxBuffer: 1 << 30 });
  if (run.signal || run.status > 1) throw new Error(`whichgpu ${command.join(' ')} ended with ${run.signal ?? run.status}: ${run.stderr}`);
  return run.stdout.split('\n').slice(0, -1);
}

let passed = 0;
let failed = 0;
function compare(question, expected, found) {
  if (expected === found) {
    passed += 1;
    return;
  }
  failed += 1;
  if (failed > 10) return;
  let at = 0;
  while (at < expected.length && expected[at] === found[at]) at += 1;
  const around = (text) => text.slice(Math.max(0, at - 60), at + 60);
  console.log(`DIFFERS ${question.slice(0, 300)}\n  native ${around(expected)}\n  wasm   ${around(found)}`);
}

const scenarios = lines('scenarios.jsonl');
const estimates = native(['estimate'], scenarios.join('\n'));
if (estimates.length !== scenarios.length) throw new Error(`${scenarios.length} scenarios, but ${estimates.length} answers`);
scenarios.forEach((scenario, i) => compare(scenario, estimates[i], engine.estimate(scenario)));
const errors = estimates.filter((line) => line.startsWith('{"error":')).length;

for (const scenario of lines('rankings.jsonl')) {
  const expected = native(['rank', '--json'], scenario).join('\n');
  compare(`rank ${scenario}`, expected, engine.rank(scenario));
  compare(`rank, full module ${scenario}`, expected, full.rank(scenario));
}

for (const gpus of [['nvidia-rtx-a6000', 'nvidia-a100-sxm-80gb'], ['nvidia-rtx-4090', 'nvidia-a100-pcie-40gb', 'apple-m4-max', 'amd-mi300x'], ['nvidia-rtx-4090', 'no such card']]) {
  compare(`compare ${gpus}`, native(['compare', '--json', ...gpus], '').join('\n'), full.compare(JSON.stringify({ gpus })));
}

for (const scenario of scenarios.slice(0, 12).concat(scenarios.slice(-6)))
  compare(`own ${scenario}`, native(['own', '--json'], scenario).join('\n'), engine.ownership(scenario));
// Commands and scaling, which the page's first module does not have.
const whole = new fullModule.Engine(readFileSync(`${bundle}/catalog-full.json`, 'utf8'));
for (const scenario of scenarios.slice(0, 60)) compare(`launch ${scenario}`, native(['launch', '--json'], scenario).join('\n'), whole.launch(scenario));
for (const scenario of scenarios.slice(0, 12)) compare(`scale ${scenario}`, native(['scale', '--json'], scenario).join('\n'), whole.scale(JSON.stringify({ scenario: JSON.parse(scenario), gpus: [], most: 32 })));

// Models that somebody brings.
const { default: createImport } = await import(new URL(`${folder}/whichgpu-import.js`, root));
const importer = await createImport({ wasmBinary: readFileSync(path(`${folder}/whichgpu-import.wasm`)) });
for (const name of readdirSync(path('tests/core/import/configs'))) {
  const file = path(`tests/core/import/configs/${name}`);
  const expected = native(['inspect', file, '--name', name], '').join('\n');
  const bytes = readFileSync(file);
  for (const { inspect_files } of [importer, fullModule]) compare(`inspect ${name}`, expected, inspect_files([{ name, bytes, file_bytes: bytes.length }]));
}

// The nearest measurements, from the same file on both sides.
const shard = `${bundle}/evidence/llama-3.1-8b.csv`;
const informed = new module.Engine(readFileSync(`${bundle}/catalog.json`, 'utf8'));
const kept = JSON.parse(informed.load_measurements(readFileSync(shard, 'utf8')));
if (!(kept.rows > 100)) throw new Error(`expected measurements in ${shard}, found ${JSON.stringify(kept)}`);
const near = scenarios.filter((scenario) => scenario.includes('llama-3.1-8b') || scenario.includes('llama-3-8b'));
const withEvidence = native(['estimate', '--evidence', shard], near.join('\n'));
near.forEach((scenario, i) => compare(`evidence ${scenario}`, withEvidence[i], informed.estimate(scenario)));
const shown = withEvidence.filter((line) => line.includes('"distance":"near"')).length;
if (shown === 0) throw new Error('no scenario of tests/parity has evidence');

// A link of every fifth scenario, there and back.
let links = 0;
for (const scenario of scenarios.filter((_, i) => i % 5 === 0)) {
  const query = engine.link_encode(scenario);
  compare(`link encode ${scenario}`, native(['link', 'encode'], scenario).join('\n'), query);
  if (query.startsWith('{')) continue;
  links += 1;
  compare(`link decode ${query}`, native(['link', 'decode'], query).join('\n'), engine.link_decode(query));
}

console.log(`${scenarios.length} scenarios (${errors} of them answered by an error), ${lines('rankings.jsonl').length} rankings, ${links} links`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
