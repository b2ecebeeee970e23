import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './tests/house/longest-first.ts'
import { findTestKinds, readSources } from './tests/house/test-kinds.ts'

const ROOT = fileURLToPath(new URL('.', import.meta.url))
const tests = findTestKinds(readSources(ROOT))

export default defineConfig({
  test: {
    taskTitleValueFormatTruncate: 0,
    env: {
      // Tests never call a provider, whatever keys the developer has.
      POLYLOGUE_MODEL: 'demo',
      // Each server that a test starts would compile all sources again.
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(ROOT, '.cache', 'compile'),
    },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // On a loaded machine a page or a server may take longer than the default of one second.
    expect: { poll: { timeout: 20_000 } },
    setupFiles: 'tests/house/fix-seed.ts',
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'pure',
          include: [...tests.pure],
          // Most of the time of these files would be imports: share them.
          pool: 'threads',
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'process',
          include: [...tests.process],
          // A process per file: tests start servers, kill them, open databases and change the environment.
          pool: 'forks',
          // More than there are cores: these tests use a core less than half of their time. They wait for servers.
          maxWorkers: 4,
          // They also wait for each other's commits, on disks that may be slow.
          testTimeout: 60_000,
          sequence: { groupOrder: 1 },
          globalSetup: 'tests/house/provide-tools.ts',
          setupFiles: ['tests/house/fix-seed.ts', 'tests/house/end-programs.ts'],
        },
      },
    ],
  },
})
