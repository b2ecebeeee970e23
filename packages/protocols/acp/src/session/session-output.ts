import type { SessionUpdate } from '@agentclientprotocol/sdk'
import type { BlockDelta, CallInput, EntryId, RecordedEvent, ToolProgress } from '@polylogue/engine'
import { chunk } from '../projection/chunk.ts'
import type { HistoryProjection } from '../projection/history-projection.ts'
import { ChunkPacer } from './chunk-pacer.ts'
import { InputPacer } from './input-pacer.ts'
import { MessageBreaks } from './message-breaks.ts'
import { ProgressPacer } from './progress-pacer.ts'
import type { SessionParts } from './session-parts.ts'

/** Sends the updates of one session to its client, live ones at a limited rate. */
export class SessionOutput {
  readonly #parts: SessionParts
  readonly #projection: HistoryProjection
  readonly #chunks: ChunkPacer
  readonly #progress: ProgressPacer
  readonly #inputs: InputPacer
  readonly #breaks = new MessageBreaks()
  readonly #problems: string[] = []
  #notices = 0
  #isPrompted = false

  constructor(parts: SessionParts, projection: HistoryProjection) {
    const { clock } = parts.deps
    this.#parts = parts
    this.#projection = projection
    this.#chunks = new ChunkPacer(clock, (update) => this.tell(update))
    this.#progress = new ProgressPacer({
      clock,
      profile: parts.options.profile,
      tell: (toolCallId, text) => this.tellAll(projection.progress(toolCallId, text)),
    })
    this.#inputs = new InputPacer(clock, (call) => this.tellAll(projection.input(call)))
  }

  tell(update: SessionUpdate): void {
    const { peer, sessionId, options } = this.#parts
    const told = options.profile === 'seed' ? update : this.#breaks.apply(update)
    peer.notify('session/update', { sessionId, update: told })
  }

  /** Sends buffered text first, so that the order stays. */
  tellAll(updates: readonly SessionUpdate[]): void {
    if (updates.length > 0) this.#chunks.flush()
    for (const update of updates) this.tell(update)
  }

  /** What is wrong with the session. Clients that do not show notices get it as a thought of the first prompt. Never replayed. */
  tellProblem(title: string): void {
    const { abilities, options } = this.#parts
    if (abilities.showsNotices || this.#isPrompted) {
      if (abilities.showsNotices || options.profile !== 'seed') this.tellNotice(title, 'problem')
    } else this.#problems.push(title)
  }

  /** What happens beside the conversation. Clients that do not show notices get it as a thought. Never replayed. */
  tellNotice(title: string, messageId: string): void {
    if (this.#parts.abilities.showsNotices) this.tell({ sessionUpdate: 'notice', severity: 'warning', title })
    else this.tellAll([chunk('agent_thought_chunk', `${messageId}_${++this.#notices}`, title)])
  }

  /** The client sends a prompt, which it shows. */
  prompted(): void {
    this.#breaks.prompted()
    this.#isPrompted = true
    for (const problem of this.#problems.splice(0)) this.tellProblem(problem)
  }

  say(messageId: string, text: string): void {
    this.tell(chunk('agent_message_chunk', messageId, text))
  }

  /** Sends buffered text now. */
  flush(): void {
    this.#chunks.flush()
  }

  delta(delta: BlockDelta): void {
    for (const update of this.#projection.delta(delta)) this.#chunks.push(update)
  }

  progress({ toolCallId, text }: ToolProgress): void {
    this.#progress.push(toolCallId, text)
  }

  input(input: CallInput): void {
    this.#inputs.push(input)
  }

  /** Call it before the event is shown: a result replaces what was sent while the call was written and ran. So does another run. */
  recorded(event: RecordedEvent): void {
    const isRunOver = event.type === 'tool-call.settled' || (event.type === 'approval.requested' && event.failed)
    if (isRunOver) this.#progress.settle(event.toolCallId)
    if (event.type === 'step.answered' || event.type === 'step.ended') this.#inputs.end(event.stepId)
  }

  /** The model is asked again: the inputs of the step's calls so far are void. */
  dropInputs(stepId: EntryId): void {
    this.#inputs.end(stepId)
    this.tellAll(this.#projection.retrying(stepId))
  }

  /** Drops unsent output and inputs of running calls. */
  dropLiveOutput(): void {
    this.#progress.stop()
    this.#inputs.stop()
  }

  stop(): void {
    this.#chunks.stop()
    this.dropLiveOutput()
  }
}
