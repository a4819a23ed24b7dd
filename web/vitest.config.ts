import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['tests/unit/**/*.test.ts'], environment: 'happy-dom', reporters: ['default', './tests/summary-reporter.ts'] },
  resolve: {
    alias: [{ find: /^\.\/module\.js$/, replacement: new URL('./tests/fixtures/module.ts', import.meta.url).pathname }],
  },
});
