import './styles/page.css';
import { startWorker } from './engine/client.js';
import { fetchEvidence, fetchQuality } from './engine/evidence.js';
import { Store } from './state/store.js';
import './components/app.js';

/** Storage can be forbidden; the page then forgets its settings and works all the same. */
function storageOrNull(): Storage | null {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}

const store = new Store(startWorker(), { location, history, storage: storageOrNull(), evidence: fetchEvidence, quality: fetchQuality }, navigator.language.slice(0, 2));
void store.start();
addEventListener('popstate', () => void store.arrive());

const app = document.createElement('wg-app');
app.store = store;
document.querySelector('#shell')?.replaceWith(app);

// After the first answer, so that it does not compete with it for the network.
if ('serviceWorker' in navigator && window.isSecureContext) {
  addEventListener('load', () => {
    navigator.serviceWorker.register('./sw.js').catch((cause: unknown) => console.info('no offline copy', cause));
  });
}
