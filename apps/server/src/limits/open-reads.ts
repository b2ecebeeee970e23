import { EngineError, type Clock, type UserId } from '@polylogue/engine'
import type { OpenReads } from '@polylogue/kit'
import type { Writable } from 'node:stream'

export interface OpenReadsOptions {
  readonly perUser: number
  readonly clock: Clock
  /** A limit refused something. */
  refused(limit: 'reads'): void
}

/** Others of the same user may be finished by then. */
const PATIENCE_MS = 10_000

interface Reader {
  open: number
  readonly waiting: (() => void)[]
}

/** Answers of one user beyond the limit wait in order until another one is read, and are refused when that takes long. */
export function createOpenReads({ perUser, clock, refused }: OpenReadsOptions): OpenReads {
  const readers = new Map<UserId, Reader>()

  const leave = (userId: UserId, reader: Reader): void => {
    const next = reader.waiting.shift()
    if (next) return next()
    reader.open -= 1
    if (reader.open === 0) readers.delete(userId)
  }

  return {
    async enter(userId, outgoing) {
      const reader = readers.get(userId) ?? { open: 0, waiting: [] }
      readers.set(userId, reader)
      if (reader.open < perUser) reader.open += 1
      else if (!(await waitIn(reader, outgoing, clock))) {
        refused('reads')
        throw new EngineError(
          'too-many-reads',
          `${perUser} large answers are being read at the same time, which is the limit (limits.readsPerUser)`,
        )
      }
      if (outgoing.closed || outgoing.destroyed) leave(userId, reader)
      else outgoing.once('close', () => leave(userId, reader))
    },
  }
}

/** Whether a place became free in time. A client that leaves gives up its place in the line. */
function waitIn({ waiting }: Reader, outgoing: Writable, clock: Clock): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const enter = (): void => settle(true)
  const giveUp = (): void => {
    const index = waiting.indexOf(enter)
    if (index !== -1) waiting.splice(index, 1)
    settle(false)
  }
  const timer = clock.setTimer(PATIENCE_MS, giveUp)
  function settle(isIn: boolean): void {
    timer.cancel()
    outgoing.off('close', giveUp)
    resolve(isIn)
  }
  outgoing.once('close', giveUp)
  waiting.push(enter)
  return promise
}
