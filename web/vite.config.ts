import { defineConfig } from 'vite';

/** Files that others name in their pages keep their name; all else is named by content. */
const fixedNames: Readonly<Record<string, string>> = { sw: 'sw.js', 'which-gpu': 'which-gpu.js' };

// `--mode fixture` swaps the WASM core for canned answers, for looking at the page alone; it never goes to dist.
export default defineConfig(({ mode }) => ({
  base: './',
  resolve: {
    alias:
      mode === 'fixture'
        ? [{ find: /^(\.|\.\.\/engine)\/module\.js$/, replacement: new URL('./tests/fixtures/module.ts', import.meta.url).pathname }]
        : [],
  },
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    outDir: mode === 'fixture' ? 'dist-fixture' : 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: { index: 'index.html', make: 'embed/index.html', frame: 'embed/frame.html', sw: 'src/service-worker.ts', 'which-gpu': 'src/embed/which-gpu.ts' },
      output: { entryFileNames: (chunk) => fixedNames[chunk.name] ?? 'assets/[name]-[hash].js' },
      preserveEntrySignatures: 'allow-extension',
      checks: { pluginTimings: false },
    },
  },
}));
