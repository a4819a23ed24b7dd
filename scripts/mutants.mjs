// Mutation testing of the core; scripts/mutants says what for.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const root = new URL('../', import.meta.url).pathname;
const concepts = ['memory', 'speed', 'cost', 'training', 'rank'];
const { floor_percent: floor, equivalent } = JSON.parse(readFileSync(`${root}tests/mutants.json`, 'utf8'));
const testTimeout_s = 300;

/** The source with comments, strings and preprocessor lines blanked out, place for place. */
function codeOnly(source) {
  const blank = (text) => text.replace(/[^\n]/g, ' ');
  return source.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|^#[^\n]*/gm, blank);
}

// What is looked for in the code of a line, and what replaces it.
const swap = (pairs) => (found) => pairs[found];
const operators = [
  { name: 'arithmetic', find: /(?<=[\w)\]] )[*/](?= [\w(*-])/g, replace: swap({ '*': '/', '/': '*' }) },
  { name: 'sign', find: /(?<=[\w)\]] )[+-](?= [\w(*-])/g, replace: swap({ '+': '-', '-': '+' }) },
  { name: 'assignment', find: /(?<=[\w)\]] )[+-]=(?= )/g, replace: swap({ '+=': '-=', '-=': '+=' }) },
  { name: 'boundary', find: /(?<=[\w)\]] )[<>]=?(?= [\w(*-])/g, replace: swap({ '<': '<=', '<=': '<', '>': '>=', '>=': '>' }) },
  { name: 'equality', find: /(?<= )[=!]=(?= )/g, replace: swap({ '==': '!=', '!=': '==' }) },
  { name: 'logic', find: /(?<= )(?:&&|\|\|)(?= )/g, replace: swap({ '&&': '||', '||': '&&' }) },
  { name: 'extreme', find: /\bstd::(?:min|max)\b/g, replace: swap({ 'std::min': 'std::max', 'std::max': 'std::min' }) },
  { name: 'constant', find: /(?<![\w.])(?:\d+\.\d+|\d{2,}|[2-9])(?:e-?\d+)?(?![\w.'])/g, replace: (found) => (/^\d+$/.test(found) ? `(${found} + 1)` : `(${found} * 1.25)`) },
  { name: 'guard', find: /(?<=^\s*)if \(.*\) (?:return|continue|break)\b.*;(?=\s*$)/g, replace: () => ';' },
];

/** Every mutant of a concept. Its id hangs on the line's text and not its number, so that the sample stays when other lines change. */
function mutantsOf(concept) {
  const folder = `core/src/${concept}`;
  const found = [];
  for (const file of readdirSync(root + folder).filter((name) => name.endsWith('.cpp')).sort()) {
    const lines = readFileSync(`${root}${folder}/${file}`, 'utf8').split('\n');
    const code = codeOnly(lines.join('\n')).split('\n');
    const seen = new Map();
    code.forEach((line, at) => {
      // Shown formulas are text, a loop's end crashes, and the fit's priors are held by the fit (scripts/calibrate --check).
      if (/format_number|explain|^\s*for \(|\{\{k\w+, /.test(lines[at])) return;
      for (const { name, find, replace } of operators)
        for (const match of line.matchAll(find)) {
          const text = lines[at].trim();
          const key = `${file} ${name} ${match.index - line.search(/\S/)} ${text}`;
          const turn = (seen.get(key) ?? 0) + 1;
          seen.set(key, turn);
          const original = lines[at].slice(match.index, match.index + match[0].length);
          found.push({
            id: createHash('sha256').update(`${concept}/${key} ${turn}`).digest('hex').slice(0, 8),
            concept, file: `${folder}/${file}`, line: at + 1, operator: name, text,
            mutated: (lines[at].slice(0, match.index) + replace(original) + lines[at].slice(match.index + original.length)),
          });
        }
    });
  }
  return found.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}

const chosenIds = [];
let perConcept = 10;
let listOnly = false;
for (let i = 2; i < process.argv.length; ++i) {
  const argument = process.argv[i];
  if (argument === '--per-concept') perConcept = Number(process.argv[++i]);
  else if (argument === '--list') listOnly = true;
  else if (/^[0-9a-f]{8}$/.test(argument)) chosenIds.push(argument);
  else throw new Error('usage: scripts/mutants [--per-concept N] [--list] [ID...]');
}
const all = concepts.map(mutantsOf);
const sample = chosenIds.length > 0 ? all.flat().filter((m) => chosenIds.includes(m.id)) : all.flatMap((list) => list.slice(0, perConcept));
console.log(`${sample.length} of ${all.flat().length} mutants (${concepts.map((c, i) => `${c} ${all[i].length}`).join(', ')})`);
const show = (m) => `${m.id} ${m.file}:${m.line} ${m.operator}\n    - ${m.text}\n    + ${m.mutated.trim()}`;
if (listOnly) {
  for (const m of sample) console.log(show(m));
  process.exit(0);
}

/** Runs a command to its end: {code, output}; code is null when it was ended by a signal, here also by the time limit. */
function run(command, args, { cwd, timeout_s = 1200 } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, timeout: timeout_s * 1000, killSignal: 'SIGKILL',
      env: { ...process.env, CCACHE_BASEDIR: cwd, CCACHE_NOHASHDIR: '1' } });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => { output = (output + text).slice(-20000); });
    child.on('close', (code) => resolve({ code, output }));
  });
}

/** A copy of the sources with a build of its own, so that mutants never touch the project's files. */
async function makeWorker(number) {
  const folder = `${root}build/mutants/${number}`;
  rmSync(`${folder}/source`, { recursive: true, force: true });
  mkdirSync(`${folder}/source`, { recursive: true });
  const source = `${folder}/source`;
  for (const name of ['CMakeLists.txt', 'core', 'tests']) cpSync(root + name, `${source}/${name}`, { recursive: true, preserveTimestamps: true });
  for (const name of ['data', 'LICENSE', 'README.md', 'scripts', 'web']) if (existsSync(root + name)) symlinkSync(root + name, `${source}/${name}`);
  const configured = await run('cmake', ['-S', '.', '-B', '../build', '-G', 'Ninja', '-DCMAKE_BUILD_TYPE=Release',
    ...(ccache ? ['-DCMAKE_CXX_COMPILER_LAUNCHER=ccache'] : [])], { cwd: source });
  if (configured.code !== 0) throw new Error(configured.output);
  return {
    source,
    build: (target, timeout_s) => run('cmake', ['--build', '../build', '--target', target, '--', '-j', '1'], { cwd: source, timeout_s }),
    /** What noticed, '' when nothing did. The quick comes first: most mutants are dead before the fit is asked for. */
    async noticedBy() {
      for (const which of ['~[slow]', '[slow]'])
        if ((await run('../build/tests/whichgpu_tests', ['--abort', which], { cwd: source, timeout_s: testTimeout_s })).code !== 0) return 'tests';
      // What the measurements are read with is held by the fit: other features, other coefficients.
      if ((await this.build('whichgpu_calibrate', 3600)).code !== 0) throw new Error('whichgpu_calibrate does not build');
      return (await run('../build/whichgpu_calibrate', ['--check'], { cwd: source, timeout_s: 2 * testTimeout_s })).code !== 0 ? 'calibration' : '';
    },
  };
}

const ccache = (await run('sh', ['-c', 'command -v ccache'])).code === 0;
const started = Date.now();
const jobs = Math.min(availableParallelism(), 2, sample.length);
const workers = await Promise.all(Array.from({ length: jobs }, (_, i) => makeWorker(i)));
for (const worker of workers) {
  // One after the other: the second finds the first one's objects in the cache.
  const built = await worker.build('whichgpu_tests', 3600);
  if (built.code !== 0) throw new Error(built.output);
}
const unsound = await workers[0].noticedBy();
if (unsound) throw new Error(`without any mutant the ${unsound} fail`);

const counts = new Map(concepts.map((c) => [c, { killed: 0, survived: 0, equivalent: 0, uncompiled: 0 }]));
const survivors = [];
const queue = [...sample];
await Promise.all(workers.map(async (worker) => {
  for (let m = queue.shift(); m; m = queue.shift()) {
    const file = `${worker.source}/${m.file}`;
    const original = readFileSync(file, 'utf8');
    const lines = original.split('\n');
    lines[m.line - 1] = m.mutated;
    writeFileSync(file, lines.join('\n'));
    const built = await worker.build('whichgpu_tests', 600);
    const noticed = built.code === 0 ? await worker.noticedBy() : '';
    const word = built.code !== 0 ? 'uncompiled' : noticed ? 'killed' : equivalent[m.id] ? 'equivalent' : 'survived';
    writeFileSync(file, original);
    counts.get(m.concept)[word] += 1;
    if (word === 'survived') survivors.push(m);
    console.log(`${word.padEnd(10)} ${noticed && `by ${noticed} `}${show(m)}`);
  }
}));

console.log('');
const total = { killed: 0, survived: 0, equivalent: 0, uncompiled: 0 };
for (const [concept, c] of counts) {
  for (const word of Object.keys(total)) total[word] += c[word];
  console.log(`${concept.padEnd(9)} ${c.killed} killed, ${c.survived} survived, ${c.equivalent} equivalent, ${c.uncompiled} did not compile`);
}
const share = (100 * total.killed) / Math.max(1, total.killed + total.survived);
console.log(`killed ${share.toFixed(1)} % of ${total.killed + total.survived} (at least ${floor} % is asked for), ${total.equivalent} more change nothing that can be seen; ${Math.round((Date.now() - started) / 1000)} s`);
for (const m of survivors.sort((a, b) => (a.id < b.id ? -1 : 1))) console.log(`survived ${show(m)}`);
console.log(`${total.killed + total.equivalent} passed, ${share >= floor ? 0 : total.survived} failed`);
process.exit(share >= floor ? 0 : 1);
