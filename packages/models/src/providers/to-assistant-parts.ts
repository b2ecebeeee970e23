import type {
  LanguageModelV4Message,
  LanguageModelV4ReasoningPart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
} from '@ai-sdk/provider'
import type { AssistantPart, ModelMessage } from '@polylogue/engine'
import { readOpaque } from './opaque-value.ts'
import { toSentCallId } from './sent-call-id.ts'
import type { ToolNames } from './tool-names.ts'
import type { Traits } from './traits.ts'
import { toWellFormedObject } from './well-formed.ts'

type AssistantMessage = ModelMessage & { readonly role: 'assistant' }
type SentPart = LanguageModelV4TextPart | LanguageModelV4ReasoningPart | LanguageModelV4ToolCallPart

export interface AssistantTarget {
  readonly modelName: string
  readonly traits: Traits
  readonly names: ToolNames
  /** The message belongs to the current turn. */
  readonly isCurrentTurn: boolean
}

/** Converts an answer for this model. Drops what only another model understands; keeps every call. */
export function toAssistantParts(
  message: AssistantMessage,
  target: AssistantTarget,
): (LanguageModelV4Message & { role: 'assistant' })['content'] {
  const { content, model } = message
  const parts: readonly AssistantPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const isKnownThinking = target.isCurrentTurn && model === target.modelName
  const sent = parts.flatMap((part) => toSent(part, target))
  const usable = withUsableThinking(sent, target.traits, isKnownThinking)
  // Providers reject an answer that ends with thinking.
  return usable.slice(0, usable.findLastIndex((part) => part.type !== 'reasoning') + 1)
}

function toSent(part: AssistantPart, target: AssistantTarget): readonly SentPart[] {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text.toWellFormed() }]
    case 'image':
      return [{ type: 'text', text: '[An image was left out.]' }]
    case 'thinking': {
      const { own, after } = readOpaque(part.opaque, target.modelName)
      const thinking: LanguageModelV4ReasoningPart = {
        type: 'reasoning',
        text: part.text.toWellFormed(),
        ...(own && { providerOptions: own }),
      }
      return [thinking, ...after.map(silentThinking)]
    }
    case 'tool-call': {
      const { own, after } = readOpaque(part.opaque, target.modelName)
      const call: LanguageModelV4ToolCallPart = {
        type: 'tool-call',
        toolCallId: toSentCallId(part.toolCallId, target.traits.isMistral),
        toolName: target.names.toSent(part.name),
        input: toWellFormedObject(part.input),
        ...(own && { providerOptions: own }),
      }
      return [call, ...after.map(silentThinking)]
    }
  }
}

function silentThinking(providerOptions: LanguageModelV4ReasoningPart['providerOptions']): SentPart {
  return { type: 'reasoning', text: '', providerOptions }
}

/** Thinking from elsewhere is rejected by some providers and useless to the others. */
function withUsableThinking(
  parts: readonly SentPart[],
  { thinkingBack: back, metadataKey }: Traits,
  isKnownThinking: boolean,
): readonly SentPart[] {
  const field = (part: SentPart, name: string): unknown => part.providerOptions?.[metadataKey]?.[name]
  // Several pieces form one item; only the last carries the encrypted content.
  const encrypted = new Set(
    parts.flatMap((part) =>
      typeof field(part, 'reasoningEncryptedContent') === 'string' ? [field(part, 'itemId')] : [],
    ),
  )
  return parts.filter((part) => {
    if (part.type !== 'reasoning') return true
    switch (back) {
      case 'anthropic':
        return ['signature', 'redactedData', 'redactedContent'].some((name) => typeof field(part, name) === 'string')
      case 'openai':
        return encrypted.has(field(part, 'itemId'))
      case 'google':
        return typeof field(part, 'thoughtSignature') === 'string'
      case 'plain':
        return isKnownThinking && part.text !== ''
      case 'none':
        return false
    }
  })
}
