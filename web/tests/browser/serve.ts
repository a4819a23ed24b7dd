import { createServer } from 'node:http';
import { readFile, stat } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.csv': 'text/csv',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
};

/** A plain static host that serves the site from a sub-folder, as some hosts do. */
export default async function serve(project: TestProject): Promise<() => void> {
  const folder = new URL('../../dist/', import.meta.url).pathname;
  await stat(join(folder, 'index.html'));
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://host');
    const path = decodeURIComponent(pathname);
    const inside = path.startsWith('/some/folder/') ? normalize(path.slice('/some/folder/'.length)) : '..';
    if (inside.startsWith('..')) {
      response.writeHead(404).end();
      return;
    }
    const file = join(folder, inside === '.' || inside.endsWith('/') ? join(inside, 'index.html') : inside);
    readFile(file).then(
      (body) => response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream', 'access-control-allow-origin': '*' })
        // The service worker as the next version of the site would have it.
        .end(search === '?next' ? body.toString().replace(/"version":"\w+"/, '"version":"next"') : body),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  project.provide('site', `http://127.0.0.1:${(server.address() as AddressInfo).port}/some/folder/`);
  return () => void server.close();
}

declare module 'vitest' {
  export interface ProvidedContext {
    site: string;
  }
}
