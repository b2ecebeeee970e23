import { isWithin, upwards } from '../protected/path-order.ts'
import { isRecursive } from './delete-rules.ts'
import { UNKNOWN } from './field.ts'
import { type PathContext, pathsOf } from './paths.ts'
import type { ShellReading } from './shell-reading.ts'
import { type SimpleCommand, flagsOf, hasLongFlag, operandsOf } from './simple-command.ts'

export interface DangerContext extends PathContext {
  /** The workspace. */
  readonly roots: readonly string[]
}

/** Why a command is dangerous, in words that follow `it`. A forced deletion inside the workspace is not dangerous. */
export function findDanger({ commands }: ShellReading, context: DangerContext): string | undefined {
  for (const command of commands) {
    const danger = dangerOf(command, context)
    if (danger !== undefined) return danger
  }
  return undefined
}

export function isForcedTreeDelete(command: SimpleCommand): boolean {
  const flags = flagsOf(command.args)
  return command.name === 'rm' && isRecursive(command) && (flags.has('f') || hasLongFlag(flags, 'force'))
}

const AS_ANOTHER_USER: ReadonlySet<string> = new Set(['sudo', 'doas', 'pkexec', 'run0'])

function dangerOf(command: SimpleCommand, context: DangerContext): string | undefined {
  const { name, args } = command
  if (AS_ANOTHER_USER.has(name)) return `runs as another user (${name})`
  if (/^mkfs(?:\.|$)/.test(name)) return `makes a file system (${name})`
  if (name === 'dd' && args.some(({ text }) => text.startsWith('if='))) return 'copies raw data (dd)'
  return isForcedTreeDelete(command) ? dangerOfDelete(command, context) : undefined
}

function dangerOfDelete(command: SimpleCommand, context: DangerContext): string | undefined {
  const targets = operandsOf(command.args)
  const isUnknown = command.fedBy !== 'nobody' || command.args.some(({ text }) => text.includes(UNKNOWN))
  if (isUnknown || targets.length === 0) return 'deletes folders whose names show only when it runs (rm -rf)'
  const outside = targets.flatMap((target) => pathsOf(target, context)).find((path) => !isOwnTree(path, context))
  return outside === undefined
    ? undefined
    : `deletes ${outside}, which is not a folder inside of the workspace (rm -rf)`
}

/** Whether a path is inside a root, by name and after resolving links. A root itself is not. */
function isOwnTree(path: string, { roots, follow }: DangerContext): boolean {
  const isInside = (place: string): boolean => roots.some((root) => isWithin(place, root))
  // The folder before the first wildcard in the path.
  const stem = path.replace(/\/[^/]*[*?[][^]*$/, '')
  if (!isInside(stem) || roots.includes(path)) return false
  if (follow === undefined) return true
  for (const place of upwards(stem)) {
    const real = follow(place)
    if (real !== undefined) return isInside(real)
  }
  return false
}
