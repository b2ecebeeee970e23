/** Every named failpoint in the sources. */
export const FAILPOINT_NAMES = [
  'ack',
  'append.after',
  'append.after-commit',
  'append.before',
  'append.before-commit',
  'claim.after',
  'claim.after-commit',
  'create.after-append',
  'create.before-append',
  'delete.after',
  'delete.before',
  'drafts.after-commit',
  'migrate',
  'publish.after',
  'publish.delta',
  'results.gathered',
  'runner.started',
  'tool.after-run',
  'tool.before-run',
] as const

/** Calls that store, start, publish or acknowledge something. A crash may interrupt each of them. */
export const CRITICAL_CALLS: { readonly [what: string]: RegExp } = {
  append: /\bstore\.append\(/g,
  'save drafts': /\bstore\.saveDrafts\(/g,
  delete: /\bstore\.deleteSession\(/g,
  claim: /\bstore\.claim\(/g,
  'run a tool': /\btool\.run\(/g,
  'execute a command': /\bexecuteCommand\(command/g,
  'publish events': /\bfeed\.(?:publish|release)\(/g,
  'publish a delta': /\bfeed\.publishDelta\(/g,
  commit: /\bcommit\.run\(/g,
  migrate: /\brunMigration\(db,/g,
}

export interface SourceFile {
  readonly path: string
  readonly text: string
}

const withoutComments = (text: string): string => text.replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, '')

export function findFailpoints(files: readonly SourceFile[]): readonly string[] {
  const names = files.flatMap(({ text }) =>
    [...withoutComments(text).matchAll(/\bfailpoint\('([^']+)'\)/g)].map(([, name]) => name ?? ''),
  )
  return [...new Set(names)].toSorted()
}

/** How often each file makes each critical call. */
export function findCriticalCalls(files: readonly SourceFile[]): Readonly<Record<string, number>> {
  const found: Record<string, number> = {}
  for (const { path, text } of files) {
    for (const [what, pattern] of Object.entries(CRITICAL_CALLS)) {
      const count = [...withoutComments(text).matchAll(pattern)].length
      if (count > 0) found[`${path}: ${what}`] = count
    }
  }
  return found
}
