// Packs build/package, judges it by publint, installs the tarball into empty folders and uses it there: in plain Node, as
// the command line, under the TypeScript compiler and in a site made by Vite, opened in Chromium.
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const web = fileURLToPath(new URL('..', import.meta.url));
const root = join(web, '..');
const program = join(root, 'build/release/whichgpu');
const { devDependencies } = JSON.parse(await readFile(join(web, 'package.json'), 'utf8'));

let passed = 0;
let failed = 0;
function check(name, good, found = '') {
  if (good) passed += 1;
  else {
    failed += 1;
    console.log(`FAILED ${name} ${String(found).slice(0, 600)}`);
  }
}
/** Runs a program to its end; its exit code and what it printed. */
function run(command, words, cwd, input) {
  const { status, stdout, stderr, error } = spawnSync(command, words, { cwd, input, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (error) throw error;
  return { status, stdout, stderr };
}
function must(command, words, cwd) {
  const { status, stdout, stderr } = run(command, words, cwd);
  if (status !== 0) throw new Error(`${command} ${words.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

const work = await mkdtemp(join(tmpdir(), 'whichgpu-package-'));
try {
  const [{ filename, size, unpackedSize }] = JSON.parse(must('npm', ['pack', '--json', '--pack-destination', work], join(root, 'build/package')));
  const tarball = join(work, filename);
  console.log(`${filename}: ${(size / 1e6).toFixed(2)} MB, unpacked ${(unpackedSize / 1e6).toFixed(1)} MB`);
  const publint = run(join(web, 'node_modules/.bin/publint'), ['run', '--strict', tarball], web);
  check('publint', publint.status === 0, publint.stdout + publint.stderr);

  const install = async (folder, ...more) => {
    await mkdir(join(work, folder));
    await writeFile(join(work, folder, 'package.json'), '{"name":"consumer","private":true,"type":"module"}\n');
    must('npm', ['install', '--no-fund', '--no-audit', '--prefer-offline', '--loglevel=error', tarball, ...more], join(work, folder));
    return join(work, folder);
  };

  // Plain Node.
  const node = await install('node');
  await writeFile(join(node, 'use.js'), `
import { compare, decodeLink, encodeLink, estimate, isError, loadCatalog, openRaw, rank } from 'whichgpu';
import { readFileSync } from 'node:fs';
const scenario = { model: 'llama-3-8b', gpu: 'nvidia-rtx-4090' };
const raw = await openRaw();
const gpus = JSON.parse(readFileSync(new URL(import.meta.resolve('whichgpu/data/gpus.json')), 'utf8')).gpus;
const link = await encodeLink({ model: 'llama-3-8b', gpu: 'nvidia-rtx-4090', concurrency: 4 });
console.log(JSON.stringify({
  text: raw.estimate(JSON.stringify(scenario)), same: JSON.stringify(await estimate(scenario)) === JSON.stringify(JSON.parse(raw.estimate(JSON.stringify(scenario)))),
  rows: (await rank({ model: 'llama-3-8b' })).rows.length, sides: (await compare({ gpus: ['nvidia-rtx-a6000', 'nvidia-a100-sxm-80gb'] })).sides?.length,
  link, back: await decodeLink(link), wrong: isError(await estimate({ model: 'no such model' })), gpus: gpus.length, catalog: (await loadCatalog()).gpus.length,
}));`);
  const used = run('node', ['use.js'], node);
  check('Node runs', used.status === 0, used.stderr);
  const found = used.status === 0 ? JSON.parse(used.stdout) : {};
  const asked = JSON.stringify({ model: 'llama-3-8b', gpu: 'nvidia-rtx-4090' });
  const native = run(program, ['estimate'], root, asked).stdout;
  check('estimate has the native bytes', `${found.text}\n` === native, found.text);
  check('estimate() reads them', found.same === true);
  check('rank', found.rows > 100, found.rows);
  check('compare', found.sides === 2, found.sides);
  check('link and back', found.link?.startsWith('v=1&') && found.back?.concurrency === 4, JSON.stringify([found.link, found.back]));
  check('an error is a value', found.wrong === true);
  check('the catalogs as JSON', found.gpus > 100 && found.catalog === found.gpus, `${found.gpus} ${found.catalog}`);

  // The command line: the same words give the same bytes and the same exit code.
  const bin = join(node, 'node_modules/.bin/whichgpu');
  const commands = [
    [['estimate', '--model', 'llama-3-8b', '--gpu', 'nvidia-rtx-4090', '--json']],
    [['estimate'], `${asked}\n{"model":"no such model"}\n{"model":"llama-3.1-70b","workload":"finetune","gpu":"h100 sxm"}\n`],
    [['estimate', '--evidence'], asked],
    [['rank', '--model', 'llama-3-8b', '--most', '5']],
    [['rank', '--json'], '{"gpu":"rtx 4090"}'],
    [['compare', 'rtx a6000', 'a100 sxm 80gb']],
    [['scale', '--most', '8'], asked],
    [['own'], asked],
    [['launch'], asked],
    [['claims', '--json']],
    [['link', 'encode'], asked],
    [['link', 'decode', 'v=1&m=llama-3-8b']],
    [['rank', '--by', 'nonsense'], asked],
    [['estimate', 'no-such-file.json']],
    [['nonsense']],
  ];
  for (const [words, input] of commands) {
    const ours = run(bin, words, node, input ?? '');
    const theirs = run(program, words, node, input ?? '');
    check(`whichgpu ${words.join(' ')}`, ours.stdout === theirs.stdout && ours.status === theirs.status, `exit ${ours.status}, native ${theirs.status}: ${ours.stdout.slice(0, 150)} ${ours.stderr.slice(0, 200)}`);
  }

  // Types, then a site.
  const site = await install('site', `vite@${devDependencies.vite}`, `typescript@${devDependencies.typescript}`, 'react@19.2.0', '@types/react@19.2.2');
  await writeFile(join(site, 'main.ts'), `
import { estimate, isError, type Scenario } from 'whichgpu';
import 'whichgpu/element';
const scenario: Scenario = { model: 'llama-3-8b', gpu: 'nvidia-rtx-4090' };
const answer = await estimate(scenario);
document.title = isError(answer) ? answer.error.message : answer.memory?.verdict ?? 'no verdict';
`);
  await writeFile(join(site, 'view.tsx'), `
import 'whichgpu/react';
export const View = () => <which-gpu scenario="v=1&m=llama-3-8b" view="table" locale="es" className="wide" />;
`);
  const types = (...more) => run(join(site, 'node_modules/.bin/tsc'), ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2023,dom,dom.iterable', '--jsx', 'react-jsx', '--types', 'react', ...more], site);
  for (const [module, resolution] of [['nodenext', 'nodenext'], ['esnext', 'bundler']]) {
    const typed = types('--module', module, '--moduleResolution', resolution, 'main.ts', 'view.tsx');
    check(`types, ${resolution}`, typed.status === 0, typed.stdout);
  }
  await writeFile(join(site, 'wrong.tsx'), "import { estimate } from 'whichgpu';\nimport 'whichgpu/react';\nvoid estimate({ modle: 'x' });\nexport const View = () => <which-gpu view=\"sideways\" />;\n");
  const wrong = types('--module', 'esnext', '--moduleResolution', 'bundler', 'wrong.tsx').stdout;
  check('types refuse what is wrong', /wrong\.tsx\(3/.test(wrong) && /wrong\.tsx\(4/.test(wrong), wrong);

  await writeFile(join(site, 'index.html'), '<!doctype html><title>waiting</title><which-gpu scenario="v=1&m=llama-3-8b&g=nvidia-rtx-4090"></which-gpu><script type="module" src="/main.ts"></script>\n');
  const built = run(join(site, 'node_modules/.bin/vite'), ['build'], site);
  check('Vite builds', built.status === 0, built.stdout + built.stderr);
  const kinds = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm', '.json': 'application/json' };
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url, 'http://site').pathname);
    readFile(join(site, 'dist', path === '/' ? 'index.html' : path)).then(
      (bytes) => response.writeHead(200, { 'content-type': kinds[extname(path) || '.html'] ?? 'application/octet-stream' }).end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    const errors = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await page.waitForFunction(() => document.title !== 'waiting', null, { timeout: 30_000 }).catch((cause) => errors.push(cause.message));
    check('Vite: estimate in the browser', (await page.title()) === JSON.parse(native).memory.verdict, `${await page.title()} ${errors}`);
    const verdict = page.locator('which-gpu .verdict').first();
    await verdict.waitFor({ timeout: 30_000 }).catch((cause) => errors.push(cause.message));
    check('Vite: the element answers', (await verdict.count()) === 1, errors);
    check('Vite: no site, no link', (await page.locator('which-gpu a').count()) === 0);
    await page.evaluate(() => document.querySelector('which-gpu').setAttribute('site', 'https://example.org/gpu/'));
    check('Vite: the link leads to the named site', (await page.locator('which-gpu a').getAttribute('href'))?.startsWith('https://example.org/gpu/?v=1&m=llama-3-8b'));
    check('Vite: no error on the page', errors.length === 0, errors);
  } finally {
    await browser.close();
    server.close();
  }

  const manifest = JSON.parse(await readFile(join(node, 'node_modules/whichgpu/custom-elements.json'), 'utf8'));
  const element = manifest.modules.flatMap((module) => module.declarations).find((declaration) => declaration.tagName === 'which-gpu');
  check('the manifest has the attributes', ['scenario', 'view', 'gpus', 'theme', 'locale', 'site'].every((name) => element?.attributes.some((attribute) => attribute.name === name)), JSON.stringify(element?.attributes));
} finally {
  await rm(work, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
