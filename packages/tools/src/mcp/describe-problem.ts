import { oneLine } from '../parse-with.ts'
import { type McpServer, secretsOf } from './mcp-server.ts'

const LONGEST_PROBLEM = 500
/** More than what is shown, so that no secret is cut in half. */
const LONGEST_READ = 20 * LONGEST_PROBLEM
/** Shorter values would match ordinary words. */
const SHORTEST_SECRET = 6

/** One line that is safe to show and log. */
export function describeProblem(error: unknown, server: McpServer): string {
  const said = error instanceof Error ? withCause(error) : String(error)
  let text = said.slice(0, LONGEST_READ)
  for (const secret of secretsOf(server)) {
    if (secret.length >= SHORTEST_SECRET) text = text.replaceAll(secret, '***')
  }
  const line = oneLine(text)
  return line.length <= LONGEST_PROBLEM ? line : `${line.slice(0, LONGEST_PROBLEM - 1)}…`
}

/** `fetch` gives the reason in `cause`. */
function withCause(error: Error): string {
  const { cause } = error
  if ('status' in error && typeof error.status === 'number') return `${error.message} (HTTP ${error.status})`
  if (!(error instanceof TypeError && cause instanceof Error)) return error.message
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
  return code === '' ? error.message : `${error.message} (${code})`
}
