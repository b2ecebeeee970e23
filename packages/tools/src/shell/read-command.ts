// Finds every command that a command line would run: it walks the syntax tree and also reads the arguments of wrappers and
// shells, within limits.
import type { ParsedScript, SyntaxNode } from 'unbash'
import { type Field, UNKNOWN } from './field.ts'
import { readInner } from './read-inner.ts'
import { type ScriptReader, readScript } from './read-script.ts'
import { SHELL_LIMITS, findExceeded } from './shell-limits.ts'
import { type ShellReading, addCommand, createReading } from './shell-reading.ts'
import { type SimpleCommand, baseName } from './simple-command.ts'
import { suspectedParts } from './suspected-parts.ts'

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

const TOP: Nesting = { scripts: 0, wrappers: 0, fedBy: 'nobody' }
const MOST_SUSPECTED = 200

/** Never throws. A parser failure counts as an exceeded limit. */
export function readCommand(command: string, parser: ShellParser, { home, cwd }: CommandPlace): ShellReading {
  const reading = createReading(cwd === undefined ? [] : [cwd])
  try {
    createReader(reading, { parser, home, isSuspicious: true }).readText(command, TOP)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    reading.exceeds = 'nested deeper than the parser can follow'
  }
  return reading
}

interface ReaderParts {
  readonly parser: ShellParser
  readonly home: string
  /** Also reads what may be just a text. */
  readonly isSuspicious: boolean
}

interface CommandReader {
  readText(source: string, nesting: Nesting): void
  readFields(fields: readonly Field[], nesting: Nesting): void
}

function createReader(reading: ShellReading, { parser, home, isSuspicious }: ReaderParts): CommandReader {
  const readText = (source: string, nesting: Nesting): void => {
    reading.exceeds ??= findExceeded(source)
    if (nesting.scripts > SHELL_LIMITS.scripts)
      reading.exceeds ??= `more than ${SHELL_LIMITS.scripts} scripts in each other`
    if (reading.exceeds !== undefined) return
    // Old arithmetic syntax, which the parser reads as text.
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
    if (nesting.wrappers > SHELL_LIMITS.wrappers)
      reading.exceeds ??= `more than ${SHELL_LIMITS.wrappers} wrappers in each other`
    if (reading.exceeds !== undefined) return
    if (isSuspicious) suspect(found)
    const [word, ...rest] = fields
    if (!word) return
    const noteInner = (inner: readonly Field[], fedBy: SimpleCommand['fedBy']): void =>
      noteFields(inner, { stdin: found.stdin, fedBy: fedBy === 'nobody' ? found.fedBy : fedBy }, nesting)
    // It may expand to nothing. Then the next word is the command.
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
  const noteFields = (
    fields: readonly Field[],
    from: Pick<SimpleCommand, 'stdin' | 'fedBy'>,
    nesting: Nesting,
  ): void => {
    const [first, ...args] = fields
    if (!first) return
    if (!first.isKnown || first.hasGlob) reading.doubts.push('a command that only the run can tell')
    const name = first.text.includes(UNKNOWN) ? '' : baseName(first.text)
    note({ name, args, written: [], read: [], ...from }, fields, { ...nesting, wrappers: nesting.wrappers + 1 })
  }
  const suspect = (found: SimpleCommand): void => {
    const { commands, scripts } = suspectedParts(found)
    const look = (read: (reader: CommandReader) => void): void => {
      if (reading.suspected.length >= MOST_SUSPECTED) return
      const inner = createReading(reading.folders)
      read(createReader(inner, { parser, home, isSuspicious: false }))
      reading.suspected.push(...inner.commands)
      reading.isForkBomb ||= inner.isForkBomb
    }
    for (const fields of commands) look((reader) => reader.readFields(fields, TOP))
    for (const { text } of scripts) look((reader) => reader.readText(text, TOP))
  }
  return {
    readText,
    readFields: (fields, nesting) => noteFields(fields, { stdin: 'nothing', fedBy: 'nobody' }, nesting),
  }
}
