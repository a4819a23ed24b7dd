// Brings what the native build made into the page's source tree: the WASM module and the catalog bundle.
// `--fixture` leaves both out: the tests that need no core run without a C++ compiler.
import { execFileSync } from 'node:child_process';
import { cp, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);
const generated = new URL('../src/generated/', import.meta.url);
const publicData = new URL('../public/generated/', import.meta.url);
const program = new URL('build/release/whichgpu', root);
const wasm = new URL('build/wasm/', root);

async function need(url, hint) {
  try {
    await stat(url);
  } catch {
    console.error(`missing ${fileURLToPath(url)}: ${hint}`);
    process.exit(1);
  }
}

await need(new URL('whichgpu.js', wasm), 'build the WASM preset first (scripts/run does)');
await need(new URL('whichgpu.wasm', wasm), 'build the WASM preset first (scripts/run does)');
await need(program, 'build the release preset first (scripts/run does)');

await mkdir(new URL('core/', generated), { recursive: true });
for (const name of ['whichgpu.js', 'whichgpu.wasm', 'whichgpu-import.js', 'whichgpu-import.wasm', 'whichgpu-full.js', 'whichgpu-full.wasm']) await cp(new URL(name, wasm), new URL(`core/${name}`, generated));

await rm(publicData, { recursive: true, force: true });
await mkdir(publicData, { recursive: true });
execFileSync(fileURLToPath(program), ['bundle', fileURLToPath(publicData)], { cwd: fileURLToPath(root), stdio: 'inherit' });
// The first load needs the catalog alone; it goes through the bundler for a name that changes with its content.
const catalog = await readFile(new URL('catalog.json', publicData), 'utf8');
await writeFile(new URL('core/catalog.json', generated), catalog);
await rm(new URL('catalog.json', publicData));
console.log(`core: catalog ${catalog.length} bytes`);
