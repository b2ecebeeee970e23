import {
  SegmentReader,
  type AdmittedTurn,
  type Cursor,
  type Engine,
  type SegmentOptions,
  type SessionFollower,
  type SessionId,
  type UserId,
} from '@polylogue/engine'
import type { EventStream } from '@polylogue/kit'
import { DeltaSteps } from '../delta-steps.ts'
import { eventFrame } from '../frames.ts'
import { MessageSteps } from '../message-steps.ts'
import { StreamPresenter } from '../stream-presenter.ts'
import type { StreamMode } from '../wire.ts'

export interface Subject {
  readonly engine: Engine
  readonly userId: UserId
  readonly sessionId: SessionId
}

export interface SessionStream extends Subject {
  readonly mode: Exclude<StreamMode, 'none'>
  readonly stream: EventStream
  readonly follower: SessionFollower
}

/** Streams one turn from its start to its stop. */
export async function streamTurn(session: SessionStream, turn: AdmittedTurn): Promise<void> {
  const { stream, follower } = session
  const reader = createReader(session, {
    turnId: turn.turnId,
    onEnd: () => (stream.end(), 'done'),
  })
  await follower.follow(turn.seq - 1, reader)
}

export interface FollowOptions {
  readonly cursor: Cursor
  /** The last recorded event, and whether a turn was running, when the request arrived. */
  readonly lastSeq: number
  readonly isRunning: boolean
  readonly onStop: 'continue' | 'done'
}

/** Streams everything after the cursor. A cursor that no longer exists gets one `resync`, then the step from its start. */
export async function followSession(session: SessionStream, options: FollowOptions): Promise<void> {
  const { stream, follower } = session
  const { cursor, lastSeq, isRunning, onStop } = options
  const onSegmentStop = (): 'continue' | 'done' => {
    if (onStop === 'done') stream.end()
    return onStop
  }
  const resync = async (after: number, isOpen: boolean): Promise<void> => {
    stream.send(eventFrame(`${after}`, { event: 'resync' }))
    await follower.follow(after, createReader(session, { isOpen, onEnd: onSegmentStop }))
  }
  if (cursor.seq > lastSeq) return resync(lastSeq, isRunning)
  if (cursor.seq === 0) return follower.follow(0, createReader(session, { onEnd: onSegmentStop }))

  const reader = createReader(session, {
    cursor,
    onEnd: onSegmentStop,
    onLost() {
      reader.stop()
      follower.detach()
      resync(cursor.seq - 1, true).catch(() => stream.drop())
    },
  })
  await follower.follow(cursor.seq - 1, reader)
}

interface ReaderOptions extends Pick<SegmentOptions, 'turnId' | 'cursor' | 'isOpen' | 'onEnd'> {
  onLost?(): void
}

function createReader(session: SessionStream, { onLost, ...options }: ReaderOptions): SegmentReader {
  const { engine, userId, sessionId, mode, stream } = session
  const position = { sink: stream, cursor: options.cursor, onLost: onLost ?? (() => undefined) }
  const steps = mode === 'delta' ? new DeltaSteps(position) : new MessageSteps(position)
  const presenter = new StreamPresenter(stream, steps, (hash) => engine.readBlob(userId, sessionId, { hash }))
  return new SegmentReader({ ...options, presenter, onClosed: () => stream.end() })
}
