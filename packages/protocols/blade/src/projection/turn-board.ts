import { applyPatch } from '../fold/apply-patch.ts'
import type { Patch, ServerEvents, TurnPayload, TurnProjection, TurnStatus } from '../wire.ts'
import type { ProjectedOutput } from './projected-output.ts'

export interface BoardOptions {
  /** `open`: drop ended turns after they were sent. */
  readonly keep: 'all' | 'open'
}

export interface BoardSession {
  readonly sessionId: string
  readonly agent: string
}

export interface BatchPlace {
  readonly number: number
  /** The patch goes to plain clients without the turn. */
  readonly isBare: boolean
}

/** A board between two appends. */
export interface BoardState {
  readonly turns: readonly TurnProjection[]
  readonly untold: readonly string[]
  readonly opened: number
  readonly patches: number
  readonly batches: number
}

type Changes = Partial<Omit<TurnProjection, 'turn_id' | 'sequence'>>

/** The turns of a session and their outputs. Numbers the patches. */
export class TurnBoard {
  readonly #sessionId: string
  readonly #agent: string
  readonly #keep: BoardOptions['keep']
  readonly #turns = new Map<string, TurnProjection>()
  /** Turns with patches since their last `turn:end`. */
  readonly #untold = new Set<string>()
  #outputs: ProjectedOutput[] = []
  #opened = 0
  /** The number of patches from recorded events. */
  #patches = 0
  /** The number of the newest live batch. */
  #batches = 0

  constructor({ sessionId, agent }: BoardSession, { keep }: BoardOptions) {
    this.#sessionId = sessionId
    this.#agent = agent
    this.#keep = keep
  }

  get turns(): readonly TurnProjection[] {
    return [...this.#turns.values()]
  }

  /** Contract: the outputs were taken. Turns are replaced and never changed, so they are shared. */
  get state(): BoardState {
    return {
      turns: this.turns,
      untold: [...this.#untold],
      opened: this.#opened,
      patches: this.#patches,
      batches: this.#batches,
    }
  }

  restore({ turns, untold, opened, patches, batches }: BoardState): void {
    for (const turn of turns) this.#turns.set(turn.turn_id, turn)
    for (const turnId of untold) this.#untold.add(turnId)
    this.#opened = opened
    this.#patches = patches
    this.#batches = batches
  }

  /** The number of the last patch. The next one is higher by one, unless the server crashed in between. */
  get sequence(): number {
    return this.#patches + this.#batches
  }

  /** Returns the outputs since the last call. */
  take(): readonly ProjectedOutput[] {
    const outputs = this.#outputs
    this.#outputs = []
    return outputs
  }

  turn(turnId: string): TurnProjection {
    const turn = this.#turns.get(turnId)
    if (turn === undefined) throw new Error(`there is no turn ${turnId}`)
    return turn
  }

  tell<Name extends Exclude<keyof ServerEvents, 'turn:patch'>>(
    event: Name,
    payload: Omit<ServerEvents[Name], 'session_id'>,
  ): void {
    this.#outputs.push({ event, payload: { session_id: this.#sessionId, ...payload } } as ProjectedOutput)
  }

  toTold(turn: TurnProjection): TurnPayload {
    return { session_id: this.#sessionId, ...turn, solution_id: this.#agent, template_id: null }
  }

  open(turn: Omit<TurnProjection, 'sequence'>): void {
    const opened = { ...turn, sequence: this.#opened++ }
    this.#turns.set(turn.turn_id, opened)
    this.tell('turn:start', this.toTold(opened))
  }

  /** Adds a turn that starts and ends at once. */
  add(turn: Omit<TurnProjection, 'sequence'>): void {
    this.open(turn)
    this.end(turn.turn_id)
  }

  patch(turnId: string, patch: Patch): void {
    this.#patches++
    this.#apply(turnId, patch, false)
  }

  /** Applies the patch of a live batch. */
  batch(turnId: string, patch: Patch, { number, isBare }: BatchPlace): void {
    this.#batches = number
    this.#apply(turnId, patch, isBare)
  }

  /** Marks batch numbers up to this one as used. */
  skipTo(batches = 0): void {
    this.#batches = Math.max(this.#batches, batches)
  }

  /** Changes fields that have no patch. `turn:end` sends them. */
  change(turnId: string, changes: Changes): void {
    this.#turns.set(turnId, { ...this.turn(turnId), ...changes })
  }

  setStatus(turnId: string, status: TurnStatus): void {
    if (this.turn(turnId).status !== status) this.patch(turnId, { patch_type: 'set_status', data: { status } })
  }

  end(turnId: string): void {
    const turn = this.turn(turnId)
    this.#untold.delete(turnId)
    this.tell('turn:end', this.toTold(turn))
    if (this.#keep === 'open' && turn.status !== 'paused') this.#turns.delete(turnId)
  }

  endIfUntold(turnId: string): void {
    if (this.#untold.has(turnId)) this.end(turnId)
  }

  #apply(turnId: string, patch: Patch, isBare: boolean): void {
    const turn = applyPatch(this.turn(turnId), patch)
    if (turn === undefined) throw new Error(`${patch.patch_type} does not fit the turn ${turnId}`)
    this.#turns.set(turnId, turn)
    this.#untold.add(turnId)
    const payload = {
      session_id: this.#sessionId,
      sequence: this.sequence,
      turn_id: turnId,
      loop_id: turn.loop_id,
      ...patch,
    }
    this.#outputs.push({ event: 'turn:patch', payload, turn, isBare })
  }
}
