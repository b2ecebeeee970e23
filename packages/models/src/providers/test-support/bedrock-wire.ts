// Amazon Bedrock's Converse API: its body, its binary event stream, and Signature Version 4.
import { createHash, createHmac } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { z } from 'zod'
import type { SentRequest } from './strict-server.ts'

const cachePoint = z.strictObject({ cachePoint: z.strictObject({ type: z.literal('default') }) })
const text = z.strictObject({ text: z.string().min(1) })
const toolUse = z.strictObject({
  toolUse: z.strictObject({
    toolUseId: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
    input: z.record(z.string(), z.unknown()),
  }),
})
const toolResult = z.strictObject({
  toolResult: z.strictObject({
    toolUseId: z.string(),
    content: z.array(text).min(1),
    status: z.enum(['success', 'error']).optional(),
  }),
})
const reasoning = z.strictObject({
  reasoningContent: z.strictObject({ reasoningText: z.strictObject({ text: z.string(), signature: z.string() }) }),
})

const bodySchema = z.strictObject({
  system: z.array(z.union([text, cachePoint])).optional(),
  messages: z
    .array(
      z.union([
        z.strictObject({ role: z.literal('user'), content: z.array(z.union([text, toolResult, cachePoint])).min(1) }),
        z.strictObject({
          role: z.literal('assistant'),
          content: z.array(z.union([text, toolUse, reasoning, cachePoint])).min(1),
        }),
      ]),
    )
    .min(1),
  inferenceConfig: z.strictObject({ maxTokens: z.int().optional() }).optional(),
  toolConfig: z
    .strictObject({
      tools: z.array(
        z.strictObject({
          toolSpec: z.strictObject({
            name: z.string(),
            description: z.string().min(1),
            inputSchema: z.strictObject({ json: z.looseObject({ type: z.literal('object') }) }),
          }),
        }),
      ),
      toolChoice: z.strictObject({ auto: z.strictObject({}) }).optional(),
    })
    .optional(),
  additionalModelResponseFieldPaths: z.array(z.string()).optional(),
})

export function findBedrockFault(body: unknown): string | undefined {
  const parsed = bodySchema.safeParse(body)
  if (!parsed.success) return z.prettifyError(parsed.error)
  const roles = parsed.data.messages.map(({ role }) => role)
  return roles.every((role, index) => role === (index % 2 === 0 ? 'user' : 'assistant'))
    ? undefined
    : 'A conversation must alternate between user and assistant roles.'
}

/** An answer with thinking, text and one call. */
export const bedrockChunks = (call: { readonly id: string; readonly name: string; readonly input: string }) => [
  frame('messageStart', { role: 'assistant' }),
  frame('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { text: 'Hm.' } } }),
  frame('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { signature: 'sig-1' } } }),
  frame('contentBlockStop', { contentBlockIndex: 0 }),
  frame('contentBlockDelta', { contentBlockIndex: 1, delta: { text: 'Let me see.' } }),
  frame('contentBlockStop', { contentBlockIndex: 1 }),
  frame('contentBlockStart', { contentBlockIndex: 2, start: { toolUse: { toolUseId: call.id, name: call.name } } }),
  frame('contentBlockDelta', { contentBlockIndex: 2, delta: { toolUse: { input: call.input } } }),
  frame('contentBlockStop', { contentBlockIndex: 2 }),
  frame('messageStop', { stopReason: 'tool_use' }),
  frame('metadata', { usage: { inputTokens: 21, outputTokens: 7, totalTokens: 28 }, metrics: { latencyMs: 5 } }),
]

/** One message of `application/vnd.amazon.eventstream`: lengths, checksum, headers, payload, checksum. */
function frame(type: string, payload: unknown): Uint8Array {
  const headers = Buffer.concat(
    [
      [':message-type', 'event'],
      [':event-type', type],
      [':content-type', 'application/json'],
    ].map(([name = '', value = '']) => {
      const length = Buffer.alloc(3)
      length.writeUInt8(7)
      length.writeUInt16BE(value.length, 1)
      return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), length, Buffer.from(value)])
    }),
  )
  const body = Buffer.from(JSON.stringify(payload))
  const prelude = Buffer.alloc(8)
  prelude.writeUInt32BE(16 + headers.length + body.length)
  prelude.writeUInt32BE(headers.length, 4)
  const start = Buffer.concat([prelude, checksum(prelude), headers, body])
  return Buffer.concat([start, checksum(start)])
}

function checksum(bytes: Uint8Array): Buffer {
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(bytes))
  return sum
}

export interface AwsKey {
  readonly id: string
  readonly secret: string
  readonly region: string
}

/** Computes the signature a second time, from what arrived. `host` is that of the provider, not of the local server. */
export function findSignatureFault({ url, headers, text: body }: SentRequest, key: AwsKey): string | undefined {
  const parts = /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
    headers.authorization ?? '',
  )
  const [, credential = '', signedHeaders = '', signature] = parts ?? []
  const date = String(headers['x-amz-date'])
  const scope = `${date.slice(0, 8)}/${key.region}/bedrock/aws4_request`
  if (credential !== `${key.id}/${scope}`) return 'The security token included in the request is invalid.'
  const signed = signedHeaders.split(';').map((name) => {
    const value = name === 'host' ? url.host : String(headers[name])
    return `${name}:${value.trim().replaceAll(/ +/g, ' ')}\n`
  })
  if (!signedHeaders.split(';').includes('host')) return 'The host must be signed.'
  const path = url.pathname
    .split('/')
    .map((part) => encodeURIComponent(part))
    .join('/')
  const canonical = ['POST', path, '', signed.join(''), signedHeaders, sha256(body)].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n')
  const signingKey = ['bedrock', 'aws4_request'].reduce(
    hmac,
    hmac(hmac(`AWS4${key.secret}`, date.slice(0, 8)), key.region),
  )
  return hmac(signingKey, toSign).toString('hex') === signature
    ? undefined
    : 'The request signature we calculated does not match the signature you provided.'
}

const sha256 = (data: string): string => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest()
