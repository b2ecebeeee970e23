import type { RecalledMemory } from '../events/turn-events.ts'
import type { AssistantPart, ConversationMessage, StepBlock, ToolContent, UserContent } from '../content.ts'
import type { Recorded, RecordedEvent } from '../events/recorded-event.ts'
import type { ToolCallSettled } from '../events/call-events.ts'
import { ROOT_LOOP, type EntryId, type LoopId, type ToolCallId } from '../ids.ts'
import type { ModelMessage } from '../ports/model.ts'

/** Tells the model that a part of the conversation is missing. */
const SUMMARY = 'The conversation so far, in a summary:'
const UNANSWERED = 'Tool call cancelled: superseded by a new user message'

export interface Counted {
  readonly tokens: number
  readonly messages: number
}

interface Place {
  readonly message: ModelMessage
  /** The seq of the event that produced the message. */
  readonly seq: number
}

/**
 * The model's context: a fold of the log that is valid for providers at every turn boundary. It is kept in memory while
 * the session is in use and updated event by event, so that the cost of a step does not grow with the log.
 */
export class ModelContext {
  readonly #system: string[] = []
  readonly #messages: ModelMessage[] = []
  /** The seq of the event that produced each message. */
  readonly #seqs: number[] = []
  readonly #inputs = new Map<EntryId, UserContent>()
  readonly #callNames = new Map<ToolCallId, string>()
  readonly #stepModels = new Map<EntryId, string>()
  /** Calls of the engine's own questions. */
  readonly #unseenCalls = new Set<string>()
  readonly #loopId: LoopId
  #seq: number
  #isOver = false
  #counted: Counted | undefined
  #summedThrough = 0
  #recalled: readonly RecalledMemory[] = []
  #surroundings = ''

  /** Default: the agent's own loop. The loop of a sub-agent starts after `seq`. */
  constructor(loopId: LoopId = ROOT_LOOP, seq = 0) {
    this.#loopId = loopId
    this.#seq = seq
  }

  /** The loop has ended. */
  get isOver(): boolean {
    return this.#isOver
  }

  get seq(): number {
    return this.#seq
  }

  system(instructions: string): string {
    return [instructions, ...this.#system].filter((text) => text !== '').join('\n\n')
  }

  /** The memories that were recalled for the newest turn. */
  get recalled(): readonly RecalledMemory[] {
    return this.#recalled
  }

  /** The newest description of the place where the session works. */
  get surroundings(): string {
    return this.#surroundings
  }

  messages(): readonly ModelMessage[] {
    return this.#messages
  }

  /** The seq of the event that produced the message at `index`. */
  seqOf(index: number): number {
    return this.#seqs[index] ?? this.#seq
  }

  /** The provider's token count for the newest answered step, and the number of messages after it. */
  get counted(): Counted | undefined {
    return this.#counted
  }

  /** The last event that the newest summary covers; 0 if there is none. */
  get summedThrough(): number {
    return this.#summedThrough
  }

  /** The messages without the summary of older ones. */
  get unsummarised(): readonly ModelMessage[] {
    return this.#summedThrough === 0 ? this.#messages : this.#messages.slice(1)
  }

  /** The messages as they would be with this summary. */
  messagesWith(summary: string, throughSeq: number): readonly ModelMessage[] {
    return this.#placesWith(summary, throughSeq).map(({ message }) => message)
  }

  /** The same context as a history for clients. */
  history(): readonly ConversationMessage[] {
    return [
      ...this.#system.map((text): ConversationMessage => ({ role: 'system', text })),
      ...this.#messages.map((message): ConversationMessage => {
        if (message.role === 'tool') return { role: 'tool', toolCallId: message.toolCallId, content: message.content }
        return message.role === 'user' ? message : { role: 'assistant', content: message.content }
      }),
    ]
  }

  apply({ seq, event }: Recorded): void {
    this.#seq = seq
    if (this.#loopId === ROOT_LOOP) this.#applyConversation(event)
    switch (event.type) {
      case 'loop.started':
        if (event.loopId === this.#loopId) this.#addUser(event.prompt)
        break
      case 'loop.ended':
        if (event.loopId === this.#loopId) this.#isOver = true
        break
      case 'step.started':
        if (event.loopId === this.#loopId) this.#stepModels.set(event.stepId, event.model)
        break
      case 'step.answered':
        if (!this.#isMine(event)) break
        if (event.by === 'engine') {
          for (const id of Object.keys(event.routes)) this.#unseenCalls.add(id)
          break
        }
        this.#addAnswer(event.blocks, this.#stepModels.get(event.stepId))
        // A provider that does not count tokens reports nothing.
        if (event.usage.inputTokens > 0) {
          const tokens = event.usage.inputTokens + event.usage.outputTokens
          this.#counted = { tokens, messages: this.#messages.length }
        }
        break
      case 'compaction.ended':
        if (this.#isMine(event) && event.summary !== undefined && event.throughSeq !== undefined)
          this.#compact(event.summary, event.throughSeq)
        break
      case 'step.ended':
        this.#stepModels.delete(event.stepId)
        if (this.#isMine(event) && event.outcome === 'cancelled')
          this.#addAnswer(event.partial?.filter((block) => block.type === 'text') ?? [])
        break
      case 'tool-call.settled':
        if (this.#isMine(event) && !this.#unseenCalls.delete(event.toolCallId)) this.#addResult(event)
        break
      default:
        break
    }
  }

  /** Events that concern only the session's own agent. */
  #applyConversation(event: RecordedEvent): void {
    switch (event.type) {
      case 'session.seeded':
        for (const message of event.messages) this.#addSeed(message)
        break
      case 'input.admitted':
        this.#inputs.set(event.inputId, event.content)
        break
      case 'input.dropped':
        this.#inputs.delete(event.inputId)
        break
      case 'memories.recalled':
        this.#recalled = event.memories
        break
      case 'surroundings.noted':
        this.#surroundings = event.text
        break
      case 'turn.started': {
        this.#recalled = []
        const content = event.inputId && this.#inputs.get(event.inputId)
        if (event.inputId === undefined || content === undefined) break
        this.#inputs.delete(event.inputId)
        this.#addUser(content)
        break
      }
      default:
        break
    }
  }

  #compact(summary: string, throughSeq: number): void {
    const places = this.#placesWith(summary, throughSeq)
    this.#messages.splice(0, Infinity, ...places.map(({ message }) => message))
    this.#seqs.splice(0, Infinity, ...places.map(({ seq }) => seq))
    this.#summedThrough = throughSeq
    this.#counted = undefined
  }

  /** Replaces the covered messages by the summary. The user's input of the current turn is kept verbatim. */
  #placesWith(summary: string, throughSeq: number): readonly Place[] {
    const places = this.#messages.map((message, index): Place => ({ message, seq: this.seqOf(index) }))
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

  #push(message: ModelMessage): void {
    this.#messages.push(message)
    this.#seqs.push(this.#seq)
  }

  #isMine({ loopId = ROOT_LOOP }: { readonly loopId?: LoopId }): boolean {
    return loopId === this.#loopId
  }

  #addResult({ toolCallId, output, status }: ToolCallSettled): void {
    const name = this.#callNames.get(toolCallId) ?? 'unknown'
    this.#callNames.delete(toolCallId)
    this.#push({ role: 'tool', toolCallId, name, content: output, isError: status !== 'completed' })
  }

  #addSeed(message: ConversationMessage): void {
    switch (message.role) {
      case 'system':
        this.#system.push(message.text)
        return
      case 'user':
        this.#addUser(message.content)
        return
      case 'assistant':
        this.#answerOpenCalls()
        if (typeof message.content !== 'string') this.#rememberCalls(message.content)
        this.#push({ role: 'assistant', content: message.content })
        return
      case 'tool':
        this.#addSeedResult(message.toolCallId, message.content)
    }
  }

  /** A late result replaces the placeholder that was inserted for it. */
  #addSeedResult(toolCallId: ToolCallId, content: ToolContent): void {
    const name = this.#callNames.get(toolCallId)
    if (name !== undefined) {
      this.#callNames.delete(toolCallId)
      this.#push({ role: 'tool', toolCallId, name, content, isError: false })
      return
    }
    const place = this.#messages.findIndex((message) => message.role === 'tool' && message.toolCallId === toolCallId)
    const filled = this.#messages[place]
    if (filled?.role === 'tool') this.#messages[place] = { ...filled, content, isError: false }
  }

  #addUser(content: UserContent): void {
    this.#answerOpenCalls()
    this.#push({ role: 'user', content })
  }

  /** A seed may contain calls that were not answered before the next message. Providers reject such a history. */
  #answerOpenCalls(): void {
    for (const [toolCallId, name] of this.#callNames) {
      this.#push({ role: 'tool', toolCallId, name, content: UNANSWERED, isError: true })
    }
    this.#callNames.clear()
  }

  #addAnswer(blocks: readonly StepBlock[], model?: string): void {
    if (blocks.length === 0) return
    this.#rememberCalls(blocks)
    this.#push({ role: 'assistant', content: blocks, ...(model !== undefined && { model }) })
  }

  #rememberCalls(parts: readonly AssistantPart[]): void {
    for (const part of parts) if (part.type === 'tool-call') this.#callNames.set(part.toolCallId, part.name)
  }
}
