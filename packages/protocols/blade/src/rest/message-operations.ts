import { z } from 'zod'
import { withoutMemories } from '../projection/for-guests.ts'
import { TurnReader } from '../projection/turn-reader.ts'
import type { TurnProjection } from '../wire.ts'
import { compactSession } from './compact-session.ts'
import type { BladeRestDeps } from './deps.ts'
import { FewAtATime } from './few-at-a-time.ts'
import { listOperation, operation, type Operation } from './operation.ts'
import { Refusal } from './refusal.ts'
import { turnSchema } from '../schema/turn.ts'
import { requireOwner, sessionIdIn } from './session-access.ts'

const tag = 'Sessions'
/** A page of the log may have some megabytes. Waiting clients cost nothing. */
const MOST_READS = 4

/** The messages of a session. */
export function messageOperations({
  engine,
  describe,
}: Pick<BladeRestDeps, 'engine' | 'describe'>): readonly Operation[] {
  const reads = new FewAtATime(MOST_READS)
  return [
    listOperation({
      method: 'GET',
      path: '/api/sessions/{sid}/messages',
      name: 'listMessages',
      tag,
      summary: 'List all messages in order',
      answer: z.array(turnSchema),
      async run({ caller: { userId }, param }) {
        const { sessionId, userId: owner } = await engine.readSession(userId, sessionIdIn(param('sid')), 'guest')
        const reader = new TurnReader(engine, { userId, sessionId, as: 'guest' }, describe)
        return turnsOf(() => reads.run(() => reader.read()), owner === userId)
      },
    }),
    operation({
      method: 'POST',
      path: '/api/sessions/{sid}/compact',
      name: 'compactSession',
      tag,
      summary: 'Replace the conversation by a summary in the model’s context',
      answer: z.object({ status: z.literal('ok'), turn: turnSchema }),
      refusals: {
        403: 'the session is shared with you as read-only',
        409: 'the session is running, there is nothing to compact, or the summary is not shorter',
        502: 'the model gave no summary',
      },
      async run({ caller: { userId }, param }) {
        const { sessionId } = await requireOwner(engine, userId, sessionIdIn(param('sid')))
        const { compactionId } = await compactSession(engine, userId, sessionId)
        const turn = await findTurn(new TurnReader(engine, { userId, sessionId }, describe), compactionId)
        if (turn === undefined) throw new Refusal(409, 'The session changed in the meantime.')
        return { status: 'ok' as const, turn }
      },
    }),
  ]
}

async function* turnsOf(
  read: () => Promise<readonly TurnProjection[] | undefined>,
  isOwner: boolean,
): AsyncIterable<TurnProjection> {
  for (let turns = await read(); turns !== undefined; turns = await read()) {
    yield* isOwner ? turns : turns.map(withoutMemories)
  }
}

async function findTurn(reader: TurnReader, id: string): Promise<TurnProjection | undefined> {
  for (let turns = await reader.read(); turns !== undefined; turns = await reader.read()) {
    const found = turns.find((turn) => turn.id === id)
    if (found !== undefined) return found
  }
  return undefined
}
