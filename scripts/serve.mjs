// usage: node serve.mjs FOLDER PORT - serves a folder on 127.0.0.1 as any static host would; port 0 takes a free one.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, resolve, sep } from 'node:path';

const types = {
  '.css': 'text/css; charset=utf-8', '.csv': 'text/csv; charset=utf-8', '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon', '.js': 'text/javascript; charset=utf-8', '.json': 'application/json',
  '.mjs': 'text/javascript; charset=utf-8', '.png': 'image/png', '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8', '.wasm': 'application/wasm', '.webmanifest': 'application/manifest+json',
  '.xml': 'application/xml',
};
const folder = resolve(process.argv[2]);

/** The file that an address means, or undefined; never one outside of the folder. */
async function find(path) {
  const file = resolve(join(folder, path));
  if (file !== folder && !file.startsWith(folder + sep)) return undefined;
  const info = await stat(file).catch(() => undefined);
  if (info?.isDirectory()) return path.endsWith('/') ? find(`${path}index.html`) : { redirect: `${path}/` };
  return info?.isFile() ? { file, size: info.size } : undefined;
}

function send(response, status, text) {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
}

const server = createServer(async (request, response) => {
  if (request.method !== 'GET' && request.method !== 'HEAD') return send(response, 405, 'only GET and HEAD');
  const { pathname, search } = new URL(request.url.replace(/^\/+/, '/'), 'http://127.0.0.1');
  let path;
  try {
    path = decodeURIComponent(pathname);
  } catch {
    return send(response, 400, 'not an address');
  }
  const found = path.includes('\0') ? undefined : await find(path);
  if (!found) return send(response, 404, 'not found');
  if (found.redirect) return response.writeHead(301, { Location: encodeURI(found.redirect) + search }).end();
  response.writeHead(200, {
    'Content-Type': types[extname(found.file)] ?? 'application/octet-stream',
    'Content-Length': found.size,
    'Cache-Control': 'no-cache',
    'X-Content-Type-Options': 'nosniff',
  });
  if (request.method === 'HEAD') return response.end();
  createReadStream(found.file).on('error', () => response.destroy()).pipe(response);
});
server.on('error', (error) => {
  console.error(`cannot serve: ${error.message}`);
  process.exit(1);
});
server.listen(Number(process.argv[3] ?? 0), '127.0.0.1', () => {
  console.log(`WhichGPU is at http://127.0.0.1:${server.address().port}/ (Ctrl+C stops it)`);
});
