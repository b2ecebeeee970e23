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
        find: "if (stats && !isHeld) return [{ type: 'hidden', path, isFolder: stats.isDirectory() }]",
        replacement: 'if (stats && !isHeld) return []',
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
    name: 'Git reads whatever a link in a repository leads to',
    edits: [
      {
        file: `${TOOLS}/git/shadow-repository.ts`,
        find: '!isContained && reachesOutside(places, format)',
        replacement: 'isContained && reachesOutside(places, format)',
      },
    ],
    caughtBy: { file: 'tests/bash/git-leaks.sandbox.test.ts', test: 'lies outside of it' },
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
  {
    name: 'a data directory that came with a repository is used',
    edits: [
      {
        file: 'apps/server/src/data-dir.ts',
        find: 'if (isNew || readPlace(path) === placeOf(path)) return',
        replacement: "if (isNew || readPlace(path) !== '') return",
      },
    ],
    caughtBy: { file: 'apps/server/src/data-dir.test.ts', test: 'is refused when it came with' },
  },
  {
    name: 'a hard link is another file',
    edits: [{ file: `${TOOLS}/protected/find-twin.ts`, find: 'stats.nlink < 2n', replacement: 'stats.nlink < 2_000n' }],
    caughtBy: { file: `${TOOLS}/files/confinement.test.ts`, test: 'by a hard link' },
  },
  {
    name: 'an approved change is made to whatever text there is',
    edits: [
      {
        file: 'packages/engine/src/turn/start-calls.ts',
        find: 'if (approval.before !== beforeOf(call.toolCallId, judging).before)',
        replacement: "if (approval.before === '')",
      },
    ],
    caughtBy: { file: 'packages/engine/src/turn/judged-calls.test.ts', test: 'is another text by then' },
  },
  {
    name: 'a program is known by the last part of its path',
    edits: [
      {
        file: `${TOOLS}/shell/read-script.ts`,
        find: "first?.text.includes('/') ? { path: first.text } : {}",
        replacement: "first?.text === '/' ? { path: first.text } : {}",
      },
    ],
    caughtBy: { file: `${TOOLS}/shell/coverage.test.ts`, test: 'of tools/tsc' },
  },
  {
    name: 'a harmless command runs wherever a link leads by then',
    edits: [
      {
        file: `${TOOLS}/bash/run-bash.ts`,
        find: "call.isHarmless && facts.risk !== 'safe'",
        replacement: "call.isHarmless && facts.risk === 'dangerous'",
      },
    ],
    caughtBy: { file: `${TOOLS}/bash/bash-tool.test.ts`, test: 'when a link has been swapped' },
  },
  {
    name: 'the program of the sandbox is looked up for each command',
    edits: [
      {
        file: `${TOOLS}/machine-program.ts`,
        find: 'if (path !== undefined) found.set(name, path)\n  return path ?? name',
        replacement: 'if (path !== undefined) found.set(name, path)\n  return name',
      },
    ],
    caughtBy: { file: 'tests/tools/planted-programs.sandbox.test.ts', test: 'on the path of the server' },
  },
  {
    name: 'the place of a session is whatever stands at its name',
    edits: [
      {
        file: 'apps/server/src/surroundings/create-surroundings.ts',
        find: 'return same.every(Boolean)',
        replacement: 'return same.length >= 0',
      },
    ],
    caughtBy: { file: 'apps/server/src/surroundings/create-surroundings.test.ts', test: 'has taken the place' },
  },
  {
    name: 'a sent file is read from whatever stands at the name of the root',
    edits: [
      {
        file: 'apps/server/src/blade/blade-rest.ts',
        find: 'await parts.workspaces.prepare(session)',
        replacement: 'parts.workspaces.locate(session)',
      },
    ],
    caughtBy: { file: 'tests/acp/network.test.ts', test: 'serves sent files' },
  },
]
