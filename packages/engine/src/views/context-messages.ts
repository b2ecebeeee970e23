import type { AssistantPart, ConversationMessage, StepBlock, UserContent } from '../content.ts'
import type { ToolCallSettled } from '../events/call-events.ts'
import type { ToolCallId } from '../ids.ts'
import type { ModelMessage } from '../ports/model.ts'

/** Tells the model that a part of the conversation is missing. */
const SUMMARY = 'The conversation so far, in a summary:'
const UNANSWERED = 'Tool call cancelled: superseded by a new user message'

interface Place {
  readonly message: ModelMessage
  /** The seq of the event that produced the message. */
  readonly seq: number
}

/** The messages of a model context. Every call has exactly one result, because providers reject other histories. */
export class ContextMessages {
  readonly #messages: ModelMessage[] = []
  /** The seq of the event that produced each message. */
  readonly #seqs: number[] = []
  /** The calls that have no result yet. */
  readonly #callNames = new Map<ToolCallId, string>()
  #isStopped = false

  get list(): readonly ModelMessage[] {
    return this.#messages
  }

  seqOf(index: number): number | undefined {
    return this.#seqs[index]
  }

  addUser(content: UserContent, seq: number): void {
    this.#answerOpenCalls(seq)
    this.#push({ role: 'user', content, ...(this.#isStopped && { isAfterStop: true }) }, seq)
    this.#isStopped = false
  }

  /** The turn of the newest messages was cancelled. */
  stop(): void {
    this.#isStopped = true
  }

  addAnswer(blocks: readonly StepBlock[], seq: number, model?: string): void {
    if (blocks.length === 0) return
    this.#rememberCalls(blocks)
    this.#push({ role: 'assistant', content: blocks, ...(model !== undefined && { model }) }, seq)
  }

  addResult({ toolCallId, output, status }: ToolCallSettled, seq: number): void {
    const name = this.#callNames.get(toolCallId) ?? 'unknown'
    this.#callNames.delete(toolCallId)
    this.#push({ role: 'tool', toolCallId, name, content: output, isError: status !== 'completed' }, seq)
  }

  addSeedAnswer(content: string | readonly AssistantPart[], seq: number): void {
    this.#answerOpenCalls(seq)
    if (typeof content !== 'string') this.#rememberCalls(content)
    this.#push({ role: 'assistant', content }, seq)
  }

  /** A late result replaces the placeholder that was inserted for it. */
  addSeedResult({ toolCallId, content }: ConversationMessage & { readonly role: 'tool' }, seq: number): void {
    const name = this.#callNames.get(toolCallId)
    if (name !== undefined) {
      this.#callNames.delete(toolCallId)
      this.#push({ role: 'tool', toolCallId, name, content, isError: false }, seq)
      return
    }
    const place = this.#messages.findIndex((message) => message.role === 'tool' && message.toolCallId === toolCallId)
    const filled = this.#messages[place]
    if (filled?.role === 'tool') this.#messages[place] = { ...filled, content, isError: false }
  }

  compact(summary: string, throughSeq: number): void {
    const places = this.placesWith(summary, throughSeq)
    this.#messages.splice(0, Infinity, ...places.map(({ message }) => message))
    this.#seqs.splice(0, Infinity, ...places.map(({ seq }) => seq))
  }

  /** Replaces the covered messages by the summary. The user's input of the current turn is kept verbatim. */
  placesWith(summary: string, throughSeq: number): readonly Place[] {
    const places = this.#messages.map((message, index): Place => ({ message, seq: this.#seqs[index] ?? 0 }))
    const kept = places.findIndex(({ seq }) => seq > throughSeq)
    const cut = kept === -1 ? places.length : kept
    const asked = places.findLastIndex(({ message }) => message.role === 'user')
    const isAskedCut = asked !== -1 && asked < cut
    return [
      { message: { role: 'user', content: `${SUMMARY}\n\n${summary}` }, seq: throughSeq },
      ...(isAskedCut ? places.slice(asked, asked + 1) : []),
      ...places.slice(cut),
    ]
  }

  /** A seed may contain calls that were not answered before the next message. */
  #answerOpenCalls(seq: number): void {
    for (const [toolCallId, name] of this.#callNames) {
      this.#push({ role: 'tool', toolCallId, name, content: UNANSWERED, isError: true }, seq)
    }
    this.#callNames.clear()
  }

  #rememberCalls(parts: readonly AssistantPart[]): void {
    for (const part of parts) if (part.type === 'tool-call') this.#callNames.set(part.toolCallId, part.name)
  }

  #push(message: ModelMessage, seq: number): void {
    this.#messages.push(message)
    this.#seqs.push(seq)
  }
}
