import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['apps/*/src/**/*.test.{ts,tsx}', 'packages/**/src/**/*.test.{ts,tsx}', 'tests/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/*.proof.test.ts'],
    // A process per file: tests start servers, kill them and open databases.
    pool: 'forks',
    maxWorkers: 2,
    taskTitleValueFormatTruncate: 0,
    // Whatever keys the developer has: no test talks to a provider.
    env: { POLYLOGUE_MODEL: 'demo' },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    globalSetup: 'tests/house/provide-tools.ts',
    setupFiles: 'tests/house/fix-seed.ts',
  },
})
