import type { Mutant } from './mutant.ts'

const TOOLS = 'packages/tools/src'

/** One mutant for each security boundary between users, repositories, models and the server. */
export const SECURITY_MUTANTS: readonly Mutant[] = [
  {
    name: 'a schema that never ends is never given up',
    edits: [
      {
        file: `${TOOLS}/result/schema-checker.ts`,
        find: 'isReady ? LONGEST_CHECK_MS : START_MS',
        replacement: '2_000_000_000',
      },
    ],
    caughtBy: { file: `${TOOLS}/result/output-tools.test.ts`, test: 'answers in time' },
  },
  {
    name: 'the root of a session is whatever its name leads to',
    edits: [
      {
        file: `${TOOLS}/files/directory.ts`,
        find: 'if (pin === undefined || (await identityOf(handle)) === pin.identity) return { handle, path }',
        replacement: 'if (path !== undefined) return { handle, path }',
      },
    ],
    caughtBy: { file: 'tests/workspace/root-swaps.sandbox.test.ts', test: 'no tool follows the root' },
  },
  {
    name: 'the sandbox covers nothing in a workspace',
    edits: [
      {
        file: `${TOOLS}/sandbox/protect-mounts.ts`,
        find: "if (stats) return [{ type: 'hidden', path, isFolder: stats.isDirectory() }]",
        replacement: 'if (stats) return []',
      },
    ],
    caughtBy: { file: 'tests/tools/protected-set.sandbox.test.ts', test: 'sees no key' },
  },
  {
    name: 'a reading command of Git takes the settings of the repository',
    edits: [
      {
        file: `${TOOLS}/bash/run-bash.ts`,
        find: 'if (grant.call.isHarmless)',
        replacement: 'if (grant.call.isHarmless === undefined)',
      },
    ],
    caughtBy: { file: 'tests/bash/git-configurations.sandbox.test.ts', test: 'no program that a repository names' },
  },
  {
    name: 'a beginning of an option counts as known',
    edits: [
      {
        file: `${TOOLS}/shell/known-options.ts`,
        find: 'return long.includes(option) ? option : undefined',
        replacement: 'return long.find((name) => name.startsWith(option))',
      },
    ],
    caughtBy: { file: `${TOOLS}/shell/safe-list.test.ts`, test: 'does not have' },
  },
  {
    name: 'a session stores without a limit',
    edits: [
      {
        file: 'apps/server/src/limits/limit-storage.ts',
        find: 'session: limits.sessionBytes + reserve',
        replacement: 'session: Number.MAX_SAFE_INTEGER - reserve',
      },
    ],
    caughtBy: { file: 'apps/server/src/limits/limit-storage.test.ts', test: 'a session at its limit' },
  },
  {
    name: 'a command has the network unasked',
    edits: [
      {
        file: `${TOOLS}/bash/confine-command.ts`,
        find: 'options.network === true || grant.call.network === true',
        replacement: "options.network === true || grant.call.tool !== ''",
      },
    ],
    caughtBy: { file: 'tests/bash/sandbox-honesty.sandbox.test.ts', test: 'is missed silently' },
  },
  {
    name: "full-access shows the server's own files",
    edits: [
      {
        file: `${TOOLS}/sandbox/protect-mounts.ts`,
        find: "if (grade === 'secret') return true",
        replacement: "if (grade === 'secret') return granted !== 'all'",
      },
    ],
    caughtBy: { file: 'tests/bash/sandbox-honesty.sandbox.test.ts', test: 'its own files by name' },
  },
  {
    name: 'every user may leave the sandbox',
    edits: [
      {
        file: 'packages/engine/src/turn/offer-outside.ts',
        find: 'userId !== operator.ownUser || ',
        replacement: "userId === operator.ownUser + '.' || ",
      },
    ],
    caughtBy: {
      file: 'packages/engine/src/turn/offer-outside.test.ts',
      test: 'is not offered outside to another user',
    },
  },
]
