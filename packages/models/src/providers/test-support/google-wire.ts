// Google's Generative Language API, v1beta.
import { z } from 'zod'
import { type FakeAnswer, type FakeBlock, type Wire, USAGE, json, sse } from './wire.ts'

const signed = { thoughtSignature: z.string().min(1).optional() }
const inlineData = z.strictObject({ mimeType: z.string(), data: z.string().min(1) })
const name = z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/)
const part = z.union([
  z
    .strictObject({ text: z.string(), thought: z.literal(true).optional(), ...signed })
    .refine((item) => item.text !== '' || item.thoughtSignature !== undefined, 'an empty text'),
  z.strictObject({ inlineData }),
  z.strictObject({ fileData: z.strictObject({ mimeType: z.string(), fileUri: z.string().startsWith('https://') }) }),
  z.strictObject({
    functionCall: z.strictObject({ id: z.string().optional(), name, args: z.record(z.string(), z.unknown()) }),
    ...signed,
  }),
  z.strictObject({
    functionResponse: z.strictObject({
      id: z.string().optional(),
      name,
      response: z.looseObject({ content: z.unknown().optional(), error: z.unknown().optional() }),
      parts: z.array(z.strictObject({ inlineData })).optional(),
    }),
  }),
])
const content = z.strictObject({ role: z.enum(['user', 'model']), parts: z.array(part).min(1) })
const bodySchema = z.looseObject({
  contents: z.array(content).min(1),
  systemInstruction: z.strictObject({ parts: z.array(z.strictObject({ text: z.string().min(1) })) }).optional(),
})
type Content = z.infer<typeof content>

export const googleWire: Wire = {
  kind: 'google',
  basePath: '/v1beta',
  path: '/v1beta/models/gemini-3-pro-preview:streamGenerateContent',
  model: 'gemini-3-pro-preview',
  keyHeader: (key) => ['x-goog-api-key', key],
  answer: toEvents,
  contextTooLong: json(
    400,
    errorOf(
      400,
      'INVALID_ARGUMENT',
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    ),
  ),
  badKey: json(400, errorOf(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.')),
  rateLimited: json(
    429,
    errorOf(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota, please check your plan and billing details.'),
  ),
  overloaded: json(503, errorOf(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.')),
  overloadedMidway: sse(errorOf(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.')),
  refuses: (problem) => json(400, errorOf(400, 'INVALID_ARGUMENT', problem)),
  findFault(body) {
    const parsed = bodySchema.safeParse(body)
    return parsed.success ? findDisorder(parsed.data.contents) : z.prettifyError(parsed.error)
  },
  readHistory: (body) =>
    bodySchema.parse(body).contents.flatMap(({ role, parts }) => parts.map((item) => tell(role, item))),
}

function errorOf(code: number, status: string, message: string): unknown {
  return { error: { code, status, message, details: [] } }
}

function findDisorder(contents: readonly Content[]): string | undefined {
  if (contents[0]?.role !== 'user') return 'the conversation must begin with the user'
  if (contents.at(-1)?.role === 'model') return 'the last content must not be the model’s'
  for (const [index, { parts }] of contents.entries()) {
    const calls = parts.filter((item) => 'functionCall' in item)
    const responses = contents[index + 1]?.parts.filter((item) => 'functionResponse' in item) ?? []
    if (calls.length > 0 && calls.length !== responses.length) {
      return 'the number of function response parts must equal the number of function call parts of the function call turn'
    }
    if (calls[0] && calls[0].thoughtSignature === undefined) return 'Function call is missing a thought_signature'
  }
  return undefined
}

function tell(role: string, item: Content['parts'][number]): string {
  const speaker = role === 'model' ? 'assistant' : 'user'
  if ('text' in item)
    return item.thought === true ? `thinking: ${item.text} [${item.thoughtSignature}]` : `${speaker}: ${item.text}`
  if ('inlineData' in item) return `${speaker}: image ${item.inlineData.data}`
  if ('fileData' in item) return `${speaker}: image ${item.fileData.fileUri}`
  if ('functionCall' in item) {
    const { id, name: called, args } = item.functionCall
    return `call ${id}: ${called} ${JSON.stringify(args)}`
  }
  const { id, response, parts = [] } = item.functionResponse
  if (response.error !== undefined) return `error ${id}: ${response.error}`
  return `result ${id}: ${[response.content, ...parts.map(({ inlineData: { data } }) => `image ${data}`)].join(' ')}`
}

const FINISH_REASONS = { stop: 'STOP', calls: 'STOP', length: 'MAX_TOKENS', refusal: 'SAFETY' }

function toEvents({ blocks, finish }: FakeAnswer): readonly string[] {
  const usageMetadata = {
    promptTokenCount: USAGE.input,
    candidatesTokenCount: USAGE.output,
    totalTokenCount: USAGE.input + USAGE.output,
  }
  const chunk = (parts: readonly unknown[], more: object = {}): string =>
    sse({
      candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
      usageMetadata,
      modelVersion: 'm',
      responseId: 'r1',
    })
  return [
    ...blocks.flatMap(toParts).map((item) => chunk([item])),
    chunk([{ text: '' }], { finishReason: FINISH_REASONS[finish] }),
  ]
}

function toParts(block: FakeBlock): readonly unknown[] {
  switch (block.type) {
    case 'text':
      return block.pieces.map((text) => ({ text }))
    case 'thinking':
      return block.pieces.map((text, index) => ({
        text,
        thought: true,
        ...(index === block.pieces.length - 1 &&
          block.signature !== undefined && { thoughtSignature: block.signature }),
      }))
    case 'call':
      return [
        {
          functionCall: { id: block.id, name: block.name, args: JSON.parse(block.pieces.join('')) },
          ...(block.signature !== undefined && { thoughtSignature: block.signature }),
        },
      ]
  }
}
