import type { SessionUpdate } from '@agentclientprotocol/sdk'
import {
  toReadableLine,
  type BlockDelta,
  type EntryId,
  type EventOf,
  type JsonObject,
  type LoopId,
  type Recorded,
  type StepBlock,
  type ToolCallId,
  type ToolCallPart,
  type TurnId,
  type UserContent,
} from '@polylogue/engine'
import type { AcpProfile } from '../deps.ts'
import { chunk, said } from './chunk.ts'
import { isRoot } from './is-root.ts'
import { toUserChunks } from './prompt-layout.ts'
import type { Announcement, ToolLook } from './shown-call.ts'
import { ShownCalls, type CallBeginning } from './shown-calls.ts'
import type { ImageBytes } from './tool-content.ts'
import { userText } from './user-text.ts'

export interface HistoryProjectionOptions {
  readonly profile: AcpProfile
  /** The title and kind of an agent's tool. `undefined` when the tool no longer exists. */
  lookOf(agent: string, tool: string): ToolLook | undefined
  /** The client already shows the input of its own turns. */
  isOwnTurn(turnId: TurnId): boolean
  readonly imageBytes: ImageBytes
}

interface ShownStep {
  /** The number of characters of each block that were sent. */
  readonly told: number[]
}

interface ShownLoop {
  readonly agent: string
  steps: number
}

/**
 * Turns the events of a session into updates, for replay and live alike. Live, the text of a step arrives as deltas and
 * `step.answered` sends the rest. In a replay there are no deltas, so `step.answered` sends each block at once. Pure: the
 * same events give the same updates.
 */
export class HistoryProjection {
  readonly #options: HistoryProjectionOptions
  readonly #inputs = new Map<EntryId, Pick<EventOf<'input.admitted'>, 'content' | 'given'>>()
  readonly #steps = new Map<EntryId, ShownStep>()
  readonly #loops = new Map<LoopId, ShownLoop>()
  readonly #calls: ShownCalls
  #agent = ''
  #hasToldError = false

  constructor(options: HistoryProjectionOptions) {
    this.#options = options
    this.#calls = new ShownCalls(options.profile, options.imageBytes)
  }

  /** The announcement of an open call. */
  openCall(toolCallId: ToolCallId): Announcement | undefined {
    return this.#calls.find(toolCallId)
  }

  /** The open call as the permission request shows it. */
  callForApproval(toolCallId: ToolCallId): Announcement | undefined {
    return this.#calls.forApproval(toolCallId)
  }

  delta({ loopId, stepId, type, block, offset, text }: BlockDelta): SessionUpdate[] {
    const step = this.#steps.get(stepId)
    if (!isRoot(loopId) || step === undefined) return []
    const fresh = text.slice(Math.max(0, (step.told[block] ?? 0) - offset))
    if (fresh === '') return []
    step.told[block] = offset + text.length
    return [chunk(type === 'text.delta' ? 'agent_message_chunk' : 'agent_thought_chunk', stepId, fresh)]
  }

  /** The input of a call that the model is writing. `text` is all of it so far. */
  input({ loopId, ...call }: CallBeginning & { readonly loopId: LoopId }): SessionUpdate[] {
    const agent = this.#loops.get(loopId)?.agent ?? this.#agent
    return this.#calls.begun(call, lookIn(loopId, this.#options.lookOf(agent, call.name)))
  }

  /** The model is asked again: what it was writing is void. */
  retrying(stepId: EntryId): SessionUpdate[] {
    return this.#calls.abandon(stepId)
  }

  runningCalls(): SessionUpdate[] {
    return this.#calls.running()
  }

  /** Output of a running call. */
  progress(toolCallId: ToolCallId, text: string): SessionUpdate[] {
    return this.#calls.progress(toolCallId, text)
  }

  /** Shows a terminal of the client in a running call. */
  embed(toolCallId: ToolCallId, terminalId: string): SessionUpdate[] {
    return this.#calls.embed(toolCallId, terminalId)
  }

  released(toolCallId: ToolCallId): void {
    this.#calls.released(toolCallId)
  }

  /** A replay sends the result of a call, not that it was running. */
  recorded({ event }: Recorded, isPast = false): SessionUpdate[] {
    switch (event.type) {
      case 'session.created':
        this.#agent = event.agent
        return []
      case 'session.seeded':
        return this.#seeded(event)
      case 'input.admitted':
        this.#inputs.set(event.inputId, event)
        return []
      case 'input.changed':
        // How the client composed it is no longer what it says.
        this.#inputs.set(event.inputId, { content: event.content })
        return []
      case 'input.dropped':
        this.#inputs.delete(event.inputId)
        return []
      case 'turn.started':
        return this.#turnStarted(event)
      case 'turn.ended':
        return this.#turnEnded(event)
      case 'step.started':
        return this.#stepStarted(event)
      case 'step.answered':
        return this.#stepAnswered(event)
      case 'step.ended':
        return this.#stepEnded(event)
      case 'loop.started':
        return this.#loopStarted(event)
      case 'loop.ended':
        return this.#loopEnded(event)
      case 'approval.requested':
        return this.#calls.announce(event.toolCallId)
      case 'tool-call.started':
        return this.#calls.started(event.toolCallId, isPast)
      case 'tool-call.settled':
        return this.#calls.settled(event.toolCallId, event)
      default:
        return []
    }
  }

  #seeded({ entryId, messages }: EventOf<'session.seeded'>): SessionUpdate[] {
    const { lookOf } = this.#options
    return messages.flatMap((message, index): SessionUpdate[] => {
      const messageId = `${entryId}_${index}`
      switch (message.role) {
        case 'system':
          return []
        case 'user':
          return this.#userSaid(messageId, message)
        case 'tool':
          return this.#calls.settled(message.toolCallId, { status: 'completed', output: message.content })
        case 'assistant': {
          const { content } = message
          const blocks = typeof content === 'string' ? [{ type: 'text', text: content } as const] : content
          return blocks.flatMap((block) => {
            if (block.type === 'image') return []
            return block.type === 'tool-call'
              ? this.#calls.made(block, undefined, lookOf(this.#agent, block.name))
              : tellBlock(messageId, block)
          })
        }
      }
    })
  }

  #turnStarted({ turnId, inputId }: EventOf<'turn.started'>): SessionUpdate[] {
    this.#hasToldError = false
    const input = inputId === undefined ? undefined : this.#inputs.get(inputId)
    if (inputId === undefined || input === undefined) return []
    this.#inputs.delete(inputId)
    return this.#options.isOwnTurn(turnId) ? [] : this.#userSaid(inputId, input)
  }

  #userSaid(messageId: string, input: { readonly content: UserContent; readonly given?: JsonObject }): SessionUpdate[] {
    const { profile, imageBytes } = this.#options
    if (profile === 'seed') return said('user_message_chunk', messageId, userText(input.content))
    return toUserChunks(messageId, input, imageBytes)
  }

  #turnEnded({ turnId, outcome, error }: EventOf<'turn.ended'>): SessionUpdate[] {
    this.#steps.clear()
    this.#loops.clear()
    const unfinished = this.#calls.abandon()
    const isEndedEarly = outcome === 'failed' || outcome === 'step-limit'
    if (!isEndedEarly || error === undefined || this.#hasToldError) return unfinished
    return [...unfinished, errorChunk(turnId, error.message)]
  }

  #stepStarted({ stepId, loopId }: EventOf<'step.started'>): SessionUpdate[] {
    const loop = this.#loops.get(loopId)
    if (loop !== undefined) loop.steps += 1
    if (isRoot(loopId)) this.#steps.set(stepId, { told: [] })
    return []
  }

  #stepAnswered(event: EventOf<'step.answered'>): SessionUpdate[] {
    const { stepId, loopId, blocks, inspections = {} } = event
    const agent = loopId === undefined ? this.#agent : (this.#loops.get(loopId)?.agent ?? this.#agent)
    const calls = blocks.filter((block) => block.type === 'tool-call')
    // Live, the text after a call arrives before the call is complete. Calls come last in a replay as well.
    return [
      ...(isRoot(loopId) ? this.#tellRest(stepId, blocks) : []),
      ...calls.flatMap((call) =>
        this.#calls.made(call, inspections[call.toolCallId], this.#lookOf(agent, call, event)),
      ),
      ...this.#calls.abandon(stepId),
    ]
  }

  /** The recorded kind wins, because the agent may have changed since. */
  #lookOf(
    agent: string,
    { toolCallId, name }: ToolCallPart,
    { loopId, kinds = {} }: EventOf<'step.answered'>,
  ): ToolLook {
    const kind = kinds[toolCallId]
    return lookIn(loopId, { ...this.#options.lookOf(agent, name), ...(kind && { kind }) })
  }

  #stepEnded({ stepId, loopId, partial = [], outcome, error }: EventOf<'step.ended'>): SessionUpdate[] {
    const unfinished = this.#calls.abandon(stepId)
    if (!isRoot(loopId)) return unfinished
    const rest = [...this.#tellRest(stepId, partial), ...unfinished]
    this.#steps.delete(stepId)
    if (outcome !== 'failed' || error === undefined) return rest
    this.#hasToldError = true
    return [...rest, errorChunk(stepId, error.message)]
  }

  #tellRest(stepId: EntryId, blocks: readonly StepBlock[]): SessionUpdate[] {
    const told = this.#steps.get(stepId)?.told ?? []
    return blocks.flatMap((block, index) => {
      if (block.type === 'tool-call') return []
      const from = told[index] ?? 0
      told[index] = Math.max(from, block.text.length)
      return tellBlock(stepId, { type: block.type, text: block.text.slice(from) })
    })
  }

  #loopStarted({ loopId, agent, description }: EventOf<'loop.started'>): SessionUpdate[] {
    this.#loops.set(loopId, { agent, steps: 0 })
    return [
      chunk('agent_thought_chunk', `${loopId}_start`, `[sub-agent started: ${agent}] ${toReadableLine(description)}`),
    ]
  }

  #loopEnded({ loopId, outcome }: EventOf<'loop.ended'>): SessionUpdate[] {
    const loop = this.#loops.get(loopId)
    this.#loops.delete(loopId)
    if (loop === undefined) return []
    const turns = `${loop.steps} ${loop.steps === 1 ? 'turn' : 'turns'}`
    const text = `[sub-agent finished: ${loop.agent} (${outcome}, ${turns})]`
    return [chunk('agent_thought_chunk', `${loopId}_end`, text)]
  }
}

/** An editor shows one plan: the agent's own. That of a sub-agent is a call like others. */
const lookIn = (loopId: LoopId | undefined, look: ToolLook = {}): ToolLook =>
  look.kind === 'plan' && !isRoot(loopId) ? { ...look, kind: 'think' } : look

const tellBlock = (messageId: string, block: Exclude<StepBlock, ToolCallPart>): SessionUpdate[] =>
  said(block.type === 'text' ? 'agent_message_chunk' : 'agent_thought_chunk', messageId, block.text)

const errorChunk = (id: string, message: string): SessionUpdate =>
  chunk('agent_thought_chunk', `${id}_error`, `Error: ${message}`)
