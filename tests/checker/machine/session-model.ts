import type { SessionState, TurnOutcome } from '@polylogue/engine'
import { textOf } from '@polylogue/engine'
import type { Stored } from './read-stored.ts'
import { MAX_STEPS } from './world.ts'

export type CallPhase = 'running' | 'approval' | 'client' | 'done'

export interface CallModel {
  readonly id: string
  readonly tool: string
  phase: CallPhase
}

export interface TurnModel {
  steps: number
  takeovers: number
  /** Of the step that was answered last; empty while the model is asked. */
  calls: CallModel[]
}

const QUEUE_LIMIT = 8
const TAKEOVER_LIMIT = 3

/** What a session must be like after each command, in as few words as possible. */
export class SessionModel {
  isDeleted = false
  turn: TurnModel | undefined
  queue: string[] = []
  lastOutcome: TurnOutcome | undefined
  isPayTrusted = false
  readonly keys = new Map<string, string>()
  /** Inputs that never got their turn: whoever repeats one has it taken anew. */
  dropped = new Set<string>()
  readonly callIds: string[] = []

  get status(): 'idle' | 'running' | 'waiting' {
    const { turn } = this
    if (turn === undefined) return 'idle'
    const open = turn.calls.filter(({ phase }) => phase !== 'done')
    return open.length > 0 && open.every(({ phase }) => phase !== 'running') ? 'waiting' : 'running'
  }

  get isAsking(): boolean {
    return this.turn !== undefined && this.turn.calls.length === 0
  }

  get waiting(): readonly CallModel[] {
    return this.turn?.calls.filter(({ phase }) => phase === 'approval' || phase === 'client') ?? []
  }

  /** The refusal, or nothing when the input is taken. */
  say(text: string, whenRunning: 'refuse' | 'queue'): string | undefined {
    if (this.status === 'running') {
      if (whenRunning === 'refuse') return 'session-busy'
      if (this.queue.length >= QUEUE_LIMIT) return 'queue-full'
      this.queue.push(text)
      return undefined
    }
    if (this.status === 'waiting') this.lastOutcome = 'cancelled'
    // What was queued before comes first, unless this one cannot wait.
    if (this.queue.length > 0 && whenRunning === 'queue') this.queue = [...this.queue.slice(1), text]
    this.turn = { steps: 0, takeovers: 0, calls: [] }
    return undefined
  }

  answer(id: string, kind: 'grant' | 'deny' | 'result', whenRunning: 'refuse' | 'accept'): string | undefined {
    const call = this.waiting.find((candidate) => candidate.id === id)
    if (call === undefined) return this.callIds.includes(id) ? 'call-already-settled' : 'unknown-tool-call'
    if (this.status === 'running' && whenRunning === 'refuse') return 'session-busy'
    if (kind === 'grant' && call.phase === 'client') return 'call-not-approvable'
    call.phase = kind === 'grant' ? 'running' : 'done'
    this.#goOn()
    return undefined
  }

  cancel(dropQueue: boolean): boolean {
    if (dropQueue) for (const text of this.queue.splice(0)) this.dropped.add(text)
    if (this.turn === undefined) return false
    this.#end('cancelled')
    return true
  }

  /** The model answers with these calls; with none it finishes. */
  modelCalls(calls: readonly { id: string; tool: string }[], outcome: TurnOutcome = 'finished'): void {
    if (this.turn === undefined) throw new Error('only a turn is answered')
    this.turn.steps += 1
    if (calls.length === 0) return this.#end(outcome)
    this.turn.calls = calls.map(({ id, tool }) => ({ id, tool, phase: this.#firstPhase(tool) }))
    this.callIds.push(...calls.map(({ id }) => id))
    this.#goOn()
  }

  modelFails(): void {
    this.#end('failed')
  }

  toolEnds(id: string): void {
    const call = this.turn?.calls.find((candidate) => candidate.id === id)
    if (call === undefined) throw new Error(`call ${id} is not open`)
    call.phase = 'done'
    this.#goOn()
  }

  /** Its process died while nothing was being stored. */
  takeOver(): void {
    const { turn } = this
    if (turn === undefined || this.status !== 'running') return
    turn.takeovers += 1
    for (const call of turn.calls) if (call.phase === 'running' && call.tool === 'pay') call.phase = 'done'
    if (turn.takeovers > TAKEOVER_LIMIT) return this.#end('failed')
    this.#goOn()
  }

  /** Where a crash in the middle of a command makes it unknown what was stored, the store says what is. */
  adopt(state: SessionState | undefined, stored: Stored): void {
    this.isDeleted = state === undefined
    if (state === undefined) return
    this.dropped = new Set(stored.dropped)
    this.queue = state.queue.map(({ content }) => textOf(content))
    this.lastOutcome = state.lastOutcome
    const { access } = state.settings
    const grants = access.type === 'listed' ? access.tools : []
    this.isPayTrusted = grants.some(({ name, trust }) => name === 'pay' && trust === true)
    for (const key of this.keys.keys()) if (!stored.keys.has(key)) this.keys.delete(key)
    const { turn } = state
    const phases = {
      ready: 'running',
      running: 'running',
      'awaiting-approval': 'approval',
      'awaiting-client': 'client',
      'awaiting-user': 'client',
      settled: 'done',
    } as const
    this.turn = turn && {
      steps: turn.answeredSteps,
      takeovers: turn.takeovers,
      calls:
        turn.step?.calls.map(({ toolCallId, name, phase }) => ({ id: toolCallId, tool: name, phase: phases[phase] })) ??
        [],
    }
    this.callIds.splice(0, Infinity, ...stored.callIds)
  }

  #firstPhase(tool: string): CallPhase {
    switch (tool) {
      case 'look':
      case 'put':
        return 'running'
      case 'pay':
        return this.isPayTrusted ? 'running' : 'approval'
      case 'browse':
        return 'client'
      default:
        return 'done'
    }
  }

  #goOn(): void {
    const { turn } = this
    if (turn === undefined || turn.calls.some(({ phase }) => phase !== 'done')) return
    turn.calls = []
    if (turn.steps >= MAX_STEPS) this.#end('step-limit')
  }

  #end(outcome: TurnOutcome): void {
    this.lastOutcome = outcome
    this.turn = this.queue.shift() === undefined ? undefined : { steps: 0, takeovers: 0, calls: [] }
  }
}
