import type { ServerResponse } from 'node:http'
import { EngineError, SegmentReader, SessionFollower, UNHURRIED, type AdmittedTurn } from '@polylogue/engine'
import { onRevoked } from '@polylogue/kit'
import { encodeMessages } from '../encode-messages.ts'
import { WireError, sessionNotFound } from '../errors.ts'
import { MessageCollector } from '../message-collector.ts'
import type { TurnStop, WireMessage } from '../wire.ts'
import type { Subject } from './stream-session.ts'

export interface Connection {
  readonly outgoing: ServerResponse
  readonly revoked: AbortSignal
}

export interface CollectedTurn {
  readonly stop: TurnStop
  readonly messages: AsyncIterable<WireMessage>
}

/** Collects a segment until it stops. A client that leaves ends the wait but not the turn. */
export async function collectTurn(
  subject: Subject,
  turn: AdmittedTurn,
  connection: Connection,
): Promise<CollectedTurn> {
  const { promise: stopped, resolve, reject } = Promise.withResolvers<void>()
  const collector = new MessageCollector()
  const reader = new SegmentReader({
    presenter: collector,
    turnId: turn.turnId,
    onEnd: () => (resolve(), 'done'),
    onClosed(reason) {
      if (reason === 'deleted') resolve()
      else reject(new EngineError('shutting-down', 'The server is stopping; the turn goes on when it is back'))
    },
  })
  const onGone = (): void => reject(new WireError(400, 'The client has left'))
  const stopWatching = onRevoked(connection.revoked, () => reject(new WireError(401, 'Unauthorized')))
  connection.outgoing.on('close', onGone)
  if (connection.outgoing.destroyed) onGone()
  const follower = new SessionFollower({ ...subject, pace: UNHURRIED })
  try {
    await Promise.all([stopped, follower.follow(turn.seq - 1, reader)])
  } finally {
    reader.stop()
    follower.close()
    stopWatching()
    connection.outgoing.off('close', onGone)
  }
  if (collector.stop === undefined) throw sessionNotFound()
  const { engine, userId, sessionId } = subject
  const messages = encodeMessages(collector.messages, (hash) => engine.readBlob(userId, sessionId, { hash }))
  return { stop: collector.stop, messages }
}
