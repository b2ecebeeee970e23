import type { Engine, ReadAs, Recorded, SessionId, UserId } from '@polylogue/engine'
import { toTurn } from '../fold/session-fold.ts'
import type { TurnProjection } from '../wire.ts'
import { lengthOfTurn } from './long-turns.ts'
import type { ProjectedOutput } from './projected-output.ts'
import type { Describe } from './scene.ts'
import { SessionProjection } from './session-projection.ts'

export interface TurnsAsked {
  readonly userId: UserId
  readonly sessionId: SessionId
  readonly as?: ReadAs
}

/** In UTF-16 units. A reader holds about this much of a session in memory. */
const SLICE_LENGTH = 512 * 1024

/**
 * Reads the turns of a session in slices, in order. A turn that may still change holds back the turns after it, which are
 * those of its sub-agents.
 */
export class TurnReader {
  readonly #engine: Pick<Engine, 'attach'>
  readonly #asked: TurnsAsked
  readonly #projection: SessionProjection
  /** Ended turns by sequence, until all earlier turns were read. */
  readonly #ended = new Map<number, TurnProjection>()
  #next = 0
  #isDone = false

  constructor(engine: Pick<Engine, 'attach'>, asked: TurnsAsked, describe: Describe) {
    this.#engine = engine
    this.#asked = asked
    this.#projection = new SessionProjection(describe, { keep: 'open' })
  }

  /** Returns the next turns, and `undefined` after the last. */
  async read(): Promise<readonly TurnProjection[] | undefined> {
    if (this.#isDone) return undefined
    const slice: TurnProjection[] = []
    let length = 0
    const take = (outputs: readonly ProjectedOutput[]): void => {
      this.#take(outputs)
      for (let turn = this.#nextTurn(); turn !== undefined; turn = this.#nextTurn()) {
        slice.push(turn)
        length += lengthOfTurn(turn)
      }
    }
    let isFull = false
    const { userId, sessionId, as = 'owner' } = this.#asked
    const reader = {
      recorded: (recorded: Recorded) => {
        // The newest events come from memory all at once. The next slice gets them again.
        if (isFull) return 'enough' as const
        take(this.#projection.apply(recorded))
        isFull = length > SLICE_LENGTH
        return isFull ? ('enough' as const) : undefined
      },
      delta: (delta: Parameters<SessionProjection['delta']>[0]) => {
        if (isFull) return
        take(this.#projection.settle())
        this.#projection.delta(delta)
      },
      closed: () => undefined,
    }
    const attachment = await this.#engine.attach(userId, sessionId, {
      after: { seq: this.#projection.seq },
      reader,
      as,
    })
    attachment.detach()
    if (isFull) return slice
    this.#isDone = true
    take(this.#projection.settle())
    return [...slice, ...this.#rest()]
  }

  #take(outputs: readonly ProjectedOutput[]): void {
    for (const output of outputs) {
      if (output.event === 'turn:end') this.#ended.set(output.payload.sequence, toTurn(output.payload))
    }
  }

  #nextTurn(): TurnProjection | undefined {
    const turn = this.#ended.get(this.#next)
    if (turn === undefined || turn.status === 'paused') return undefined
    this.#ended.delete(this.#next++)
    return turn
  }

  /** Includes waiting and streaming turns in their current state. */
  #rest(): readonly TurnProjection[] {
    for (const turn of this.#projection.turns) this.#ended.set(turn.sequence, turn)
    return [...this.#ended.values()].toSorted((a, b) => a.sequence - b.sequence)
  }
}
