// Walks the syntax tree of a script and notes every command at a place where the shell would run it. A kind of node
// that is not named here is a doubt, never a guess.
import type {
  Assignment,
  Command,
  Function as ShellFunction,
  ParsedScript,
  Redirection,
  SyntaxNode,
  Word,
} from 'unbash'
import { type Field, UNKNOWN, type WordContext, expandWord } from './field.ts'
import { SHELL_LIMITS } from './shell-limits.ts'
import { type ShellReading, rememberValue } from './shell-reading.ts'
import { type SimpleCommand, baseName } from './simple-command.ts'

export interface ScriptReader {
  readonly reading: ShellReading
  readonly home: string
  readonly children: (node: SyntaxNode, visit: (child: SyntaxNode) => void) => void
  /** Records a command and finds the commands that it runs. */
  readonly note: (command: SimpleCommand, fields: readonly Field[]) => void
}

interface Place {
  /** The text that node positions refer to. */
  readonly source: string
  readonly depth: number
  /** Its input is the output of another command. */
  readonly isPiped: boolean
  /** That output, if the text shows it. */
  readonly printed?: Field | undefined
  /** Its commands run beside others: in a pipeline, or in the background. */
  readonly isBeside: boolean
  /** The enclosing function definitions. */
  readonly functions: readonly string[]
}

/** Nodes that only contain other nodes. */
const PLAIN_KINDS: ReadonlySet<string> = new Set(
  [
    'CompoundList AndOr If Elif For ArithmeticFor Select While Subshell BraceGroup Case CaseItem TestCommand',
    'TestUnary TestBinary TestLogical TestNot TestGroup ArithmeticCommand ArithmeticBinary ArithmeticUnary',
    'ArithmeticTernary ArithmeticGroup ArithmeticWord ArithmeticCommandExpansion Coproc Redirected Negation',
    'Word Literal Glob SingleQuoted DoubleQuoted AnsiCQuoted LocaleString SimpleExpansion CommandExpansion',
    'ArithmeticExpansion ProcessSubstitution ExtendedGlob BraceExpansion ArrayValue HereString HereDoc',
    'HereDocDelimiter HereDocBody FileDescriptor FileDescriptorVariable',
    'Default Remove Replace Slice CaseModification Names',
  ].flatMap((line) => line.split(' ')),
)

/** Variables that make the shell run or read something. */
const LIVELY_VARIABLES = /^(?:BASH_ENV|ENV|PS4|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|LD_.*|DYLD_.*)$/
/** In arithmetic the shell evaluates a subscript again, substitutions included. */
const LIVELY_SUBSCRIPT = /\[[^[\]]*(?:\$\(|`|\$\{)/

export function readScript(source: string, script: ParsedScript, reader: ScriptReader): void {
  visit(script, { source, depth: 0, isPiped: false, isBeside: false, functions: [] }, reader)
}

function visit(node: SyntaxNode, place: Place, reader: ScriptReader): void {
  const { reading } = reader
  if (reading.exceeds !== undefined) return
  if (place.depth > SHELL_LIMITS.depth) {
    reading.exceeds = `nested deeper than ${SHELL_LIMITS.depth}`
    return
  }
  const deeper = { ...place, depth: place.depth + 1 }
  const visitChildren = (inner: Place = deeper) => reader.children(node, (child) => visit(child, inner, reader))
  switch (node.type) {
    case 'Script':
      for (const { message } of node.errors ?? []) reading.doubts.push(message)
      return visitChildren({ ...deeper, source: node.source ?? place.source })
    case 'Statement':
      // The parser accepts `a & ; b`, bash does not.
      if (node.background === true && /^[ \t]*;(?![;&])/.test(place.source.slice(node.end, node.end + 100))) {
        reading.doubts.push('nothing between two ends of a command')
      }
      return visitChildren({ ...deeper, isBeside: place.isBeside || node.background === true })
    case 'Pipeline':
      if (node.commands.length === 0) reading.doubts.push('a pipeline of nothing')
      node.prefixes.forEach((prefix) => visit(prefix, deeper, reader))
      node.commands.forEach((command, index) => {
        const isBeside = place.isBeside || node.commands.length > 1
        const before = node.commands[index - 1]
        const printed = before ? printedBy(before, reader) : place.printed
        visit(command, { ...deeper, isBeside, printed, isPiped: place.isPiped || index > 0 }, reader)
      })
      return
    case 'Time':
      reading.hasWrapper = true
      return
    case 'Command':
      visitChildren()
      return readCommand(node, place, reader)
    case 'Function':
      return readFunction(node, deeper, reader)
    case 'Assignment':
      visitChildren()
      return readAssignment(node, reader)
    case 'Redirect':
      visitChildren()
      // `< 2>&1` has no file to read: to bash the number belongs to what follows.
      if (!node.operator.includes('&') && /^\d+$/.test(node.target?.text ?? ''))
        reading.doubts.push(`a redirection to ${node.target?.text}`)
      // The command records its own redirections.
      return
    case 'ParameterExpansion':
      if (node.operation?.type === 'Unknown' || node.operation?.type === 'Transform') {
        reading.doubts.push(`the expansion ${node.text}`)
      }
      return visitChildren()
    default:
      if (!PLAIN_KINDS.has(node.type)) {
        reading.doubts.push(`syntax: ${node.type}`)
        return
      }
      if (node.type === 'For' || node.type === 'Select') {
        for (const word of node.wordlist ?? []) rememberWord(node.name.value, word, reader)
      }
      if (node.type === 'Redirected') {
        const [written, read] = [writtenBy(node.redirects, reader), readBy(node.redirects, reader)]
        if (written.length + read.length > 0) reader.note({ ...NOTHING, written, read }, [])
        const readsElse = node.redirects.some((one) => one.type !== 'Redirect' || one.operator.startsWith('<'))
        return visitChildren({ ...deeper, isPiped: place.isPiped || readsElse })
      }
      return visitChildren()
  }
}

const NOTHING: SimpleCommand = { name: '', args: [], written: [], read: [], stdin: 'nothing', fedBy: 'nobody' }

function readCommand(node: Command, place: Place, reader: ScriptReader): void {
  const { reading } = reader
  const context = wordContext(reader)
  if (hasGaps(node, place.source)) reading.doubts.push('text that the parser passed over')
  const fields = [...(node.name ? [node.name] : []), ...node.args].flatMap((argument) =>
    argument.type === 'Word' ? expandWord(argument, context) : assignedFields(argument, context),
  )
  if (fields.some(({ text }) => LIVELY_SUBSCRIPT.test(text))) reading.doubts.push('a subscript with a substitution')
  const [first, ...args] = fields
  if (first && node.prefix.some(({ type }) => type === 'Assignment')) reading.hasWrapper = true
  if (first && (!first.isKnown || first.hasGlob)) reading.doubts.push('a command that only the run can tell')
  const name = first && !first.text.includes(UNKNOWN) ? baseName(first.text) : ''
  if (place.isBeside && place.functions.includes(name)) reading.isForkBomb = true
  const path = name !== '' && first?.text.includes('/') ? { path: first.text } : {}
  const [written, read] = [writtenBy(node.redirects, reader), readBy(node.redirects, reader)]
  const stdin = stdinOf(node.redirects, place, reader)
  reader.note({ name, ...path, args, written, read, stdin, fedBy: 'nobody' }, fields)
}

/** The parser is tolerant: it reads `a( b` as the command `a b`. There must be only spaces between the words. */
function hasGaps(node: Command, source: string): boolean {
  const parts = [...(node.name ? [node.name] : []), ...node.prefix, ...node.suffix].toSorted((a, b) => a.pos - b.pos)
  const last = parts.at(-1)
  if (!last || /^[ \t]*\(/.test(source.slice(last.end, last.end + 100))) return true
  return parts.some(
    (part, index) => index > 0 && !/^(?:[ \t]|\\\n)*$/.test(source.slice(parts[index - 1]?.end, part.pos)),
  )
}

function readFunction(node: ShellFunction, place: Place, reader: ScriptReader): void {
  const functions = [...place.functions, node.name.value]
  visit(node.body, { ...place, isBeside: false, isPiped: false, functions }, reader)
}

function readAssignment({ name, value }: Assignment, reader: ScriptReader): void {
  if (LIVELY_VARIABLES.test(name)) reader.reading.doubts.push(`the variable ${name}`)
  for (const word of value.type === 'Word' ? [value] : value.elements) rememberWord(name, word, reader)
}

function rememberWord(name: string, word: Word, reader: ScriptReader): void {
  for (const { text } of expandWord(word, wordContext(reader))) {
    if (LIVELY_SUBSCRIPT.test(text)) reader.reading.doubts.push('a subscript with a substitution')
    if (!text.includes(UNKNOWN)) rememberValue(reader.reading, name, text)
  }
}

function assignedFields({ name, value }: Assignment, context: WordContext): readonly Field[] {
  if (value.type === 'ArrayValue') return [{ text: `${name}=`, isKnown: false, hasGlob: false }]
  return expandWord(value, context).map((field) => ({ ...field, text: `${name}=${field.text}` }))
}

function writtenBy(redirects: readonly Redirection[], reader: ScriptReader): readonly Field[] {
  return redirects.flatMap((redirect) => {
    if (redirect.type !== 'Redirect' || redirect.operator === '<' || redirect.operator === '<&') return []
    return redirect.target ? expandWord(redirect.target, wordContext(reader)) : []
  })
}

function readBy(redirects: readonly Redirection[], reader: ScriptReader): readonly Field[] {
  return redirects.flatMap((redirect) => {
    const reads = redirect.type === 'Redirect' && (redirect.operator === '<' || redirect.operator === '<>')
    return reads && redirect.target ? expandWord(redirect.target, wordContext(reader)) : []
  })
}

function stdinOf(redirects: readonly Redirection[], place: Place, reader: ScriptReader): SimpleCommand['stdin'] {
  const redirect = redirects.findLast((one) => one.type !== 'Redirect' || one.operator === '<')
  if (!redirect) return place.isPiped ? (place.printed ? { text: place.printed } : 'pipe') : 'nothing'
  if (redirect.type === 'Redirect') return 'pipe'
  if (redirect.type === 'HereString') {
    const [text] = redirect.target ? expandWord(redirect.target, wordContext(reader)) : []
    return text ? { text } : 'pipe'
  }
  const isKnown =
    redirect.delimiter?.quoted === true || (redirect.body.parts ?? []).every(({ type }) => type === 'Literal')
  return { text: { text: redirect.body.text, isKnown, hasGlob: false } }
}

/** What `echo` or `printf` prints. It counts as not known: escapes and formats are not read exactly. */
function printedBy(node: SyntaxNode, reader: ScriptReader): Field | undefined {
  if (node.type !== 'Command' || node.name?.type !== 'Word') return undefined
  const context = wordContext(reader)
  const [name, ...args] = [node.name, ...node.args].flatMap((word) =>
    word.type === 'Word' ? expandWord(word, context) : [],
  )
  if (!/^(?:echo|printf)$/.test(name?.text ?? '')) return undefined
  const texts = args.map(({ text }) => text).filter((text) => !/^-[neE]+$/.test(text))
  const printed = name?.text === 'printf' && texts[0]?.includes('%') ? texts.slice(1) : texts
  return { text: printed.join(' ').replaceAll(String.raw`\n`, '\n'), isKnown: false, hasGlob: false }
}

export function wordContext({ reading, home }: ScriptReader): WordContext {
  return { home, variables: reading.variables, doubt: (reason) => void reading.doubts.push(reason) }
}
