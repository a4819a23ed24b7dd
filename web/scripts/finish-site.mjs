// The last step of the build: tells the service worker which files make the first load, and checks every local link.
import { createHash } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { posix } from 'node:path';

const dist = new URL('../dist/', import.meta.url);
const all = (await readdir(dist, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile())
  .map((entry) => posix.join(entry.parentPath ?? entry.path, entry.name).slice(dist.pathname.length))
  .sort();

const assets = all.filter((name) => name.startsWith('assets/'));
const first = ['./', 'icon.svg', 'manifest.webmanifest', ...assets];
const hash = createHash('sha256');
for (const name of ['index.html', ...assets]) hash.update(name).update(await readFile(new URL(name, dist)));
const worker = new URL('sw.js', dist);
const source = await readFile(worker, 'utf8');
const token = 'FILES_OF_THIS_BUILD';
if (!source.includes(token)) throw new Error('sw.js has no place for the list of files');
await writeFile(worker, source.replaceAll(token, JSON.stringify({ version: hash.digest('hex').slice(0, 16), files: first })));

// A preview needs an absolute address, which only the host of the site knows.
const siteUrl = process.env.SITE_URL?.replace(/\/?$/, '/');
if (siteUrl) {
  const index = new URL('index.html', dist);
  const html = await readFile(index, 'utf8');
  await writeFile(index, html.replace('</head>', `<meta property="og:url" content="${siteUrl}"><meta property="og:image" content="${siteUrl}card.png"><link rel="canonical" href="${siteUrl}"></head>`));
}

const files = new Set(all);
const broken = [];
let links = 0;
for (const name of all.filter((file) => file.endsWith('.html'))) {
  const html = await readFile(new URL(name, dist), 'utf8');
  for (const [, link] of html.matchAll(/(?:href|src)="([^"#?]*)/g)) {
    if (link === '' || /^[a-z]+:/.test(link)) continue;
    links++;
    const target = posix.join(posix.dirname(name), link);
    const file = target.endsWith('/') || target === '.' ? posix.join(target, 'index.html') : target;
    if (target.startsWith('..') || link.startsWith('/') || !files.has(file)) broken.push(`${name}: ${link}`);
  }
}
if (broken.length > 0) {
  console.error(`${broken.length} broken links, among them\n${broken.slice(0, 10).join('\n')}`);
  process.exit(1);
}
const sizes = await Promise.all(all.map(async (name) => (await stat(new URL(name, dist))).size));
console.log(`site: ${all.length} files, ${(sizes.reduce((a, b) => a + b, 0) / 1e6).toFixed(1)} MB, ${links} local links hold`);
