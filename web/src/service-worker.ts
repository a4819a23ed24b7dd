/** The build writes the list of the site's first-load files here, with a name that changes with their content. */
declare const FILES_OF_THIS_BUILD: { readonly version: string; readonly files: readonly string[] };

interface ExtendableEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface FetchEvent extends ExtendableEvent {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

const { version, files } = FILES_OF_THIS_BUILD;
const prefix = 'whichgpu-';
const current = prefix + version;
const scope = self as unknown as { skipWaiting(): Promise<void>; readonly clients: { claim(): Promise<void> } };

self.addEventListener('install', (event) => {
  (event as ExtendableEvent).waitUntil(
    caches
      .open(current)
      .then((cache) => cache.addAll(files))
      .then(() => scope.skipWaiting()),
  );
});

self.addEventListener('activate', (event) => {
  (event as ExtendableEvent).waitUntil(
    caches
      .keys()
      // The version before stays for pages that are still open and may yet ask for their own parts.
      .then((names) => names.filter((name) => name.startsWith(prefix) && name !== current).slice(0, -1))
      .then((old) => Promise.all(old.map((name) => caches.delete(name))))
      .then(() => scope.clients.claim()),
  );
});

/** The page that was asked for last came from the copy: the browser's own idea of being online misses most such cases. */
let cutOff = false;

/** Pages come from the network while there is one, so that nobody stays on an old version. */
async function fresh(request: Request): Promise<Response> {
  try {
    const response = await fetch(request);
    if (request.mode === 'navigate') cutOff = false;
    if (response.ok) {
      const copy = response.clone();
      await caches.open(current).then((cache) => cache.put(request, copy)).catch((cause: unknown) => console.info('not kept for offline use', cause)); // full
    }
    return response;
  } catch (cause) {
    const kept = await caches.match(request, { ignoreSearch: request.mode === 'navigate' });
    if (request.mode === 'navigate') cutOff = true;
    if (kept) return kept;
    throw cause;
  }
}

/** Files whose names hold their content never change. */
async function kept(request: Request): Promise<Response> {
  return (await caches.match(request)) ?? fresh(request);
}

self.addEventListener('fetch', (event) => {
  const { request } = event as FetchEvent;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== location.origin) return;
  (event as FetchEvent).respondWith(url.pathname.includes('/assets/') ? kept(request) : fresh(request));
});

self.addEventListener('message', (event) => {
  const { data, source } = event as MessageEvent<unknown>;
  if (data === 'cut off?' && cutOff) (source as { postMessage(message: string): void } | null)?.postMessage('cut off');
});
