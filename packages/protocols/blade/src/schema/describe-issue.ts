import type { z } from 'zod'

type Issue = z.core.$ZodIssue

// Keys in a path come from the client. Do not send a huge one back.
const LONGEST_PATH = 200

/** One sentence that names the field and what was expected: `limit: expected number, received string`. */
export function describeIssue(issue: Issue | undefined, whole: string): string {
  if (issue === undefined) return `${whole}: cannot be read`
  const { path, problem } = explain(issue)
  const place = path.map(String).join('.').slice(0, LONGEST_PATH)
  return `${place === '' ? whole : place}: ${problem}`
}

interface Explained {
  readonly path: readonly PropertyKey[]
  readonly problem: string
}

function explain(issue: Issue): Explained {
  if (issue.code === 'invalid_union' && issue.errors.length > 0) return explainUnion(issue)
  if (issue.code === 'invalid_key') {
    const [first] = issue.issues
    return { path: issue.path, problem: first === undefined ? problemOf(issue) : problemOf(first) }
  }
  return { path: issue.path, problem: problemOf(issue) }
}

/** The client meant the branch whose type fits. When none fits, any of them was expected. */
function explainUnion({ path, errors }: Extract<Issue, { code: 'invalid_union' }>): Explained {
  for (const [first] of errors) {
    if (first === undefined || (first.code === 'invalid_type' && first.path.length === 0)) continue
    const inner = explain(first)
    return { path: [...path, ...inner.path], problem: inner.problem }
  }
  const expected = errors.flatMap(([first]) => (first?.code === 'invalid_type' ? [toWord(first.expected)] : []))
  const received = errors.flat().flatMap(({ message }) => /received ([^]+)$/.exec(message)?.[1] ?? [])[0]
  return { path, problem: `expected ${expected.join(' or ')}${received === undefined ? '' : `, received ${received}`}` }
}

const toWord = (type: string): string => (type === 'record' ? 'object' : type)

const problemOf = ({ message }: Issue): string =>
  message.replace(/^Invalid (?:input|option|string): /, '').replace('expected record', 'expected object')
