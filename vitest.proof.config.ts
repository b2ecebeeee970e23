import { defineConfig } from 'vitest/config'

const HOURS = 3_600_000

/** What `npm run proof` runs: the same engines as the samples in `npm test`, at full size. */
export default defineConfig({
  test: {
    include: ['apps/*/src/**/*.proof.test.ts', 'packages/**/src/**/*.proof.test.ts', 'tests/**/*.proof.test.ts'],
    exclude: ['**/node_modules/**'],
    pool: 'forks',
    // One at a time: several of them measure.
    maxWorkers: 1,
    fileParallelism: false,
    taskTitleValueFormatTruncate: 0,
    // Whatever keys the developer has: no test talks to a provider.
    env: { POLYLOGUE_MODEL: 'demo' },
    testTimeout: 2 * HOURS,
    hookTimeout: 600_000,
    globalSetup: 'tests/house/provide-tools.ts',
    setupFiles: ['tests/house/fix-seed.ts', 'tests/house/end-programs.ts'],
  },
})
