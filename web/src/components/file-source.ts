import { say } from './bring-text.js';

/** Something whose beginning can be read, more of it when asked. */
export interface FileSource {
  readonly name: string;
  /** Bytes of the whole file; 0 while not known. */
  readonly size: number;
  /** What is worth telling about how it was read; empty otherwise. */
  readonly remark: string;
  /** At least the first `bytes` bytes, or all there are. */
  start(bytes: number): Promise<Uint8Array>;
  /** Lets go of what is still open. */
  close(): void;
}

/** A reason that is meant for the reader as it is. */
export class Unreadable extends Error {}

export class NotThere extends Unreadable {}

const silenceSeconds = 10;

/** A size as people read it; files are counted in powers of ten. */
export const sizeText = (bytes: number): string => {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let step = 0;
  while (bytes >= 999.5 && step < units.length - 1) {
    bytes /= 1000;
    step += 1;
  }
  return `${step === 0 ? bytes : bytes.toPrecision(3)} ${units[step]}`;
};

export class LocalFile implements FileSource {
  readonly remark = '';
  constructor(private readonly file: File) {}
  get name(): string {
    return this.file.name;
  }
  get size(): number {
    return this.file.size;
  }
  async start(bytes: number): Promise<Uint8Array> {
    return new Uint8Array(await this.file.slice(0, Math.min(bytes, this.file.size)).arrayBuffer());
  }
  close(): void {
    // a slice holds nothing open
  }
}

export class TextFile implements FileSource {
  readonly remark = '';
  private readonly bytes: Uint8Array;
  constructor(readonly name: string, text: string) {
    this.bytes = new TextEncoder().encode(text);
  }
  get size(): number {
    return this.bytes.length;
  }
  start(): Promise<Uint8Array> {
    return Promise.resolve(this.bytes);
  }
  close(): void {
    // all of it is here
  }
}

/**
 * A file at an address, of which only the beginning is fetched: by range requests, or where the host answers with the
 * whole file, by taking no more of the stream than is needed.
 */
export class RemoteFile implements FileSource {
  size = 0;
  remark = '';
  readonly name: string;
  private held = new Uint8Array(0);
  private stream: ReadableStreamDefaultReader<Uint8Array> | undefined;
  private abort = new AbortController();

  constructor(private readonly url: string, private readonly onProgress: (bytes: number) => void) {
    this.name = decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? url);
  }

  async start(bytes: number): Promise<Uint8Array> {
    const wanted = this.size > 0 ? Math.min(bytes, this.size) : bytes;
    if (!this.stream && this.held.length < wanted) await this.ask(this.held.length, wanted);
    if (this.stream) await this.take(wanted);
    return this.held;
  }

  close(): void {
    this.abort.abort();
    this.stream = undefined;
  }

  /** Gives up when nothing comes for a while; the reason tells which of the two it was. */
  private async patient<T>(step: Promise<T>): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new Unreadable(say('slow', { seconds: silenceSeconds })));
        this.close();
      }, silenceSeconds * 1000);
    });
    try {
      return await Promise.race([step, silence]);
    } finally {
      clearTimeout(timer);
    }
  }

  private async ask(from: number, to: number): Promise<void> {
    const request = fetch(this.url, { headers: { Range: `bytes=${from}-${to - 1}` }, credentials: 'omit', referrerPolicy: 'no-referrer', signal: this.abort.signal });
    request.catch(() => undefined); // answered below, or given up on before
    let response: Response;
    try {
      response = await this.patient(request);
    } catch (cause) {
      if (cause instanceof Unreadable) throw cause;
      console.info(`${this.url} did not load`, cause);
      throw new Unreadable(from > 0 ? say('cut', { size: sizeText(from) }) : say('offline'));
    }
    const { status } = response;
    if (status === 401 || status === 403) throw new Unreadable(say('gated', { repo: this.name }));
    if (status === 404) throw new NotThere(say('missingFile', { file: this.name }));
    if (status === 429 || status === 503) throw new Unreadable(say('busy', { status }));
    if (status === 416) {
      this.size = this.held.length; // nothing lies behind what is here
      return;
    }
    if (!response.ok || !response.body) throw new Unreadable(say('failed', { reason: `HTTP ${status}` }));
    const reader = response.body.getReader();
    if (status === 206) {
      const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(response.headers.get('content-range') ?? '');
      if (range) this.size = Number(range[3]);
      if (range && Number(range[1]) !== from) throw new Unreadable(say('failed', { reason: `Content-Range ${range[0]}` }));
      await this.drain(reader, to);
      const promised = this.size > 0 ? Math.min(to, this.size) : 0;
      if (this.size === 0 && this.held.length < to) this.size = this.held.length; // the host does not tell the size: here it ends
      if (this.held.length < promised) throw new Unreadable(say('cut', { size: sizeText(this.held.length) }));
    } else {
      this.held = new Uint8Array(0);
      this.size = Number(response.headers.get('content-length') ?? 0);
      this.stream = reader;
    }
  }

  private async take(wanted: number): Promise<void> {
    if (!this.stream) return;
    await this.drain(this.stream, wanted);
    this.remark = say('wholeSent', { size: sizeText(this.held.length) });
    const whole = this.held.length < wanted;
    if (whole && this.size > this.held.length) throw new Unreadable(say('cut', { size: sizeText(this.held.length) }));
    if (whole) this.size = this.held.length;
  }

  /** Reads until `wanted` bytes are held or the stream ends. */
  private async drain(reader: ReadableStreamDefaultReader<Uint8Array>, wanted: number): Promise<void> {
    const chunks: Uint8Array[] = [this.held];
    let length = this.held.length;
    try {
      while (length < wanted) {
        const next = reader.read();
        next.catch(() => undefined); // answered below, or given up on before
        const { done, value } = await this.patient(next);
        if (done) break;
        chunks.push(value);
        length += value.length;
        this.onProgress(length);
      }
    } catch (cause) {
      if (cause instanceof Unreadable) throw cause;
      console.info(`${this.url} broke off`, cause);
      throw new Unreadable(say('cut', { size: sizeText(length) }));
    }
    this.held = new Uint8Array(length);
    let at = 0;
    for (const chunk of chunks) {
      this.held.set(chunk, at);
      at += chunk.length;
    }
  }
}
