import { type Field, UNKNOWN } from './field.ts'
import { type PathContext, isSystemTree, pathsOf } from './paths.ts'
import { type SimpleCommand, baseName, flagsOf, hasLongFlag, operandsOf } from './simple-command.ts'

export function isRecursive({ args }: SimpleCommand): boolean {
  const flags = flagsOf(args)
  return flags.has('r') || flags.has('R') || hasLongFlag(flags, 'recursive')
}

export function isForced({ args }: SimpleCommand): boolean {
  const flags = flagsOf(args)
  return flags.has('f') || hasLongFlag(flags, 'force')
}

export function isForcedTreeDelete(command: SimpleCommand): boolean {
  return command.name === 'rm' && isRecursive(command) && isForced(command)
}

/** What of the floor a deleting command hits. */
export function findHardlineDelete(command: SimpleCommand, context: PathContext): string | undefined {
  if (command.name === 'find') return findHardlineFind(command, context)
  if (command.name !== 'rm' || !isRecursive(command)) return undefined
  // Without a terminal rm asks nothing, so that force makes no difference to what is lost.
  if (operandsOf(command.args).some((target) => isSystemTarget(target, context))) {
    return 'recursive delete of a system or home directory'
  }
  return undefined
}

/** Whether the floor cannot be told, because a delete's target or options show only in the run. */
export function isUncertainDelete(command: SimpleCommand, context: PathContext): boolean {
  const { name, args } = command
  const hasUnknown = args.some(({ text }) => text.includes(UNKNOWN))
  if (name === 'find')
    return hasUnknown && deletesByFind(args) && startsOfFind(args).some(({ text }) => text.includes(UNKNOWN))
  if (name !== 'rm') return false
  if (isRecursive(command)) return hasUnknown || command.getsMore
  return hasUnknown && args.some((target) => isSystemTarget(target, context))
}

function findHardlineFind({ args }: SimpleCommand, context: PathContext): string | undefined {
  if (!deletesByFind(args)) return undefined
  const starts = startsOfFind(args)
  const places = starts.length === 0 ? [{ text: '.', isKnown: true, hasGlob: false }] : starts
  return places.some((start) => isSystemTarget(start, context)) ? 'find that deletes in a system directory' : undefined
}

function startsOfFind(args: readonly Field[]): readonly Field[] {
  const first = args.findIndex(({ text }) => !/^-[HLPDO]/.test(text))
  const rest = args.slice(Math.max(first, 0))
  const end = rest.findIndex(({ text }) => text.startsWith('-') || text === '(' || text === '!')
  return end === -1 ? rest : rest.slice(0, end)
}

function deletesByFind(args: readonly Field[]): boolean {
  return args.some(({ text }, index) => {
    if (text === '-delete') return true
    if (!/^-(?:exec|ok)(?:dir)?$/.test(text)) return false
    const rest = args.slice(index + 1)
    const at = rest.findIndex((arg) => baseName(arg.text) === 'rm')
    const end = rest.findIndex((arg) => arg.text === ';' || arg.text === '+')
    if (at === -1 || (end !== -1 && at > end)) return false
    const flags = flagsOf(rest.slice(at + 1, end === -1 ? undefined : end))
    return ['r', 'R', 'f', 'recursive', 'force'].some((flag) => flags.has(flag))
  })
}

function isSystemTarget(target: Field, context: PathContext): boolean {
  return pathsOf(target, context).some((path) => isSystemTree(path, context))
}
