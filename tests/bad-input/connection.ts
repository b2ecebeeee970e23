import { once } from 'node:events'
import { type NetConnectOpts, type Socket, connect } from 'node:net'
import { setImmediate as nextTick } from 'node:timers/promises'
import type { BadInput, Piece } from './bad-input.ts'
import { BrokenResponse, type RawResponse, createResponseReader } from './response-reader.ts'

const LAST_LOOK_MS = 100

/** What came back for one input. */
export interface Outcome {
  readonly responses: readonly RawResponse[]
  /** The connection afterwards. */
  readonly connection: 'open' | 'closed'
  /** Why this is no orderly exchange, whatever the answer says. */
  readonly problem?: string
  readonly ms: number
}

/** One TCP connection or one to the owner's socket; inputs follow each other on it while it stays open. */
export interface Connection {
  readonly isOpen: boolean
  exchange(input: Pick<BadInput, 'pieces' | 'afterwards' | 'expected'>, giveUpMs: number): Promise<Outcome>
  close(): void
}

export async function openConnection(target: NetConnectOpts): Promise<Connection> {
  const socket = connect({ ...target, allowHalfOpen: true }).setNoDelay(true)
  // A server may close in the middle of what we write; that is an answer and no accident.
  socket.on('error', () => undefined)
  if (socket.connecting) await once(socket, 'connect')
  let isHead = false
  const reader = createResponseReader(() => isHead)
  let onChange: () => void = () => undefined
  let received: RawResponse[] = []
  let problem: string | undefined
  let isOver = false
  let hasLeft = false
  // To Node a client that sends no more is a client that has left: it may cut an answer then.
  let hasHungUp = false
  const leave = (): void => {
    hasLeft = true
    socket.destroy()
  }
  const guard = (read: () => void): void => {
    try {
      read()
    } catch (error) {
      if (!(error instanceof BrokenResponse)) throw error
      if (!hasLeft && !hasHungUp) problem = error.message
      leave()
    }
    onChange()
  }
  socket.on('data', (bytes: Buffer) => guard(() => received.push(...reader.feed(bytes))))
  const over = (): void => {
    if (isOver) return
    isOver = true
    guard(() => {
      const last = reader.end()
      if (last) received.push(last)
    })
    socket.destroy()
  }
  socket.on('end', over).on('close', over)

  return {
    get isOpen() {
      return !isOver && !hasLeft && problem === undefined
    },
    async exchange({ pieces, afterwards, expected }, giveUpMs) {
      const startedAt = performance.now()
      received = []
      isHead = expected.isHead === true
      const wanted = typeof expected.answers === 'number' ? expected.answers : 1
      const settled = new Promise<'answered' | 'closed' | 'late'>((resolve) => {
        // An answer may lie there already, while this process was busy with something else.
        const late = setTimeout(() => setTimeout(() => resolve('late'), LAST_LOOK_MS), giveUpMs)
        onChange = () => {
          const hasBegun = afterwards === 'leaves when answered' && reader.partial !== undefined
          const hasEnough = afterwards !== 'waits to be closed' && (received.length >= wanted || hasBegun)
          if (!hasEnough && !isOver && problem === undefined) return
          clearTimeout(late)
          resolve(hasEnough ? 'answered' : 'closed')
        }
      })
      // Writing goes on only while nobody has answered: an early refusal is an answer.
      let isWritten = false
      await Promise.race([writeAll(socket, pieces).then(() => (isWritten = true)), settled])
      if (afterwards === 'leaves') leave()
      if (afterwards === 'sends no more') {
        hasHungUp = true
        socket.end()
      }
      onChange()
      const how = await settled
      if (afterwards === 'leaves when answered' && reader.partial !== undefined) received.push(reader.partial)
      if (how === 'late') problem ??= `neither answered nor closed within ${giveUpMs} ms`
      else if (how === 'answered' && afterwards === 'waits' && reader.isInside) problem ??= 'an answer too many'
      const isLast = received.some(({ headers }) => headers.get('connection') === 'close')
      if (!isWritten || isLast || how === 'late' || afterwards !== 'waits') leave()
      return {
        responses: received,
        connection: isOver || socket.destroyed ? 'closed' : 'open',
        ...(problem !== undefined && { problem }),
        ms: performance.now() - startedAt,
      }
    },
    close() {
      socket.destroy()
    },
  }
}

async function writeAll(socket: Socket, pieces: readonly Piece[]): Promise<void> {
  for (const [index, piece] of pieces.entries()) {
    if (socket.destroyed) return
    if (index > 0) await nextTick()
    const bytes = typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece
    if (!socket.write(bytes)) await drained(socket)
  }
}

/** Resolves as well when nothing will ever be written again. */
function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      socket.off('drain', go).off('close', go)
      resolve()
    }
    if (socket.destroyed) resolve()
    else socket.on('drain', go).on('close', go)
  })
}
