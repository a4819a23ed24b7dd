import { defineConfig } from 'vite';

// `--mode fixture` swaps the WASM core for canned answers, for tests of the page alone; it never goes to dist.
export default defineConfig(({ mode }) => ({
  base: './',
  resolve: {
    alias:
      mode === 'fixture' || mode === 'test'
        ? [{ find: /^\.\/module\.js$/, replacement: new URL('./tests/fixtures/module.ts', import.meta.url).pathname }]
        : [],
  },
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    outDir: mode === 'fixture' ? 'dist-fixture' : 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { input: { index: 'index.html' } },
  },
}));
