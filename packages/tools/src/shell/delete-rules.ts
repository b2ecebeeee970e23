import { type Field, UNKNOWN, knownField } from './field.ts'
import { type PathContext, isHomeTree, isSystemTree, pathsOf } from './paths.ts'
import { isSystemTarget } from './tree-rules.ts'
import { type SimpleCommand, flagsOf, hasLongFlag, operandsOf } from './simple-command.ts'

export function isRecursive({ args }: SimpleCommand): boolean {
  const flags = flagsOf(args)
  return flags.has('r') || flags.has('R') || hasLongFlag(flags, 'recursive')
}

/** What of the floor a deleting command hits. */
export function findHardlineDelete(command: SimpleCommand, context: PathContext): string | undefined {
  if (command.name !== 'rm' || !isRecursive(command)) return undefined
  // Without a terminal rm asks nothing, so that force makes no difference to what is lost.
  if (operandsOf(command.args).some((target) => isSystemTarget(target, context))) {
    return 'recursive delete of a system or home directory'
  }
  return undefined
}

/** What destroys each file that it is given. */
const DESTROYERS: ReadonlySet<string> = new Set('rm unlink shred truncate srm rmdir chmod chown mv dd tee'.split(' '))

/**
 * A find that deletes, by itself or by what it runs, where nothing may be deleted wholesale. What it prints may be fed to
 * another command.
 */
export function findHardlineFind(commands: readonly SimpleCommand[], context: PathContext): string | undefined {
  const isFed = commands.some(({ fedBy, name }) => fedBy !== 'nobody' && DESTROYERS.has(name))
  const deletes = ({ name, args }: SimpleCommand) =>
    (name === 'find' && (isFed || hasDelete(args))) || (/^fd(?:find)?$/.test(name) && isFed)
  const hit = commands.some((command) => deletes(command) && startsInSystem(command.args, context))
  return hit ? 'find that deletes in a system directory' : undefined
}

/** Whether the floor cannot be told, because a delete's target or options show only in the run. */
export function isUncertainDelete(command: SimpleCommand, context: PathContext): boolean {
  const { name, args } = command
  if (name === 'find') return hasDelete(args) && startsOfFind(args).some(({ text }) => text.includes(UNKNOWN))
  if (name !== 'rm') return false
  const hasUnknown = args.some(({ text }) => text.includes(UNKNOWN))
  if (isRecursive(command)) return hasUnknown || command.fedBy === 'xargs'
  return hasUnknown && args.some((target) => isSystemTarget(target, context))
}

function hasDelete(args: readonly Field[]): boolean {
  return args.some(({ text }) => text === '-delete')
}

/** Tests that leave only some files; what they find in a home is the user's to delete. */
const NARROWING = /^-(?:i?name|i?path|i?wholename|i?regex|empty|[acm]time|[acm]min|size|newer.*)$/

function startsInSystem(args: readonly Field[], context: PathContext): boolean {
  const starts = startsOfFind(args)
  const isNarrow = args.some(({ text }) => NARROWING.test(text))
  return (starts.length === 0 ? [HERE] : starts)
    .flatMap((start) => pathsOf(start, context))
    .some((path) => isSystemTree(path, context) && !(isNarrow && isHomeTree(path, context)))
}

const HERE = knownField('.')

function startsOfFind(args: readonly Field[]): readonly Field[] {
  const first = args.findIndex(({ text }) => !/^-[HLPDO]/.test(text))
  const rest = args.slice(Math.max(first, 0))
  const end = rest.findIndex(({ text }) => text.startsWith('-') || text === '(' || text === '!')
  return end === -1 ? rest : rest.slice(0, end)
}
