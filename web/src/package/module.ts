import type { Engine } from '../engine/protocol.js';
import { loadCatalog, openRaw } from './index.js';

/** Takes the place of engine/module.ts in the package: the element and the functions share one core. */
export const openEngine = async (): Promise<{ engine: Engine; catalog: unknown }> => ({ engine: await openRaw(), catalog: await loadCatalog() });
