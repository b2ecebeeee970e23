import { hash } from 'node:crypto'
import { homedir } from 'node:os'
import type { ShellFacts } from '@polylogue/engine'
import type { FileIdentity } from '../protected/find-twin.ts'
import { type ProtectedView, createProtectedSet } from '../protected/protected-set.ts'
import { isDestructive, programOf } from './coverage.ts'
import { isUncertainDelete } from './delete-rules.ts'
import { findDanger, isForcedTreeDelete } from './find-danger.ts'
import { findHardline } from './find-hardline.ts'
import { findNetwork } from './find-network.ts'
import { type JudgedPaths, judgePaths } from './judge-paths.ts'
import { type NamedPath, findNamedPaths } from './named-paths.ts'
import { findOutsideWrites } from './outside-writes.ts'
import type { PathContext } from './paths.ts'
import { type ShellParser, readCommand } from './read-command.ts'
import { isSafeCommand } from './safe-list.ts'
import { SHELL_LIMITS } from './shell-limits.ts'
import type { ShellReading } from './shell-reading.ts'

export interface InspectionOptions {
  /** The working directory. Without it, relative paths have no meaning. */
  readonly cwd?: string
  /** The user's home directory. Default: that of the process. */
  readonly home?: string
  /** Default: the paths that are protected on every machine. */
  readonly view?: ProtectedView
  /** The workspace. */
  readonly roots?: readonly string[]
  /** Further folders of the session, which it may read. */
  readonly readable?: readonly string[]
  /** The target of links. `undefined` if the path does not exist. Absent: links are not resolved. */
  readonly follow?: (path: string) => string | undefined
  readonly isFolder?: (path: string) => boolean
  /** What lies at a path, through links. Absent: hard links are not recognised. */
  readonly identify?: (path: string) => FileIdentity | undefined
  /** The command runs in a sandbox that contains only its workspace and programs. */
  readonly isConfined?: boolean
  /** Whether the repository of this folder can be read without its own settings. Default: it can. */
  readonly canReadGit?: (folder: string) => boolean
}

export interface CommandInspection {
  readonly facts: ShellFacts
  /** The protected paths among those that it names. */
  readonly guarded: readonly NamedPath[]
  /** Paths outside of the workspace that it writes, and that a sandbox does not open. */
  readonly closed: readonly string[]
}

/** Characters that make a terminal or a page show something other than what would run. */
const DECEPTIVE =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/

let parser: Promise<ShellParser> | undefined

/** Returns the facts about a shell command for the judge. Runs nothing, and never rejects because of the command. */
export async function inspectCommand(command: string, options: InspectionOptions = {}): Promise<CommandInspection> {
  const { cwd, home = homedir(), roots = [], readable = [], isFolder, identify, isConfined = false } = options
  const follow = options.follow && remember(options.follow)
  const view = options.view ?? createProtectedSet({ homes: [home] }).look()
  // Loaded with the first command, so that a server without commands does not pay for the import.
  const shell = await (parser ??= import('unbash'))
  const reading = readCommand(command, shell, { home, ...(cwd === undefined ? {} : { cwd }) })
  if (reading.exceeds !== undefined) return tooMuch(reading, reading.exceeds)
  const context: PathContext = { home, folders: reading.folders, ...(follow && { follow }) }
  const named = findNamedPaths(reading.commands, context)
  if (named === undefined) return tooMuch(reading, `more than ${SHELL_LIMITS.paths} paths`)
  const isUncertain = reading.commands.some((one) => isUncertainDelete(one, context))
  const isUnderstood = reading.doubts.length === 0 && !isUncertain && !DECEPTIVE.test(command)
  const hardline = findHardline(reading, context)
  const own = [...roots, ...readable]
  const looking = { ...(follow && { follow }), ...(identify && { identify }) }
  const paths = await judgePaths(named, { view, own, ...looking })
  const isOpen = hardline === undefined && paths.secret === undefined && paths.guarded.length === 0
  const mayBeSafe = isOpen && isUnderstood && !reading.hasWrapper && reading.commands.length === 1
  const looks = { ...(follow && { follow }), ...(isFolder && { isFolder }) }
  const safety = { ...context, view, roots, readable, isConfined, ...looks }
  const isSafe = mayBeSafe && isSafeCommand(command, shell.parse(command), safety) && isReadable(reading, options)
  const danger = hardline === undefined ? findDanger(reading, { ...context, roots }) : undefined
  const isDangerous = hardline !== undefined || danger !== undefined
  const network = isSafe ? undefined : findNetwork(reading.commands)
  const writes = findOutsideWrites(reading.commands, { ...context, view, roots, ...(isFolder && { isFolder }) })
  return {
    facts: {
      type: 'shell',
      risk: isDangerous ? 'dangerous' : isSafe ? 'safe' : findRisk(reading, paths),
      ...(danger !== undefined && { danger }),
      ...(hardline === undefined ? {} : { hardline }),
      isUnderstood,
      hasWrapper: reading.hasWrapper,
      ...coverage(command, reading),
      ...(paths.secret !== undefined && { outside: paths.secret }),
      ...(paths.guarded.length > 0 && { guarded: paths.guarded.map(({ path }) => path) }),
      ...(network !== undefined && { network }),
      ...(isConfined && writes.folders.length > 0 && { writes: writes.folders }),
    },
    guarded: paths.guarded,
    closed: writes.closed,
  }
}

const tooMuch = ({ hasWrapper }: ShellReading, exceeds: string): CommandInspection => ({
  facts: { type: 'shell', risk: 'other', isUnderstood: false, hasWrapper, exceeds },
  guarded: [],
  closed: [],
})

/** Several rules look at the same paths. */
function remember<Value>(look: (path: string) => Value): (path: string) => Value {
  const known = new Map<string, Value>()
  return (path) => {
    const value = known.has(path) ? (known.get(path) as Value) : look(path)
    known.set(path, value)
    return value
  }
}

/** What *always allow* may cover. Programs that are known only at run time are not covered. */
function coverage(
  command: string,
  { commands }: ShellReading,
): Pick<ShellFacts, 'fingerprint' | 'program' | 'isDestructive'> {
  const program = programOf(commands)
  return {
    fingerprint: hash('sha256', command, 'hex'),
    ...(program !== undefined && { program }),
    ...(commands.some((one) => one.name === '' || isDestructive(one)) && { isDestructive: true }),
  }
}

function isReadable({ commands }: ShellReading, { cwd, canReadGit }: InspectionOptions): boolean {
  if (commands[0]?.name !== 'git' || canReadGit === undefined) return true
  return cwd !== undefined && canReadGit(cwd)
}

function findRisk({ commands }: ShellReading, { guarded }: JudgedPaths): ShellFacts['risk'] {
  return guarded.length > 0 || commands.some(isForcedTreeDelete) ? 'sensitive' : 'other'
}
