import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file of which only the beginning matters; behind it lie zeros up to its size. */
export interface HubFile {
  readonly head: Uint8Array;
  readonly size: number;
}

export interface Hub {
  readonly port: number;
  /** Every request for a file: its path and range. */
  readonly asked: { readonly path: string; readonly range: string }[];
  /** Bytes of bodies that went out. */
  sent: number;
  close(): void;
}

const certificate = (): { key: Buffer; cert: Buffer } => {
  const folder = mkdtempSync(join(tmpdir(), 'hub-'));
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=huggingface.co', '-keyout', key, '-out', cert], { stdio: 'ignore' });
    return { key: readFileSync(key), cert: readFileSync(cert) };
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/**
 * A server that plays the Hub. The organisation in the path says how it behaves: `good` answers ranges, `whole` sends
 * whole files whatever was asked, `cut` hangs up in the middle, `slow` never gets to the body, `gated` wants a login,
 * `busy` has too much to do; files that it has not are 404.
 */
export async function playHub(files: ReadonlyMap<string, HubFile>): Promise<Hub> {
  const hub = { port: 0, asked: [] as { path: string; range: string }[], sent: 0, close: () => undefined as void };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-headers', 'range');
    response.setHeader('access-control-expose-headers', 'content-range');
    if (request.method === 'OPTIONS') {
      response.writeHead(204).end();
      return;
    }
    const path = new URL(request.url ?? '/', 'https://huggingface.co').pathname;
    hub.asked.push({ path, range: request.headers.range ?? '' });
    const [, behaviour = '', , , , name = ''] = path.split('/');
    const file = files.get(name);
    if (behaviour === 'gated') return void response.writeHead(401).end();
    if (behaviour === 'busy') return void response.writeHead(429).end();
    if (!file) return void response.writeHead(404).end();
    const slice = (from: number, to: number): Buffer => {
      const body = Buffer.alloc(to - from);
      if (from < file.head.length) body.set(file.head.subarray(from, Math.min(to, file.head.length)));
      hub.sent += body.length;
      return body;
    };
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    const from = behaviour === 'whole' || !range ? 0 : Number(range[1]);
    const to = behaviour === 'whole' || !range ? file.size : Math.min(Number(range[2]) + 1, file.size);
    if (behaviour === 'whole' || !range) response.writeHead(200, { 'content-length': file.size });
    else if (from >= file.size) return void response.writeHead(416).end();
    else response.writeHead(206, { 'content-range': `bytes ${from}-${to - 1}/${file.size}`, 'content-length': to - from });
    if (behaviour === 'slow') {
      response.flushHeaders();
      return;
    }
    if (behaviour === 'cut') {
      response.write(slice(from, from + Math.floor((to - from) / 2)), () => setTimeout(() => request.socket.destroy(), 100));
      return;
    }
    let at = from;
    const more = (): void => {
      while (at < to && !response.destroyed) {
        const end = Math.min(to, at + 65536);
        const body = slice(at, end);
        at = end;
        if (!response.write(body)) {
          response.once('drain', more);
          return;
        }
      }
      if (!response.destroyed) response.end();
    };
    more();
  };
  const server = createServer(certificate(), answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  hub.port = (server.address() as AddressInfo).port;
  hub.close = () => {
    server.closeAllConnections();
    server.close();
  };
  return hub;
}
