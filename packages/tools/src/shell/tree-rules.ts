// Commands that change or empty a whole tree in other ways than `rm`: by rights, by mirroring, by moving it away.
import type { Field } from './field.ts'
import { targetFolder } from './named-paths.ts'
import { type PathContext, isHomeTree, isSystemTree, pathsOf, withoutGlobTail } from './paths.ts'
import { type SimpleCommand, flagsOf, hasLongFlag, operandsOf } from './simple-command.ts'

/** The forbidden act of a command on a system or home directory. */
export function findHardlineTree(command: SimpleCommand, context: PathContext): string | undefined {
  const { name, args } = command
  const operands = operandsOf(args)
  const isSystem = (field: Field | undefined): boolean => field !== undefined && isSystemTarget(field, context)
  switch (name) {
    case 'chmod':
    case 'chown':
    case 'chgrp':
    case 'chattr':
    case 'setfacl':
    case 'chcon':
      return (isRecursive(args) || (name === 'chmod' && operands.some(locks))) && operands.some(isSystem)
        ? `${name} of everything in a system or home directory`
        : undefined
    case 'git':
      return operands.some(({ text }) => text === 'clean') && cleansSystem(args, context)
        ? 'git clean of a system or home directory'
        : undefined
    case 'tar':
      return args.some(({ text }) => text.startsWith('--remove-f')) && operands.some(isSystem)
        ? 'tar that removes a system or home directory'
        : undefined
    case 'zip':
    case '7z':
      return operands.slice(1).some(isSystem) && args.some(({ text }) => /^-[a-z]*m|^--move$|^-sdel$/.test(text))
        ? `${name} that removes a system or home directory`
        : undefined
    case 'mv':
      return movedBy(args).some(isSystem) ? 'mv of a system or home directory' : undefined
    case 'rsync':
    case 'rclone':
      return isMirroring(name, args) && (isSystem(operands.at(-1)) || (isMoving(args) && operands.some(isSystem)))
        ? `${name} that deletes in a system or home directory`
        : undefined
    case 'rm':
    case 'truncate':
      return operands.some((operand) => isAllOfSystem(operand, context))
        ? `${name} of everything in a system directory`
        : undefined
    case 'rmdir':
    case 'unlink':
    case 'shred':
    case 'srm':
    case 'wipe':
    case 'trash':
    case 'trash-put':
    case 'gio':
      return operands.some(isSystem) ? `${name} of a system or home directory` : undefined
    case 'robocopy':
      return operands.some(isSystem) && args.some(({ text }) => /^\/(?:mir|purge)$/i.test(text))
        ? 'robocopy'
        : undefined
    default:
      return undefined
  }
}

export function isSystemTarget(target: Field, context: PathContext): boolean {
  const named = pathsOf(target, context)
  const led = leadsThroughLink(target) ? named.flatMap((path) => context.follow?.(withoutGlobTail(path)) ?? []) : []
  return [...named, ...led].some((path) => isSystemTree(path, context))
}

/** `/etc/*`. A home directory is judged by what is protected there. */
function isAllOfSystem(target: Field, context: PathContext): boolean {
  return pathsOf(target, context).some(
    (path) => withoutGlobTail(path) !== path && isSystemTree(path, context) && !isHomeTree(path, context),
  )
}

/** A command on a link affects the link itself. With a trailing slash or a glob, it affects the target. */
const leadsThroughLink = ({ text }: Field): boolean => /\/(?:\.?[*?]+)?$|\/\.$/.test(text)

function isRecursive(args: readonly Field[]): boolean {
  const flags = flagsOf(args)
  return flags.has('R') || flags.has('r') || hasLongFlag(flags, 'recursive')
}

/** A folder with such a mode cannot be entered. */
const locks = ({ text }: Field): boolean => /^(?:0{1,4}|[augo]*(?:-[rws]*x[rwx]*|=[rw]*))$/.test(text)

function cleansSystem(args: readonly Field[], context: PathContext): boolean {
  const at = args.findIndex(({ text }) => text === '-C' || text === '--work-tree')
  const named = [
    ...args.flatMap((arg) => (arg.text.startsWith('--work-tree=') ? [{ ...arg, text: arg.text.slice(12) }] : [])),
    ...operandsOf(args).filter(({ text }) => text !== 'clean'),
    ...(at === -1 ? [] : args.slice(at + 1, at + 2)),
  ]
  return named.some((field) => isSystemTarget(field, context))
}

const isMoving = (args: readonly Field[]): boolean => args.some(({ text }) => text === '--remove-source-files')

function movedBy(args: readonly Field[]): readonly Field[] {
  const target = targetFolder(args)
  const operands = operandsOf(args)
  return target ? operands.filter((operand) => operand !== target) : operands.slice(0, -1)
}

function isMirroring(name: string, args: readonly Field[]): boolean {
  const texts = args.map(({ text }) => text)
  if (name === 'rclone') return texts.some((text) => /^(?:sync|purge|delete|move)$/.test(text))
  return texts.some((text) => text.startsWith('--del')) || isMoving(args)
}
