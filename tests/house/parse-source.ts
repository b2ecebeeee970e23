import { parseAst } from 'vitest/node'

export interface ImportFact {
  readonly specifier: string
  readonly isTypeOnly: boolean
  /** Values that are imported by name; `*` where all of the module is. */
  readonly names: readonly string[]
  readonly line: number
}

/** What the rules want to know of a source file. `line` counts from 1. */
export interface SourceFile {
  readonly path: string
  readonly text: string
  readonly imports: readonly ImportFact[]
  readonly exportedNames: readonly { readonly name: string; readonly line: number }[]
  readonly starExports: readonly number[]
  readonly consoleUses: readonly number[]
  /** Calls of plain names, such as `fetch(…)` and `new WebSocket(…)`. */
  readonly globalCalls: readonly { readonly name: string; readonly line: number }[]
  /** Regular expressions whose text is written there. */
  readonly patterns: readonly { readonly source: string; readonly flags: string; readonly line: number }[]
}

interface Node {
  readonly type: string
  readonly start: number
  readonly [field: string]: unknown
}

const LANGUAGES: Record<string, 'ts' | 'tsx' | 'js' | 'jsx'> = {
  ts: 'ts',
  mts: 'ts',
  cts: 'ts',
  tsx: 'tsx',
  jsx: 'jsx',
}

/** Reads a file by its syntax tree, so that a specifier in a comment or a string is no import. */
export function parseSource(path: string, text: string): SourceFile {
  const imports: ImportFact[] = []
  const exportedNames: { name: string; line: number }[] = []
  const starExports: number[] = []
  const consoleUses: number[] = []
  const globalCalls: { name: string; line: number }[] = []
  const patterns: { source: string; flags: string; line: number }[] = []
  const lineOf = (node: Node) => text.slice(0, node.start).split('\n').length
  const addImport = (node: Node, source: unknown, isTypeOnly: boolean) => {
    const specifier = constantText(source)
    if (specifier !== undefined)
      imports.push({ specifier, isTypeOnly, names: namesImportedBy(node), line: lineOf(node) })
  }

  const noteCall = (node: Node) => {
    const name = nameOf(node['callee'])
    if (name !== undefined) globalCalls.push({ name, line: lineOf(node) })
  }

  const notePattern = (node: Node, pattern: Pattern | undefined) => {
    if (pattern) patterns.push({ ...pattern, line: lineOf(node) })
  }

  const lang = LANGUAGES[path.slice(path.lastIndexOf('.') + 1)] ?? 'js'
  for (const node of walk(parseAst(text, { lang }, path))) {
    switch (node.type) {
      case 'ImportDeclaration':
        addImport(node, node['source'], node['importKind'] === 'type' || hasOnlyTypeSpecifiers(node))
        break
      case 'ExportNamedDeclaration':
        addImport(node, node['source'], node['exportKind'] === 'type')
        exportedNames.push(...namesExportedBy(node).map((name) => ({ name, line: lineOf(node) })))
        break
      case 'ExportAllDeclaration':
        addImport(node, node['source'], node['exportKind'] === 'type')
        starExports.push(lineOf(node))
        break
      case 'ImportExpression':
        addImport(node, node['source'], false)
        break
      case 'TSImportType':
        addImport(node, node['source'] ?? node['argument'], true)
        break
      case 'TSExternalModuleReference':
        addImport(node, node['expression'], false)
        break
      case 'CallExpression':
        if (nameOf(node['callee']) === 'require') addImport(node, firstOf(node['arguments']), false)
        noteCall(node)
        break
      case 'NewExpression':
        noteCall(node)
        if (nameOf(node['callee']) === 'RegExp') notePattern(node, patternOfConstructor(node['arguments']))
        break
      case 'Literal':
        notePattern(node, patternOfLiteral(node['regex']))
        break
      case 'MemberExpression':
        if (nameOf(node['object']) === 'console') consoleUses.push(lineOf(node))
        break
    }
  }
  return { path, text, imports, exportedNames, starExports, consoleUses, globalCalls, patterns }
}

function* walk(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const item of value) yield* walk(item)
  if (!isNode(value)) return
  yield value
  for (const child of Object.values(value)) if (typeof child === 'object') yield* walk(child)
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

interface Pattern {
  readonly source: string
  readonly flags: string
}

function patternOfLiteral(value: unknown): Pattern | undefined {
  if (typeof value !== 'object' || value === null || !('pattern' in value && 'flags' in value)) return undefined
  return { source: String(value.pattern), flags: String(value.flags) }
}

function patternOfConstructor(args: unknown): Pattern | undefined {
  const [first, second] = nodesIn(args)
  const source = constantText(first)
  return source === undefined ? undefined : { source, flags: constantText(second) ?? '' }
}

/** The text of `'x'` or of a template without holes; undefined for anything that is known only at run time. */
function constantText(value: unknown): string | undefined {
  if (!isNode(value)) return undefined
  if (value.type === 'Literal' && typeof value['value'] === 'string') return value['value']
  if (value.type === 'TSLiteralType') return constantText(value['literal'])
  if (value.type === 'BinaryExpression' && value['operator'] === '+') {
    const [left, right] = [constantText(value['left']), constantText(value['right'])]
    return left === undefined || right === undefined ? undefined : left + right
  }
  if (value.type !== 'TemplateLiteral') return undefined
  const quasis = value['quasis']
  const only = Array.isArray(quasis) && quasis.length === 1 ? (quasis[0] as { value: { cooked: string } }) : undefined
  return only?.value.cooked
}

function hasOnlyTypeSpecifiers(node: Node): boolean {
  const specifiers = nodesIn(node['specifiers'])
  return specifiers.length > 0 && specifiers.every((specifier) => specifier['importKind'] === 'type')
}

function namesImportedBy(node: Node): string[] {
  if (node.type !== 'ImportDeclaration' && node.type !== 'ExportNamedDeclaration') return ['*']
  return nodesIn(node['specifiers'])
    .filter((specifier) => specifier['importKind'] !== 'type' && specifier['exportKind'] !== 'type')
    .map((specifier) => {
      const isNamed = specifier.type === 'ImportSpecifier' || specifier.type === 'ExportSpecifier'
      return (isNamed && nameOf(specifier[node.type === 'ImportDeclaration' ? 'imported' : 'local'])) || '*'
    })
}

function namesExportedBy(node: Node): string[] {
  const declaration = node['declaration']
  const declared = isNode(declaration)
    ? [nameOf(declaration['id']), ...nodesIn(declaration['declarations']).map((item) => nameOf(item['id']))]
    : []
  const listed = nodesIn(node['specifiers']).map((specifier) => nameOf(specifier['exported']))
  return [...declared, ...listed].filter((name) => name !== undefined)
}

function nameOf(value: unknown): string | undefined {
  return isNode(value) && value.type === 'Identifier' ? String(value['name']) : undefined
}

function nodesIn(value: unknown): Node[] {
  return Array.isArray(value) ? value.filter(isNode) : []
}

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined
}
