// Reports one line for an invalid value: the path of the first wrong field and the problem. Models read it as the result of
// a bad call, people as the reason why a server does not start.
import { z } from 'zod'

export type Parsed<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: string }

/**
 * Never throws, and stops at the first wrong element of a list. A schema that is not synchronous is a problem too. `jitless` is for schemas that are used once: zod does not
 * compile them then, which takes longer than it saves.
 */
export function parseWith<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  { jitless = false }: { readonly jitless?: boolean } = {},
): Parsed<z.output<Schema>> {
  const context: z.core.ParseContextInternal<z.core.$ZodIssue> = { error: describeRawIssue, jitless, abortEarly: true }
  try {
    const result = z.safeParse(schema, value, context)
    if (result.success) return { ok: true, value: result.data }
    const issue = result.error.issues[0]
    return { ok: false, problem: issue ? describeIssue(issue) : 'is not valid' }
  } catch (error) {
    return {
      ok: false,
      problem: `cannot be checked: ${oneLine(error instanceof Error ? error.message : String(error))}`,
    }
  }
}

/** `agents[0].options[1].default` */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`
    return text === '' ? String(key) : `${text}.${String(key)}`
  }, '')
}

export function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}

function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys')
    return `${formatPath([...issue.path, ...issue.keys.slice(0, 1)])}: unknown key`
  const path = formatPath(issue.path)
  const problem = oneLine(issue.message)
  return path === '' ? problem : `${path}: ${problem}`
}

function describeBranches(branches: readonly (readonly z.core.$ZodIssue[])[]): string {
  return branches.map(([issue]) => (issue ? describeIssue(issue) : 'is not valid')).join(', or ')
}

/** Replaces the library's messages. `undefined` keeps the original. */
function describeRawIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${withArticle(issue.expected)}`
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`
    case 'invalid_union':
      if (Array.isArray(issue.options)) return `must be one of ${issue.options.map(String).join(', ')}`
      return describeBranches(issue.errors)
    case 'too_small':
      return issue.origin === 'string' && issue.minimum === 1 ? 'must not be empty' : undefined
    default:
      return undefined
  }
}

function withArticle(type: string): string {
  if (type === 'int') return 'a whole number'
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
}
