import type { RecalledMemory } from '../events/turn-events.ts'
import { isQuotedPrompt, textOf, type ConversationMessage, type UserContent } from '../content.ts'
import type { EventOf, Recorded, RecordedEvent } from '../events/recorded-event.ts'
import { ROOT_LOOP, type EntryId, type LoopId } from '../ids.ts'
import type { ModelMessage } from '../ports/model.ts'
import { ContextMessages } from './context-messages.ts'

export interface Counted {
  readonly tokens: number
  readonly messages: number
}

/**
 * The model's context: a fold of the log that is valid for providers at every turn boundary. It is kept in memory while
 * the session is in use and updated event by event, so that the cost of a step does not grow with the log.
 */
export class ModelContext {
  readonly #system: string[] = []
  readonly #messages = new ContextMessages()
  readonly #inputs = new Map<EntryId, { readonly content: UserContent; readonly isOwn: boolean }>()
  #ownWords: { readonly text: string; readonly seq: number }[] = []
  #hasOthersTexts = false
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
    return this.#messages.list
  }

  /** The seq of the event that produced the message at `index`. */
  seqOf(index: number): number {
    return this.#messages.seqOf(index) ?? this.#seq
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
    return this.#summedThrough === 0 ? this.#messages.list : this.#messages.list.slice(1)
  }

  /**
   * What the user wrote in this session and the summary does not cover. Not imported messages, and not inputs that a client
   * composed of more than one text: they can quote files, pages and prompts of MCP servers. Not the prompts of schedules that
   * an agent made either.
   */
  get ownWords(): readonly string[] {
    return this.#ownWords.map(({ text }) => text)
  }

  /** Whether there were imported messages or composed inputs. */
  get hasOthersTexts(): boolean {
    return this.#hasOthersTexts
  }

  /** The messages as they would be with this summary. */
  messagesWith(summary: string, throughSeq: number): readonly ModelMessage[] {
    return this.#messages.placesWith(summary, throughSeq).map(({ message }) => message)
  }

  /** The same context as a history for clients. */
  history(): readonly ConversationMessage[] {
    return [
      ...this.#system.map((text): ConversationMessage => ({ role: 'system', text })),
      ...this.#messages.list.map((message): ConversationMessage => {
        if (message.role === 'tool') return { role: 'tool', toolCallId: message.toolCallId, content: message.content }
        if (message.role === 'user') return { role: 'user', content: message.content }
        return { role: 'assistant', content: message.content }
      }),
    ]
  }

  apply({ seq, event }: Recorded): void {
    this.#seq = seq
    if (this.#loopId === ROOT_LOOP) this.#applyConversation(event)
    switch (event.type) {
      case 'loop.started':
        if (event.loopId === this.#loopId) this.#messages.addUser(event.prompt, seq)
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
        this.#messages.addAnswer(event.blocks, seq, this.#stepModels.get(event.stepId))
        // A provider that does not count tokens reports nothing.
        if (event.usage.inputTokens > 0) {
          const tokens = event.usage.inputTokens + event.usage.outputTokens
          this.#counted = { tokens, messages: this.#messages.list.length }
        }
        break
      case 'compaction.ended':
        if (this.#isMine(event) && event.summary !== undefined && event.throughSeq !== undefined)
          this.#compact(event.summary, event.throughSeq)
        break
      case 'step.ended':
        this.#stepModels.delete(event.stepId)
        if (this.#isMine(event) && event.outcome === 'cancelled')
          this.#messages.addAnswer(event.partial?.filter((block) => block.type === 'text') ?? [], seq)
        break
      case 'tool-call.settled':
        if (this.#isMine(event) && !this.#unseenCalls.delete(event.toolCallId)) this.#messages.addResult(event, seq)
        break
      default:
        break
    }
  }

  /** Events that concern only the session's own agent. */
  #applyConversation(event: RecordedEvent): void {
    switch (event.type) {
      case 'session.seeded':
        this.#hasOthersTexts = true
        for (const message of event.messages) this.#addSeed(message)
        break
      case 'input.admitted':
        this.#inputs.set(event.inputId, { content: event.content, isOwn: isOwn(event) })
        break
      case 'input.changed': {
        const isUsers = this.#inputs.get(event.inputId)?.isOwn ?? false
        this.#inputs.set(event.inputId, { content: event.content, isOwn: isUsers })
        break
      }
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
        const input = event.inputId && this.#inputs.get(event.inputId)
        if (event.inputId === undefined || input === undefined) break
        this.#inputs.delete(event.inputId)
        this.#messages.addUser(input.content, this.#seq)
        if (input.isOwn) this.#ownWords.push({ text: textOf(input.content), seq: this.#seq })
        else this.#hasOthersTexts = true
        break
      }
      case 'turn.ended':
        if (event.outcome === 'cancelled') this.#messages.stop()
        break
      default:
        break
    }
  }

  #compact(summary: string, throughSeq: number): void {
    this.#messages.compact(summary, throughSeq)
    this.#summedThrough = throughSeq
    this.#ownWords = this.#ownWords.filter(({ seq }) => seq > throughSeq)
    this.#counted = undefined
  }

  #isMine({ loopId = ROOT_LOOP }: { readonly loopId?: LoopId }): boolean {
    return loopId === this.#loopId
  }

  #addSeed(message: ConversationMessage): void {
    switch (message.role) {
      case 'system':
        this.#system.push(message.text)
        return
      case 'user':
        this.#messages.addUser(message.content, this.#seq)
        return
      case 'assistant':
        this.#messages.addSeedAnswer(message.content, this.#seq)
        return
      case 'tool':
        this.#messages.addSeedResult(message, this.#seq)
    }
  }
}

function isOwn({ content, given, settings }: EventOf<'input.admitted'>): boolean {
  return given === undefined && settings?.isOthersText !== true && !isQuotedPrompt(textOf(content))
}
