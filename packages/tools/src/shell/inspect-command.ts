import { homedir } from 'node:os'
import type { ShellFacts } from '@polylogue/engine'
import { isForcedTreeDelete, isUncertainDelete } from './delete-rules.ts'
import { findHardline } from './find-hardline.ts'
import type { PathContext } from './paths.ts'
import { type ShellParser, readCommand } from './read-command.ts'
import { isSafeCommand } from './safe-list.ts'
import { touchesSensitiveFile } from './sensitive-files.ts'
import type { ShellReading } from './shell-reading.ts'
import type { SimpleCommand } from './simple-command.ts'

export interface InspectionOptions {
  /** Where the command would run; without it relative paths mean nothing. */
  readonly cwd?: string
  /** The user's home directory. Default: that of the process. */
  readonly home?: string
  /** Folders whose files no command may show unasked. */
  readonly hidden?: readonly string[]
  /** The workspace: not hidden, even if it lies in a hidden folder. */
  readonly roots?: readonly string[]
  /** Where links lead; `undefined` for a path that leads nowhere. Absent: nobody looks. */
  readonly follow?: (path: string) => string | undefined
}

/** Characters that make a terminal or a page show something else than what would run. */
const DECEPTIVE =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/

let parser: Promise<ShellParser> | undefined

/** What the judge must know of a shell command. Runs nothing, never rejects for what the command says. */
export async function inspectCommand(command: string, options: InspectionOptions = {}): Promise<ShellFacts> {
  const { cwd, home = homedir(), hidden = [], roots = [], follow } = options
  // Loaded with the first command: a server without one does not pay for the import.
  const shell = await (parser ??= import('unbash'))
  const reading = readCommand(command, shell, { home, ...(cwd === undefined ? {} : { cwd }) })
  if (reading.exceeds !== undefined) {
    return {
      type: 'shell',
      risk: 'other',
      isUnderstood: false,
      hasWrapper: reading.hasWrapper,
      exceeds: reading.exceeds,
    }
  }
  const context: PathContext = { home, folders: reading.folders }
  const isUncertain = reading.commands.some((one) => isUncertainDelete(one, context))
  const isUnderstood = reading.doubts.length === 0 && !isUncertain && !DECEPTIVE.test(command)
  const hardline = findHardline(reading, context)
  const mayBeSafe = isUnderstood && !reading.hasWrapper && hardline === undefined && reading.commands.length === 1
  const safety = { ...context, hidden, roots, ...(follow && { follow }) }
  const isSafe = mayBeSafe && isSafeCommand(command, shell.parse(command), safety)
  return {
    type: 'shell',
    risk: hardline === undefined ? (isSafe ? 'safe' : findRisk(reading, context)) : 'dangerous',
    ...(hardline === undefined ? {} : { hardline }),
    isUnderstood,
    hasWrapper: reading.hasWrapper,
  }
}

function findRisk({ commands }: ShellReading, context: PathContext): ShellFacts['risk'] {
  if (commands.some(isDangerous)) return 'dangerous'
  return commands.some((command) => touchesSensitiveFile(command, context)) ? 'sensitive' : 'other'
}

const AS_ANOTHER_USER: ReadonlySet<string> = new Set(['sudo', 'doas', 'pkexec', 'run0'])

function isDangerous(command: SimpleCommand): boolean {
  const { name, args } = command
  if (AS_ANOTHER_USER.has(name) || /^mkfs(?:\.|$)/.test(name) || isForcedTreeDelete(command)) return true
  return name === 'dd' && args.some(({ text }) => text.startsWith('if='))
}
