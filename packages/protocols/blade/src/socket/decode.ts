import { z } from 'zod'
import type { PayloadLimits } from './deps.ts'
import { SocketRefusal } from './errors.ts'

/** Absent and `null` are the same. */
const optional = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? undefined)

/** Ids of sessions are UUIDs, whose case says nothing. */
const sessionId = z.string().min(1).max(64).toLowerCase()

export const sessionRequest = z.object({ session_id: sessionId })

const part = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image_url'), image_url: z.object({ url: z.string().min(1) }) }),
  z.object({ type: z.literal('file'), name: z.string().min(1).max(255), data: z.string() }),
])

const orNone = <T>(given: { readonly [question: string]: T } | undefined) => given ?? {}
const questionIndex = z.string().regex(/^\d{1,3}$/)
const answer = z.object({
  tool_call_id: z.string().min(1).max(128),
  selections: optional(z.record(questionIndex, z.array(z.number().int().nonnegative()).max(64))).transform(orNone),
  custom: optional(z.record(questionIndex, z.string())).transform(orNone),
})

const unbuilt = (what: string) => z.null(`${what} is not supported by this server`).optional()

const sendFields = z.object({
  session_id: sessionId,
  message: z.union([z.string(), z.array(part).max(64)]),
  mode: optional(z.enum(['planning', 'executing'])),
  askuser_answer: optional(answer),
  client_message_id: optional(z.string().min(1).max(255)),
  model: optional(z.string().min(1).max(200)),
  headless: optional(z.boolean()),
  output_schema: optional(z.record(z.string(), z.json())),
  whatif: unbuilt('whatif'),
  replay_decision: unbuilt('replay_decision'),
  runtime_env: unbuilt('runtime_env'),
})

export const sendRequest = sendFields.superRefine((request, context) => {
  const refuse = (field: keyof typeof request, message: string): void =>
    context.addIssue({ code: 'custom', path: [field], message })
  if (request.askuser_answer === undefined) {
    if (isBlank(request.message)) refuse('message', 'is empty')
    return
  }
  // An answer goes on with a run that has begun without it.
  if (request.headless === true) refuse('headless', 'cannot be said with an answer')
  if (request.output_schema !== undefined) refuse('output_schema', 'cannot be said with an answer')
})

function isBlank(message: z.output<typeof sendFields>['message']): boolean {
  if (typeof message === 'string') return message.trim() === ''
  return message.every((given) => given.type === 'text' && given.text.trim() === '')
}

export type SendRequest = z.output<typeof sendRequest>
export type MessagePart = z.output<typeof part>

/** Unknown fields are passed over. */
export function parsePayload<S extends z.ZodType>(schema: S, payload: unknown, limits: PayloadLimits): z.output<S> {
  checkShape(payload, limits)
  const parsed = schema.safeParse(payload)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const where = issue?.path.join('.') ?? ''
  throw new SocketRefusal(
    'invalid_payload',
    `${where === '' ? 'the payload' : where}: ${issue?.message ?? 'unreadable'}`,
  )
}

/** Level by level, because a value made to be deep would exhaust the stack of a function that calls itself. */
function checkShape(payload: unknown, { depth, keys, stringLength }: PayloadLimits): void {
  let level: unknown[] = [payload]
  let seen = 0
  for (let deep = 0; level.length > 0; deep++) {
    if (deep > depth) throw new SocketRefusal('invalid_payload', `the payload is nested deeper than ${depth} levels`)
    const next: unknown[] = []
    for (const value of level) {
      if (typeof value === 'string' && value.length > stringLength && !isBulk(value)) {
        throw new SocketRefusal('invalid_payload', `a text is longer than ${stringLength} characters`)
      }
      if (typeof value !== 'object' || value === null) continue
      const inner = Object.values(value)
      seen += inner.length
      if (seen > keys) throw new SocketRefusal('invalid_payload', `the payload has more than ${keys} values`)
      for (const item of inner) next.push(item)
    }
    level = next
  }
}

const BULK = /^(?:data:|[A-Za-z0-9+/]{256})/

/** Base64 of an image or a file. */
const isBulk = (text: string): boolean => BULK.test(text)
