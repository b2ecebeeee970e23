// Who may have effects on the machine. A tool spawns, writes and connects only in a file that asks for the grant of the
// judged call first; grants are made by the engine alone.
import { type House, isTest } from './house.ts'
import type { SourceFile } from './parse-source.ts'

/** The files of the tools that act for a model. Each of them calls `requireGrant`. */
export const ACTING_FILES: readonly string[] = [
  'packages/tools/src/bash/open-terminal.ts',
  'packages/tools/src/bash/spawn-command.ts',
  'packages/tools/src/demo-tools/keep-note.ts',
  'packages/tools/src/files/replace-file.ts',
  'packages/tools/src/mcp/call-mcp-tool.ts',
  'packages/tools/src/web/open-connection.ts',
]

/** They touch what is the server's own, or what an acting file has opened; never what a model names. */
export const OWN_BUSINESS: { readonly [path: string]: string } = {
  'packages/tools/src/bash/run-bash.ts': 'makes the folder for outputs',
  'packages/tools/src/bash/command-cgroup.ts': 'makes a control group for each command',
  'packages/tools/src/bash/kept-output.ts': 'writes long outputs there',
  'packages/tools/src/bash/output-pipe.ts': 'opens the pipe of a command that was started',
  'packages/tools/src/bash/prune-outputs.ts': 'removes old outputs',
  'packages/tools/src/bash/run-program.ts': 'runs fixed programs of the machine',
  'packages/tools/src/bash/running-calls.ts': 'notes which commands are running',
  'packages/tools/src/files/put-file.ts': 'puts bytes in place for an acting file, or for the user who sent them',
  'packages/tools/src/files/directory.ts': 'opens directories and files for reading',
  'packages/tools/src/files/hold-root.ts': 'opens the root of a session for reading',
  'packages/tools/src/git/copy-plain.ts': 'copies a file of a repository for commands that only read it',
  'packages/tools/src/git/git-identity.ts':
    "copies the name and address of the server's own user for commits in the sandbox",
  'packages/tools/src/git/shadow-repository.ts': 'makes copies of a repository for commands that only read it',
  'packages/tools/src/host.ts': 'renames for a file above, and ends what another file has started',
  'packages/tools/src/sandbox/detect-sandbox.ts': 'opens a folder to try the sandbox with',
  'packages/tools/src/sandbox/network-evidence.ts': "opens a file for the counters of a command's network",
  'packages/tools/src/sandbox/tool-caches.ts': 'makes and deletes the caches of workspaces',
  'packages/tools/src/sandbox/placeholders.ts': 'makes empty folders where the server would read a configuration',
  'packages/tools/src/surroundings/read-git-state.ts': 'runs git status on a copy of a repository without its settings',
  'packages/tools/src/mcp/bounded-fetch.ts': 'speaks HTTP with the MCP servers that were configured',
  'packages/tools/src/mcp/public-fetch.ts': 'speaks HTTP with the MCP servers that clients brought',
  'packages/tools/src/mcp/server-process.ts': 'starts the MCP servers that were configured',
  'packages/tools/src/web/fetch-page.ts': 'speaks HTTP over a connection that was opened',
}

const PURE_OF_NET = new Set(['isIP', 'isIPv4', 'isIPv6', 'BlockList'])
const READING = new Set(
  (
    'access accessSync close closeSync constants createReadStream exists existsSync fstat fstatSync lstat lstatSync ' +
    'opendir opendirSync read readSync readdir readdirSync readFile readFileSync readlink readlinkSync realpath ' +
    'realpathSync stat statSync statfs statfsSync'
  ).split(' '),
)

/** What of a module has no effect; all else of it has. */
const HARMLESS: { readonly [module: string]: ReadonlySet<string> } = {
  child_process: new Set(),
  cluster: new Set(),
  dgram: new Set(),
  fs: READING,
  'fs/promises': READING,
  http: new Set(['STATUS_CODES', 'METHODS']),
  http2: new Set(),
  https: new Set(),
  net: PURE_OF_NET,
  tls: new Set(),
}

export function findForeignGrants(house: House): string[] {
  return house.files
    .filter(({ path }) => !isTest(path) && !/^packages\/(engine|testkit)\//.test(path))
    .flatMap(({ path, imports }) =>
      imports
        .filter(({ specifier, isTypeOnly }) => specifier === '@polylogue/engine' && !isTypeOnly)
        .filter(({ names }) => names.includes('issueGrant') || names.includes('*'))
        .map(({ line }) => `${path}:${line} may not issue grants: only the engine does, after it has judged a call`),
    )
}

export function findUngrantedEffects(house: House): string[] {
  return toolFiles(house)
    .filter(({ path }) => !ACTING_FILES.includes(path) && OWN_BUSINESS[path] === undefined)
    .flatMap((file) => [...effectsImportedBy(file), ...fetchesOf(file)])
}

export function findActingFilesWithoutGrant(house: House): string[] {
  return toolFiles(house)
    .filter(({ path, text }) => ACTING_FILES.includes(path) && !/\brequireGrant\(/.test(text))
    .map(({ path }) => `${path} acts without requireGrant`)
}

const toolFiles = (house: House): readonly SourceFile[] =>
  house.files.filter(({ path }) => path.startsWith('packages/tools/src/') && !isTest(path))

function effectsImportedBy({ path, imports }: SourceFile): string[] {
  return imports.flatMap(({ specifier, isTypeOnly, names, line }) => {
    const harmless = HARMLESS[specifier.replace(/^node:/, '')]
    if (harmless === undefined || isTypeOnly) return []
    return names
      .filter((name) => !harmless.has(name))
      .map((name) => `${path}:${line} may not use ${name} of ${specifier}`)
  })
}

function fetchesOf({ path, globalCalls }: SourceFile): string[] {
  return globalCalls
    .filter(({ name }) => name === 'fetch' || name === 'WebSocket' || name === 'EventSource')
    .map(({ name, line }) => `${path}:${line} may not use ${name}`)
}
