import { SHELL_LIMITS } from './shell-limits.ts'
import type { SimpleCommand } from './simple-command.ts'

/** The findings about a command so far. */
export interface ShellReading {
  readonly commands: SimpleCommand[]
  /** The number of words in all of them. */
  words: number
  /** What other programs may run from their arguments. Only the floor looks at it. */
  readonly suspected: SimpleCommand[]
  /** The parts that we did not understand. */
  readonly doubts: string[]
  hasWrapper: boolean
  exceeds: string | undefined
  isForkBomb: boolean
  /** The texts that the script assigns, by variable. */
  readonly variables: Map<string, string[]>
  /** The directories that it may have changed to. */
  readonly folders: string[]
}

export function createReading(folders: readonly string[]): ShellReading {
  return {
    commands: [],
    words: 0,
    suspected: [],
    doubts: [],
    hasWrapper: false,
    exceeds: undefined,
    isForkBomb: false,
    variables: new Map(),
    folders: [...folders],
  }
}

export function addCommand(reading: ShellReading, command: SimpleCommand): void {
  const { words, redirections } = SHELL_LIMITS
  reading.words += command.args.length
  if (reading.words > words) reading.exceeds ??= `more than ${words} words`
  if (command.written.length > redirections) reading.exceeds ??= `more than ${redirections} redirections of a command`
  if (reading.commands.length < SHELL_LIMITS.commands) reading.commands.push(command)
  else reading.exceeds ??= `more than ${SHELL_LIMITS.commands} commands`
}

const MOST_VARIABLES = 64
const MOST_VALUES = 8

export function rememberValue(reading: ShellReading, name: string, value: string): void {
  const values = reading.variables.get(name) ?? []
  if (values.includes(value)) return
  if (values.length >= MOST_VALUES || reading.variables.size >= MOST_VARIABLES) {
    reading.doubts.push('a variable with many values')
    return
  }
  reading.variables.set(name, [...values, value])
}

const MOST_FOLDERS = 8

export function rememberFolder(reading: ShellReading, folder: string): void {
  if (reading.folders.includes(folder)) return
  if (reading.folders.length < MOST_FOLDERS) reading.folders.push(folder)
  else reading.doubts.push('many changes of directory')
}
