import { makeDispatch } from './dispatch.js';
import { openEngine } from './module.js';
import type { Reply, Request } from './protocol.js';

// Opened at once: the module and the catalog travel while the page still draws its frame.
const ready = openEngine().then(({ engine, catalog }) => makeDispatch(engine, catalog));
ready.catch(() => undefined); // reported with the first request, which every page sends

addEventListener('message', (event: MessageEvent<Request>) => {
  const { id, call, input } = event.data;
  ready
    .then((dispatch): Reply => ({ id, output: dispatch(call, input) }))
    .catch((cause: unknown): Reply => ({ id, failure: cause instanceof Error ? cause.message : String(cause) }))
    .then((reply) => postMessage(reply));
});
