import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider'
import type { ModelOutput } from '@polylogue/engine'
import { type OpaqueValue, toOpaque } from './opaque-value.ts'
import { parseCallInput } from './parse-call-input.ts'
import type { ToolNames } from './tool-names.ts'

/** The same limit as the largest client request. */
export const LONGEST_CALL = 4 * 1024 * 1024
/** Text and thinking together. */
const LONGEST_ANSWER = 4 * 1024 * 1024

export interface AnswerEnd {
  readonly finish: LanguageModelV4FinishReason
  readonly usage: LanguageModelV4Usage
}

/** The engine's open block; opaque metadata attaches to it. */
type OpenBlock =
  | { readonly type: 'text' }
  | { readonly type: 'thinking'; readonly reasoningId: string | undefined; readonly opaque: OpaqueValue }
  | { readonly type: 'tool-call'; readonly opaque: OpaqueValue }

const TEXT: OpenBlock = { type: 'text' }

interface Reasoning {
  metadata?: SharedV4ProviderMetadata
  hasText: boolean
}

export class CallTooLong extends Error {
  override readonly name = 'CallTooLong'
}

export class AnswerTooLong extends Error {
  override readonly name = 'AnswerTooLong'
}

/** Translates one answer, part by part, to engine outputs. */
export class OutputTranslator {
  readonly #modelName: string
  readonly #names: ToolNames
  readonly #reasoning = new Map<string, Reasoning>()
  readonly #inputLengths = new Map<string, number>()
  readonly #inputNames = new Map<string, string>()
  #block: OpenBlock | undefined
  #end: AnswerEnd | undefined
  #hasCalls = false
  #hasOutput = false
  #characters = 0
  #written = 0

  constructor(modelName: string, names: ToolNames) {
    this.#modelName = modelName
    this.#names = names
  }

  get end(): AnswerEnd | undefined {
    return this.#end
  }

  get hasCalls(): boolean {
    return this.#hasCalls
  }

  /** Some output was already sent; a retry would repeat it. */
  get hasOutput(): boolean {
    return this.#hasOutput
  }

  /** Of all text so far. */
  get characters(): number {
    return this.#characters
  }

  /** Throws the provider's reported error, `CallTooLong` or `AnswerTooLong`. */
  take(part: LanguageModelV4StreamPart): ModelOutput | undefined {
    const output = this.#toOutput(part)
    // Pieces of a call may be repeated: the engine drops them when the call of the model is made again.
    if (output !== undefined && output.type !== 'tool-input') this.#hasOutput = true
    return output
  }

  #toOutput(part: LanguageModelV4StreamPart): ModelOutput | undefined {
    switch (part.type) {
      case 'text-delta':
        if (part.delta === '') return undefined
        this.#write(part.delta)
        this.#block = TEXT
        return { type: 'text', text: part.delta }
      case 'reasoning-start':
        this.#reasoning.set(part.id, { hasText: false, ...metadataOf(part) })
        return undefined
      case 'reasoning-delta':
        return this.#think(part)
      case 'reasoning-end':
        return this.#endReasoning(part)
      case 'tool-input-start': {
        if (part.providerExecuted === true) return undefined
        const name = this.#names.fromSent(part.toolName)
        this.#inputNames.set(part.id, name)
        return { type: 'tool-input', id: part.id, name, text: '' }
      }
      case 'tool-input-delta': {
        const length = (this.#inputLengths.get(part.id) ?? 0) + part.delta.length
        this.#inputLengths.set(part.id, length)
        if (length > LONGEST_CALL) throw new CallTooLong()
        const name = this.#inputNames.get(part.id)
        return name === undefined || part.delta === ''
          ? undefined
          : { type: 'tool-input', id: part.id, name, text: part.delta }
      }
      case 'tool-call':
        return part.providerExecuted === true ? undefined : this.#call(part)
      case 'finish':
        this.#end = { finish: part.finishReason, usage: part.usage }
        return undefined
      case 'error':
        throw part.error instanceof Error ? part.error : new ReportedError(part.error)
      default:
        // Sources, files and stream metadata, which we do not use.
        return undefined
    }
  }

  #write(delta: string): void {
    this.#written += delta.length
    if (this.#written > LONGEST_ANSWER) throw new AnswerTooLong()
    this.#characters += delta.length
  }

  #think(part: LanguageModelV4StreamPart & { type: 'reasoning-delta' }): ModelOutput | undefined {
    const reasoning = this.#reasoning.get(part.id) ?? { hasText: false }
    this.#reasoning.set(part.id, reasoning)
    merge(reasoning, part.providerMetadata)
    if (part.delta === '') return undefined
    this.#write(part.delta)
    reasoning.hasText = true
    const continues =
      this.#block?.type === 'thinking' && this.#block.opaque.own === undefined && this.#block.opaque.after.length === 0
    // The engine joins adjacent thinking; one part's signature would then cover both.
    const isMixed = continues && this.#block?.type === 'thinking' && this.#block.reasoningId !== part.id
    this.#block = { type: 'thinking', reasoningId: isMixed ? undefined : part.id, opaque: { after: [] } }
    return { type: 'thinking', text: part.delta }
  }

  #endReasoning(part: LanguageModelV4StreamPart & { type: 'reasoning-end' }): ModelOutput | undefined {
    const reasoning = this.#reasoning.get(part.id) ?? { hasText: false }
    this.#reasoning.delete(part.id)
    merge(reasoning, part.providerMetadata)
    const { metadata, hasText } = reasoning
    if (metadata === undefined) return undefined
    const block = this.#block
    if (hasText) {
      if (block?.type !== 'thinking' || block.reasoningId !== part.id) return undefined
      return this.#attach({ ...block, opaque: { own: metadata, after: [] } })
    }
    if (block?.type === 'thinking' || block?.type === 'tool-call') {
      return this.#attach({ ...block, opaque: { ...block.opaque, after: [...block.opaque.after, metadata] } })
    }
    return this.#attach({ type: 'thinking', reasoningId: part.id, opaque: { own: metadata, after: [] } })
  }

  #attach(block: OpenBlock & { readonly opaque: OpaqueValue }): ModelOutput {
    this.#block = block
    return { type: 'opaque', data: toOpaque(this.#modelName, block.opaque) }
  }

  #call({
    toolCallId,
    toolName,
    input,
    providerMetadata,
  }: LanguageModelV4StreamPart & { type: 'tool-call' }): ModelOutput {
    if (input.length > LONGEST_CALL) throw new CallTooLong()
    this.#hasCalls = true
    this.#characters += input.length
    const opaque: OpaqueValue = { ...(providerMetadata && { own: providerMetadata }), after: [] }
    this.#block = { type: 'tool-call', opaque }
    return {
      type: 'tool-call',
      id: toolCallId,
      name: this.#names.fromSent(toolName),
      input: parseCallInput(input),
      ...(providerMetadata && { opaque: toOpaque(this.#modelName, opaque) }),
    }
  }
}

/** An error that the provider sent inside its stream. */
export class ReportedError extends Error {
  override readonly name = 'ReportedError'
  readonly data: unknown

  constructor(data: unknown) {
    super('the provider reported an error')
    this.data = data
  }
}

function metadataOf(part: { readonly providerMetadata?: SharedV4ProviderMetadata }): {
  metadata?: SharedV4ProviderMetadata
} {
  return part.providerMetadata ? { metadata: part.providerMetadata } : {}
}

/** Later values win, per provider and field; empty fields are ignored. */
function merge(reasoning: Reasoning, more: SharedV4ProviderMetadata | undefined): void {
  if (more === undefined) return
  const merged: SharedV4ProviderMetadata = { ...reasoning.metadata }
  for (const [provider, fields] of Object.entries(more)) {
    const said = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)
    merged[provider] = { ...merged[provider], ...Object.fromEntries(said) }
  }
  reasoning.metadata = merged
}
