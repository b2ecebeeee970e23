import { z } from 'zod'
import { type Stored, json, jsonObject, toolCallId } from './stored-schema.ts'

/** Data that only the model that wrote a block understands, such as a signature. Other models do not get it. */
const opaque = z.object({ model: z.string(), value: json })

const textPart = z.object({ type: z.literal('text'), text: z.string() })
const thinkingPart = z.object({ type: z.literal('thinking'), text: z.string(), opaque: opaque.optional() })
/** Events contain no bytes. An image is a URL, or a blob of the session that is named by the SHA-256 of its content. */
const imagePart = z.object({
  type: z.literal('image'),
  source: z.discriminatedUnion('type', [
    z.object({ type: z.literal('url'), url: z.string() }),
    z.object({ type: z.literal('blob'), hash: z.string(), mediaType: z.string() }),
  ]),
})
const toolCallPart = z.object({
  type: z.literal('tool-call'),
  toolCallId,
  name: z.string(),
  input: jsonObject,
  opaque: opaque.optional(),
})

// A string and a list of parts are both stored as given, so that a history reads back unchanged.
export const userContent = z.union([z.string(), z.array(z.discriminatedUnion('type', [textPart, imagePart]))])
export const toolContent = userContent
const assistantContent = z.union([
  z.string(),
  z.array(z.discriminatedUnion('type', [textPart, thinkingPart, imagePart, toolCallPart])),
])
/** The blocks of a model step, in the order in which they were produced. */
export const stepBlocks = z.array(z.discriminatedUnion('type', [textPart, thinkingPart, toolCallPart]))

export const conversationMessage = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), text: z.string() }),
  z.object({ role: z.literal('user'), content: userContent }),
  z.object({ role: z.literal('assistant'), content: assistantContent }),
  z.object({ role: z.literal('tool'), toolCallId, content: toolContent }),
])

/** The tokens of a model call, as counted by the provider. */
export const usage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  /** The part of the input that the provider read from its cache. */
  cachedInputTokens: z.number().optional(),
  /** The part of the input that the provider wrote to its cache. */
  cacheWriteTokens: z.number().optional(),
  /** The part of the output that is reasoning. */
  reasoningTokens: z.number().optional(),
  /** At the price at that time, in billionths of a currency unit. Absent if the price is unknown, which is not zero. */
  cost: z.object({ nano: z.number(), currency: z.string() }).optional(),
})

export type OpaqueData = Stored<typeof opaque>
export type TextPart = Stored<typeof textPart>
export type ThinkingPart = Stored<typeof thinkingPart>
export type ImagePart = Stored<typeof imagePart>
export type ImageSource = ImagePart['source']
export type ToolCallPart = Stored<typeof toolCallPart>
export type UserContent = Stored<typeof userContent>
export type ToolContent = Stored<typeof toolContent>
export type AssistantContent = Stored<typeof assistantContent>
export type AssistantPart = TextPart | ThinkingPart | ImagePart | ToolCallPart
export type StepBlock = TextPart | ThinkingPart | ToolCallPart
/** One message of a conversation, whether a client brought it or the log produced it. */
export type ConversationMessage = Stored<typeof conversationMessage>
export type Usage = Stored<typeof usage>
export type Cost = NonNullable<Usage['cost']>

/** Calls that one answer may make. Each change of one of them goes through all of them. */
export const MOST_CALLS = 500

export function textOf(content: UserContent | AssistantContent): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** A prompt that a server wrote and the user sends. It says so, and its words are not the user's. */
export const quotePrompt = (server: string, text: string): string =>
  `The MCP server ${server} wrote this prompt:\n\n${text}`

export const isQuotedPrompt = (text: string): boolean => /^The MCP server [^\n]{1,200} wrote this prompt:\n/.test(text)
