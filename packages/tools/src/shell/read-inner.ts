// What a command runs from its arguments: the command of a wrapper, the script of a shell, the action of a trap.
import { type Field, UNKNOWN, knownField } from './field.ts'
import { findWrapped } from './find-wrapped.ts'
import { readInnerCode } from './inner-code.ts'
import { pathsOf } from './paths.ts'
import { type ShellReading, rememberFolder } from './shell-reading.ts'
import { type SimpleCommand, flagsOf, operandsOf } from './simple-command.ts'
import { AWKS, FOREIGN_SHELLS, INTERPRETERS, OTHER_RUNNERS, RUNUSER, SHELLS, WRAPPER_SHAPES } from './wrapper-shapes.ts'

export interface InnerSink {
  readonly reading: ShellReading
  readonly home: string
  command(fields: readonly Field[], fedBy: SimpleCommand['fedBy']): void
  script(text: Field): void
}

const FIND_RUNS: ReadonlySet<string> = new Set(['-exec', '-execdir', '-ok', '-okdir'])

/** Reads the commands that a command runs from its arguments. */
export function readInner(found: SimpleCommand, sink: InnerSink): void {
  const { name, args } = found
  const { reading } = sink
  const shape = Object.hasOwn(WRAPPER_SHAPES, name) ? WRAPPER_SHAPES[name] : undefined
  if (shape) {
    if (name === 'command' && /^-[pvV]*[vV]/.test(args[0]?.text ?? '')) return
    if (name !== 'exec' || args.length > 0) reading.hasWrapper = true
    const { fields, folder, doubt } = findWrapped(args, shape)
    if (doubt !== undefined) reading.doubts.push(doubt)
    if (folder) changeFolder(folder, sink)
    if (name === 'watch') sink.script(joinFields(fields))
    const script = name === 'flock' ? valueAfter(args, SCRIPT_OPTION) : undefined
    if (script) sink.script(script)
    return sink.command(fields, shape.givesMore === true ? 'xargs' : 'nobody')
  }
  if (SHELLS.has(name)) return readShell(found, sink)
  if (FOREIGN_SHELLS.has(name)) {
    reading.hasWrapper = true
    reading.doubts.push(`the shell ${name}`)
    return
  }
  if (INTERPRETERS.has(name)) return readInterpreter(found, sink)
  if (OTHER_RUNNERS.has(name)) {
    reading.hasWrapper = true
    if (AWKS.has(name)) args.forEach((code) => readCode(code, sink))
    if (name === 'runuser') sink.command(findWrapped(args, RUNUSER).fields, 'nobody')
    if ((name === 'at' || name === 'batch') && typeof found.stdin === 'object') sink.script(found.stdin.text)
    const script = name === 'su' || name === 'runuser' || name === 'sg' || name === 'script'
    const text = script ? valueAfter(args, SCRIPT_OPTION) : undefined
    if (text) sink.script(text)
    return
  }
  switch (name) {
    case 'eval':
      reading.hasWrapper = true
      reading.doubts.push('eval')
      return sink.script(joinFields(args))
    case 'source':
    case '.':
      reading.hasWrapper = true
      if (args[0] && !args[0].isKnown) reading.doubts.push('a script that only the run can tell')
      return
    case 'trap': {
      const [action] = args.filter(({ text }) => text !== '--')
      if (action && !action.text.startsWith('-') && args.length > 1) sink.script(action)
      return
    }
    case 'find':
      for (const [index, { text }] of args.entries()) {
        if (!FIND_RUNS.has(text)) continue
        if (reading.exceeds !== undefined) return
        const end = args.findIndex((arg, at) => at > index && (arg.text === ';' || arg.text === '+'))
        reading.hasWrapper = true
        sink.command(args.slice(index + 1, end === -1 ? undefined : end), 'find')
      }
      return
    case 'cd':
    case 'pushd': {
      const [target] = operandsOf(args)
      return changeFolder(target ?? { text: sink.home, isKnown: true, hasGlob: false }, sink)
    }
    case 'alias':
    case 'enable':
    case 'complete':
    case 'bind':
      if (args.length > 0) reading.doubts.push(name)
      return
    case 'hash':
    case 'mapfile':
    case 'readarray':
      if (flagsOf(args).has(name === 'hash' ? 'p' : 'C')) reading.doubts.push(name)
      return
    case 'shopt':
      if (args.some(({ text }) => text === 'expand_aliases')) reading.doubts.push('aliases')
      return
    default:
  }
}

function readShell({ args, stdin }: SimpleCommand, { reading, script }: InnerSink): void {
  reading.hasWrapper = true
  let takesScript = false
  let at = 0
  for (; at < args.length; at++) {
    const text = args[at]?.text ?? ''
    if (!/^[-+]./.test(text)) break
    if (text === '--') {
      at++
      break
    }
    if (text === '--rcfile' || text === '--init-file' || /^[-+][A-Za-z]*[oO]$/.test(text)) at++
    if (/^-[A-Za-z]*c/.test(text)) takesScript = true
    if (/^-[A-Za-z]*s/.test(text)) at = args.length
  }
  const operand = args[at]
  if (takesScript) {
    if (operand) script(operand)
    return
  }
  if (operand) {
    if (!operand.isKnown) reading.doubts.push('a script that only the run can tell')
    return
  }
  if (stdin === 'pipe') reading.doubts.push('a shell that reads what another command writes')
  else if (stdin !== 'nothing') script(stdin.text)
}

/** Options with which an interpreter does not read a program from its input. */
const RUNS_NO_INPUT: ReadonlySet<string> = new Set(['--version', '--help', '--test'])

function readInterpreter({ args, stdin }: SimpleCommand, sink: InnerSink): void {
  const { reading } = sink
  const programs = args.filter(({ text }) => /[^\w./=-]/.test(text))
  for (const code of [...programs, ...(typeof stdin === 'object' ? [stdin.text] : [])]) readCode(code, sink)
  const firstOperand = args.findIndex(({ text }) => !text.startsWith('-'))
  const options = args.slice(0, firstOperand === -1 ? undefined : firstOperand)
  if (options.some(({ text }) => /^-[A-Za-z]*[ceEprR]|^--(?:eval|print|run)|^-$/.test(text))) reading.hasWrapper = true
  if (firstOperand !== -1 && args[firstOperand]?.text !== 'eval') return
  if (options.some(({ text, isKnown }) => isKnown && RUNS_NO_INPUT.has(text))) return
  reading.hasWrapper = true
  if (stdin !== 'nothing') reading.doubts.push('an interpreter that reads what another command writes')
}

function readCode({ text }: Field, sink: InnerSink): void {
  const { scripts, deleted, isForkBomb, isTooLong } = readInnerCode(text)
  sink.reading.isForkBomb ||= isForkBomb
  if (isTooLong) sink.reading.doubts.push('a long program')
  for (const script of scripts) sink.script(knownField(script))
  for (const folder of deleted) sink.command(['rm', '-rf', folder].map(knownField), 'nobody')
}

function changeFolder(target: Field, { reading }: InnerSink): void {
  for (const path of pathsOf(target, { folders: [...reading.folders] })) {
    if (!path.includes(UNKNOWN)) rememberFolder(reading, path)
  }
}

function joinFields(fields: readonly Field[]): Field {
  return {
    text: fields.map(({ text }) => text).join(' '),
    isKnown: fields.every(({ isKnown }) => isKnown),
    hasGlob: false,
  }
}

const SCRIPT_OPTION = /^(?:-[a-zA-Z]*c|--(?:session-)?command)$/

function valueAfter(args: readonly Field[], option: RegExp): Field | undefined {
  const at = args.findIndex(({ text }) => option.test(text))
  return at === -1 ? undefined : args[at + 1]
}
