import { ROOT_LOOP, type CallRoute, type JsonObject, type ToolKind } from '@polylogue/engine'
import type { PendingQuestionRef } from '../wire.ts'
import { askIdOf } from './approval-question.ts'

/** One conversation with a model: the agent's own, or a sub-agent's. */
export interface Loop {
  readonly loopId: string
  readonly agent: string
  readonly description: string
  /** The call that started the sub-agent, and its loop. */
  readonly parent?: { readonly toolCallId: string; readonly loopId: string }
  step?: OpenStep | undefined
}

/** An open step. Blade calls it a turn. */
export interface OpenStep {
  readonly stepId: string
  readonly turnId: string
  readonly startedAt: number
  isAnswered: boolean
  /** The number of blocks before the model's text. */
  prefix: number
  /** Length of the live text in UTF-16 units. */
  textLength: number
  /** Live text of a long turn that is not sent yet. */
  held?: { readonly type: 'text' | 'thinking'; readonly text: string } | undefined
  readonly calls: OpenCall[]
}

export interface OpenCall {
  readonly id: string
  readonly name: string
  readonly displayName: string
  readonly input: JsonObject
  readonly route: CallRoute
  readonly kind?: ToolKind | undefined
  /** `waiting`: for a human or a client, or for a sub-agent that waits. */
  phase: 'ready' | 'waiting' | 'settled'
  /** When it started for the first time. */
  startedAt?: number
  /** Its question is open. */
  isAsking: boolean
  isRefused: boolean
  /** The question that its sub-agent waits for. */
  ref?: PendingQuestionRef | undefined
}

/** A call with its step and its loop. */
export interface FoundStep {
  readonly loop: Loop
  readonly step: OpenStep
}

export interface FoundCall extends FoundStep {
  readonly call: OpenCall
}

export class OpenLoops {
  readonly #loops = new Map<string, Loop>()

  constructor(agent: string) {
    this.add({ loopId: ROOT_LOOP, agent, description: '' })
  }

  /** Parents before their children. */
  get all(): readonly Loop[] {
    return [...this.#loops.values()]
  }

  add(loop: Loop): void {
    this.#loops.set(loop.loopId, loop)
  }

  remove(loopId: string): void {
    this.#loops.delete(loopId)
  }

  get(loopId: string): Loop {
    const loop = this.#loops.get(loopId)
    if (loop === undefined) throw new Error(`there is no loop ${loopId}`)
    return loop
  }

  withStep(stepId: string): FoundStep | undefined {
    for (const loop of this.#loops.values()) {
      if (loop.step?.stepId === stepId) return { loop, step: loop.step }
    }
    return undefined
  }

  call(id: string): FoundCall | undefined {
    for (const loop of this.#loops.values()) {
      const call = loop.step?.calls.find((candidate) => candidate.id === id)
      if (loop.step !== undefined && call !== undefined) return { loop, step: loop.step, call }
    }
    return undefined
  }

  /** The call that started the sub-agent. */
  parentOf(loop: Loop): FoundCall | undefined {
    return loop.parent && this.call(loop.parent.toolCallId)
  }
}

/** Whether the step cannot continue without an answer. */
export function isStuck({ isAnswered, calls }: OpenStep): boolean {
  const open = calls.filter(({ phase }) => phase !== 'settled')
  return isAnswered && open.length > 0 && open.every(({ phase }) => phase === 'waiting')
}

/** What a stuck loop waits for: its own call, or a call of a sub-agent. */
export function waitingIn({ loopId, description, step }: Loop): PendingQuestionRef | undefined {
  const call = step?.calls.find(({ phase }) => phase === 'waiting')
  if (call === undefined) return undefined
  const child_tool_call_id = call.isAsking ? askIdOf(call.id) : call.id
  return call.ref ?? { child_loop_name: loopId, child_tool_call_id, description }
}
