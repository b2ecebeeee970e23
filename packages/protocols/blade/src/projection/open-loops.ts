import { ROOT_LOOP, type CallRoute, type JsonObject, type ToolKind } from '@polylogue/engine'
import type { PendingQuestionRef } from '../wire.ts'
import { askIdOf } from './approval-question.ts'

/** One conversation with a model: the agent's own, or a sub-agent's. */
export interface Loop {
  readonly loopId: string
  readonly agent: string
  readonly description: string
  /** The call that a sub-agent carries out, and the loop that it stands in. */
  readonly parent?: { readonly toolCallId: string; readonly loopId: string }
  step?: OpenStep | undefined
}

/** A step that has not ended: one turn of Blade. */
export interface OpenStep {
  readonly stepId: string
  readonly turnId: string
  readonly startedAt: number
  isAnswered: boolean
  /** Blocks that stand before the text of the model. */
  prefix: number
  /** In UTF-16 units, as far as it came live. */
  textLength: number
  /** Live text of a long turn that waits for its patch. */
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
  /** `waiting`: for a human or a client, or for a sub-agent that waits for one. */
  phase: 'ready' | 'waiting' | 'settled'
  /** When it first began to run. */
  startedAt?: number
  /** Its question is open. */
  isAsking: boolean
  isRefused: boolean
  /** What its sub-agent waits for. */
  ref?: PendingQuestionRef | undefined
}

/** A call with the step and the loop that it stands in. */
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

  /** The call that a sub-agent carries out. */
  parentOf(loop: Loop): FoundCall | undefined {
    return loop.parent && this.call(loop.parent.toolCallId)
  }
}

/** Nothing in the step goes on without an answer. */
export function isStuck({ isAnswered, calls }: OpenStep): boolean {
  const open = calls.filter(({ phase }) => phase !== 'settled')
  return isAnswered && open.length > 0 && open.every(({ phase }) => phase === 'waiting')
}

/** What a loop that cannot go on waits for: its own call, or that of a sub-agent below. */
export function waitingIn({ loopId, description, step }: Loop): PendingQuestionRef | undefined {
  const call = step?.calls.find(({ phase }) => phase === 'waiting')
  if (call === undefined) return undefined
  const child_tool_call_id = call.isAsking ? askIdOf(call.id) : call.id
  return call.ref ?? { child_loop_name: loopId, child_tool_call_id, description }
}
