import { type Field, UNKNOWN, knownField } from './field.ts'
import { type PathContext, isHomeTree, isSystemTree, pathsOf } from './paths.ts'
import { isSystemTarget } from './tree-rules.ts'
import { type SimpleCommand, baseName, flagsOf, hasLongFlag, operandsOf } from './simple-command.ts'

export function isRecursive({ args }: SimpleCommand): boolean {
  const flags = flagsOf(args)
  return flags.has('r') || flags.has('R') || hasLongFlag(flags, 'recursive')
}

/** The forbidden target that a deleting command hits. */
export function findHardlineDelete(command: SimpleCommand, context: PathContext): string | undefined {
  if (command.name !== 'rm' || !isRecursive(command)) return undefined
  // Without a terminal, rm never asks, so `--force` makes no difference.
  if (operandsOf(command.args).some((target) => isSystemTarget(target, context))) {
    return 'recursive delete of a system or home directory'
  }
  return undefined
}

/** Programs that destroy the files in their arguments. */
const DESTROYERS: ReadonlySet<string> = new Set('rm unlink shred truncate srm rmdir chmod chown mv dd tee'.split(' '))

/**
 * A `find` that deletes, itself or through a command, in a place where mass deletion is forbidden. Its output may be the
 * input of another command.
 */
export function findHardlineFind(commands: readonly SimpleCommand[], context: PathContext): string | undefined {
  const isFed = commands.some(({ fedBy, name }) => fedBy !== 'nobody' && DESTROYERS.has(name))
  const deletes = ({ name, args }: SimpleCommand) =>
    (name === 'find' && (isFed || hasDelete(args))) || (/^fd(?:find)?$/.test(name) && (isFed || startsDestroyer(args)))
  const hit = commands.some((command) => deletes(command) && startsInSystem(command.args, context))
  return hit ? 'find that deletes in a system directory' : undefined
}

/** `fd x -x rm` */
const startsDestroyer = (args: readonly Field[]): boolean =>
  args.some(
    ({ text }, at) => /^(?:-[xX]|--exec(?:-batch)?)$/.test(args[at - 1]?.text ?? '') && DESTROYERS.has(baseName(text)),
  )

/** Whether the target or the options of a deletion are known only at run time. */
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

/** Tests that select some files. Users may delete such a selection in their home. */
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
