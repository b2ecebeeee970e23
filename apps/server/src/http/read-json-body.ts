import type { Context } from 'hono'
import type { z } from 'zod'
import { HttpRefusal } from './http-refusal.ts'

const MAX_BYTES = 64 * 1024
const MAX_DEPTH = 64

/** The body of one of our own small requests: bounded while it is read, JSON, and of this shape. */
export async function readJsonBody<S extends z.ZodType>(c: Context, schema: S): Promise<z.infer<S>> {
  if (!/^application\/json\b/i.test(c.req.header('content-type') ?? '')) {
    throw new HttpRefusal(415, 'Send application/json.')
  }
  const parsed = schema.safeParse(parseJson(await readText(c.req.raw)))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new HttpRefusal(
    400,
    issue === undefined ? 'Bad request.' : `${issue.path.join('.') || 'body'}: ${issue.message}`,
  )
}

async function readText(request: Request): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  const body: AsyncIterable<unknown> | null = request.body
  for await (const chunk of body ?? []) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError('a body is bytes')
    size += chunk.length
    if (size > MAX_BYTES) throw new HttpRefusal(413, `The body is over ${MAX_BYTES / 1024} KiB.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    if (isWithinDepth(value)) return value
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new HttpRefusal(400, `The body must be JSON, nested at most ${MAX_DEPTH} deep.`)
}

/** Level by level: recursion on what a client sent could overflow the stack. */
function isWithinDepth(value: unknown): boolean {
  let level: readonly unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return false
    level = level.flatMap(childrenOf)
  }
  return true
}

function childrenOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : []
}
