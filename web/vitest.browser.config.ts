import { defineConfig } from 'vitest/config';

// Flows on the built site in the system's Chromium. One file after the other: the machine is small, and one browser serves all.
export default defineConfig({
  test: {
    include: ['tests/browser/**/*.test.ts'],
    environment: 'node',
    globalSetup: ['./tests/browser/serve.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 120_000,
    reporters: ['default', './tests/summary-reporter.ts'],
  },
});
