// From the text of a command to every command that it would run: the tree is walked, and what wrappers, shells and
// the like are given is read again, within limits.
import type { ParsedScript, SyntaxNode } from 'unbash'
import { type Field, UNKNOWN } from './field.ts'
import { findWrapped } from './find-wrapped.ts'
import { pathsOf } from './paths.ts'
import { type ScriptReader, readScript } from './read-script.ts'
import { SHELL_LIMITS, findExceeded } from './shell-limits.ts'
import { type ShellReading, addCommand, createReading, rememberFolder } from './shell-reading.ts'
import { type SimpleCommand, baseName, flagsOf, operandsOf } from './simple-command.ts'
import { FOREIGN_SHELLS, INTERPRETERS, OTHER_RUNNERS, SHELLS, WRAPPER_SHAPES } from './wrapper-shapes.ts'

export interface ShellParser {
  parse(source: string): ParsedScript
  forEachChild(node: SyntaxNode, visit: (child: SyntaxNode) => void): void
}

export interface CommandPlace {
  readonly home: string
  readonly cwd?: string
}

interface Nesting {
  readonly scripts: number
  readonly wrappers: number
  readonly fedBy: SimpleCommand['fedBy']
}

/** Never throws: what the parser cannot bear exceeds a limit. */
export function readCommand(command: string, parser: ShellParser, { home, cwd }: CommandPlace): ShellReading {
  const reading = createReading(cwd === undefined ? [] : [cwd])
  const readText = (source: string, nesting: Nesting): void => {
    reading.exceeds ??= findExceeded(source)
    if (nesting.scripts > SHELL_LIMITS.scripts)
      reading.exceeds ??= `more than ${SHELL_LIMITS.scripts} scripts in each other`
    if (reading.exceeds !== undefined) return
    // Arithmetic of old, which the parser takes for text.
    if (source.includes('$[')) reading.doubts.push('the expansion $[…]')
    const reader: ScriptReader = {
      reading,
      home,
      children: (node, visit) => parser.forEachChild(node, visit),
      note: (found, fields) => note({ ...found, fedBy: nesting.fedBy }, fields, nesting),
    }
    readScript(source, parser.parse(source), reader)
  }
  const note = (found: SimpleCommand, fields: readonly Field[], nesting: Nesting): void => {
    if (reading.exceeds !== undefined) return
    addCommand(reading, found)
    if (nesting.wrappers > SHELL_LIMITS.wrappers) {
      reading.exceeds = `more than ${SHELL_LIMITS.wrappers} wrappers in each other`
      return
    }
    const [word, ...rest] = fields
    if (!word) return
    const noteInner = (inner: readonly Field[], fedBy: SimpleCommand['fedBy']): void => {
      const [first, ...args] = inner
      if (!first) return
      if (!first.isKnown || first.hasGlob) reading.doubts.push('a command that only the run can tell')
      const name = first.text.includes(UNKNOWN) ? '' : baseName(first.text)
      const wrapped: SimpleCommand = {
        name,
        args,
        written: [],
        stdin: found.stdin,
        fedBy: fedBy === 'nobody' ? found.fedBy : fedBy,
      }
      note(wrapped, inner, { ...nesting, wrappers: nesting.wrappers + 1 })
    }
    // It may turn out to be nothing, and then the next word is the command.
    if (word.text === UNKNOWN) noteInner(rest, 'nobody')
    readInner(found, {
      reading,
      home,
      command: noteInner,
      script: ({ text, isKnown }) => {
        if (!isKnown) reading.doubts.push('a script that only the run can tell')
        if (!text.includes(UNKNOWN)) readText(text, { ...nesting, scripts: nesting.scripts + 1, fedBy: found.fedBy })
      },
    })
  }
  try {
    readText(command, { scripts: 0, wrappers: 0, fedBy: 'nobody' })
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    reading.exceeds = 'nested deeper than the parser can follow'
  }
  return reading
}

interface InnerSink {
  readonly reading: ShellReading
  readonly home: string
  command(fields: readonly Field[], fedBy: SimpleCommand['fedBy']): void
  script(text: Field): void
}

const FIND_RUNS: ReadonlySet<string> = new Set(['-exec', '-execdir', '-ok', '-okdir'])

/** What a command runs of what it is given. */
function readInner(found: SimpleCommand, sink: InnerSink): void {
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
  if (INTERPRETERS.has(name)) return readInterpreter(found, reading)
  if (OTHER_RUNNERS.has(name)) {
    reading.hasWrapper = true
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
      args.forEach(({ text }, index) => {
        if (!FIND_RUNS.has(text)) return
        const end = args.findIndex((arg, at) => at > index && (arg.text === ';' || arg.text === '+'))
        reading.hasWrapper = true
        sink.command(args.slice(index + 1, end === -1 ? undefined : end), 'find')
      })
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

function readInterpreter({ args, stdin }: SimpleCommand, reading: ShellReading): void {
  const firstOperand = args.findIndex(({ text }) => !text.startsWith('-'))
  const options = args.slice(0, firstOperand === -1 ? undefined : firstOperand)
  if (options.some(({ text }) => /^-[A-Za-z]*[ceEprR]|^--(?:eval|print|run)|^-$/.test(text))) reading.hasWrapper = true
  if (firstOperand !== -1 && args[firstOperand]?.text !== 'eval') return
  reading.hasWrapper = true
  if (stdin !== 'nothing') reading.doubts.push('an interpreter that reads what another command writes')
}

function changeFolder(target: Field, { reading, home }: InnerSink): void {
  for (const path of pathsOf(target, { home, folders: [...reading.folders] })) {
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
