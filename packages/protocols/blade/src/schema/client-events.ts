import type { JsonObject } from '@polylogue/kit/client'
import { z } from 'zod'

/** Treats `null` as absent. */
const optional = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? undefined)

/** The schema `z.json()` tries each value as five types. A packet may hold bytes, which are not JSON. */
const jsonObject = z.custom<JsonObject>((value) => isObject(value) && isJson(value), 'expected object of JSON values')

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The parser has limited the depth. */
function isJson(value: unknown): boolean {
  if (typeof value !== 'object' || value === null)
    return ['string', 'number', 'boolean', 'object'].includes(typeof value)
  if (Array.isArray(value)) return value.every(isJson)
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isJson)
}

/** Session ids are UUIDs, so case does not matter. */
const sessionId = z.string().min(1).max(64).toLowerCase()

export const sessionRequestSchema = z.object({ session_id: sessionId })

export const messagePartSchema = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal('text'), text: z.string() }),
    z.object({ type: z.literal('image_url'), image_url: z.object({ url: z.string().min(1) }) }),
    z.object({ type: z.literal('file'), name: z.string().min(1).max(255), data: z.string() }),
  ],
  { error: 'expected an object whose type is "text", "image_url" or "file"' },
)

const orNone = <T>(given: { readonly [question: string]: T } | undefined) => given ?? {}
const questionIndex = z.string().regex(/^\d{1,3}$/, 'expected the index of a question, such as "0"')

/** `selections` holds the indexes of the chosen options, by the index of the question. */
export const askUserAnswerSchema = z.object({
  tool_call_id: z.string().min(1).max(128),
  selections: optional(z.record(questionIndex, z.array(z.number().int().nonnegative()).max(64))).transform(orNone),
  custom: optional(z.record(questionIndex, z.string())).transform(orNone),
})

const unbuilt = z.null('is not supported by this server').optional()

const sendFields = z.object({
  session_id: sessionId,
  message: z.union([z.string(), z.array(messagePartSchema).max(64)]),
  mode: optional(z.enum(['planning', 'executing'])),
  askuser_answer: optional(askUserAnswerSchema),
  client_message_id: optional(z.string().min(1).max(255)),
  model: optional(z.string().min(1).max(200)),
  headless: optional(z.boolean()),
  output_schema: optional(jsonObject),
  whatif: unbuilt,
  replay_decision: unbuilt,
  runtime_env: unbuilt,
})

export const sendRequestSchema = sendFields.superRefine((request, context) => {
  const refuse = (field: keyof typeof request, message: string): void =>
    context.addIssue({ code: 'custom', path: [field], message })
  if (request.askuser_answer === undefined) {
    if (isBlank(request.message)) refuse('message', 'must not be empty')
    return
  }
  const bulky = typeof request.message === 'string' ? -1 : request.message.findIndex(({ type }) => type !== 'text')
  if (bulky !== -1) {
    const message = 'must be text beside askuser_answer; send images and files as a message of their own'
    context.addIssue({ code: 'custom', path: ['message', bulky], message })
  }
  // An answer continues a run that started without these.
  if (request.headless === true) refuse('headless', 'cannot be combined with askuser_answer')
  if (request.output_schema !== undefined) refuse('output_schema', 'cannot be combined with askuser_answer')
})

function isBlank(message: z.output<typeof sendFields>['message']): boolean {
  if (typeof message === 'string') return message.trim() === ''
  return message.every((given) => given.type === 'text' && given.text.trim() === '')
}

export type SendRequest = z.output<typeof sendRequestSchema>
