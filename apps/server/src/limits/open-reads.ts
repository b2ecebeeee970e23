import { EngineError, type Clock, type UserId } from '@polylogue/engine'
import type { HoldRead, OpenReads } from '@polylogue/kit'
import type { Writable } from 'node:stream'
import type { SharedCounts } from './shared-counts.ts'

export interface OpenReadsOptions {
  readonly perUser: number
  readonly clock: Clock
  /** What other nodes count. Absent: there is only this one. */
  readonly shared?: SharedCounts
  /** A limit refused something. */
  refused(limit: 'reads'): void
}

/** Others of the same user may be finished by then. */
const PATIENCE_MS = 10_000
const NAME = 'reads'

interface Reader {
  open: number
  readonly waiting: (() => void)[]
}

/** Answers of one user beyond the limit wait in order until another one is read, and are refused when that takes long. */
export function createOpenReads({ perUser, clock, shared, refused }: OpenReadsOptions): OpenReads {
  const readers = new Map<UserId, Reader>()
  const hasRoom = (userId: UserId, { open }: Reader): boolean => open + (shared?.elsewhere(NAME, userId) ?? 0) < perUser

  /** Lets those in that have waited longest. */
  const letIn = (userId: UserId, reader: Reader): void => {
    while (reader.waiting.length > 0 && hasRoom(userId, reader)) {
      reader.open += 1
      reader.waiting.shift()?.()
    }
    if (reader.open === 0 && reader.waiting.length === 0) readers.delete(userId)
  }
  const leave = (userId: UserId, reader: Reader): void => {
    reader.open -= 1
    letIn(userId, reader)
  }
  const begin: OpenReads['begin'] = async (userId, signal) => {
    const reader = readers.get(userId) ?? { open: 0, waiting: [] }
    readers.set(userId, reader)
    if (hasRoom(userId, reader)) reader.open += 1
    else if (!(await waitIn(reader, signal, clock))) {
      refused('reads')
      throw new EngineError(
        'too-many-reads',
        `${perUser} large answers are being read at the same time, which is the limit (limits.readsPerUser)`,
      )
    }
    let hasLeft = false
    return () => {
      if (!hasLeft) leave(userId, reader)
      hasLeft = true
    }
  }
  shared?.onOpen(NAME, {
    list: () => [...readers].map(([userId, { open }]): [string, number] => [userId, open]),
    changed: () => readers.forEach((reader, userId) => letIn(userId, reader)),
  })

  return {
    async enter(userId, outgoing) {
      const gone = new AbortController()
      const abort = (): void => gone.abort()
      outgoing.once('close', abort)
      const done = await begin(userId, gone.signal)
      outgoing.off('close', abort)
      return holdUntilClosed(outgoing, done)
    },
    begin,
  }
}

/** Leaves once the connection is closed and no work goes on. */
function holdUntilClosed(outgoing: Writable, leave: () => void): HoldRead {
  let [works, hasLeft] = [0, false]
  const check = (): void => {
    if (hasLeft || works > 0 || !(outgoing.closed || outgoing.destroyed)) return
    hasLeft = true
    leave()
  }
  outgoing.once('close', check)
  check()
  return async (work) => {
    if (hasLeft) throw new EngineError('too-many-reads', 'the client has left')
    works += 1
    return work().finally(() => {
      works -= 1
      check()
    })
  }
}

/** Whether a place became free in time. A client that leaves gives up its place in the line. */
function waitIn({ waiting }: Reader, gone: AbortSignal, clock: Clock): Promise<boolean> {
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
    gone.removeEventListener('abort', giveUp)
    resolve(isIn)
  }
  gone.addEventListener('abort', giveUp)
  waiting.push(enter)
  return promise
}
