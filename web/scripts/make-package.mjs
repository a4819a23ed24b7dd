// Makes the npm package in build/package from what the native and WASM builds made; `npm pack` there makes the tarball.
import { execFileSync } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const web = fileURLToPath(new URL('..', import.meta.url));
const root = join(web, '..');
const out = join(root, 'build/package');
const run = (program, ...words) => execFileSync(join(web, 'node_modules/.bin', program), words, { cwd: web, stdio: ['ignore', 'pipe', 'inherit'] });

await rm(out, { recursive: true, force: true });
for (const folder of ['bin', 'core']) await mkdir(join(out, folder), { recursive: true });

run('tsc', '-p', 'tsconfig.package.json');
// The element asks the package's own core, and knows no site.
await writeFile(join(out, 'dist/engine/module.js'), "export { openEngine } from '../package/module.js';\n");
await writeFile(join(out, 'dist/embed/site.js'), "export { siteUrl } from '../package/site.js';\n");
await cp(join(web, 'src/package/react.d.ts'), join(out, 'dist/package/react.d.ts'));
await writeFile(join(out, 'dist/package/react.js'), "import '../embed/which-gpu.js';\n");
run('cem', 'analyze', '--litelement', '--globs', 'src/embed/which-gpu.ts', '--outdir', '../build/package');
// The manifest names the files that the package has.
const manifest = join(out, 'custom-elements.json');
await writeFile(manifest, (await readFile(manifest, 'utf8')).replaceAll('src/embed/which-gpu.ts', 'dist/embed/which-gpu.js'));

for (const name of ['whichgpu-full.js', 'whichgpu-full.wasm', 'whichgpu-cli.wasm']) await cp(join(root, 'build/wasm', name), join(out, 'core', name));
// Emscripten's loader for Node is CommonJS, which a file in a package of modules has to say by its name.
await cp(join(root, 'build/wasm/whichgpu-cli.js'), join(out, 'core/whichgpu-cli.cjs'));
const bundle = await mkdtemp(join(tmpdir(), 'whichgpu-'));
execFileSync(join(root, 'build/release/whichgpu'), ['bundle', bundle], { stdio: ['ignore', 'ignore', 'inherit'] });
await cp(join(bundle, 'catalog-full.json'), join(out, 'core/catalog.json'));
await rm(bundle, { recursive: true });
await cp(join(root, 'data'), join(out, 'data'), { recursive: true });

await cp(join(web, 'src/package/bin.js'), join(out, 'bin/whichgpu.js'));
await chmod(join(out, 'bin/whichgpu.js'), 0o755);
for (const name of ['package.json', 'README.md']) await cp(join(web, 'src/package', name), join(out, name));
await cp(join(root, 'LICENSE'), join(out, 'LICENSE'));
console.log('package: made in build/package');
