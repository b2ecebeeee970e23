import { z } from 'zod'
import { withoutMemories } from '../projection/for-guests.ts'
import { readTurns } from '../projection/read-turns.ts'
import { compactSession } from './compact-session.ts'
import type { BladeRestDeps } from './deps.ts'
import { operation, type Operation } from './operation.ts'
import { Refusal } from './refusal.ts'
import { turnSchema } from '../schema/turn.ts'
import { requireOwner, sessionIdIn } from './session-access.ts'

const tag = 'Sessions'

/** What was said in a session. */
export function messageOperations({
  engine,
  describe,
}: Pick<BladeRestDeps, 'engine' | 'describe'>): readonly Operation[] {
  return [
    operation({
      method: 'GET',
      path: '/api/sessions/{sid}/messages',
      name: 'listMessages',
      tag,
      summary: 'Everything that was said, in order',
      answer: z.array(turnSchema),
      async run({ caller: { userId }, param }) {
        const { sessionId, userId: owner } = await engine.readSession(userId, sessionIdIn(param('sid')), 'guest')
        const turns = await readTurns(engine, { userId, sessionId, as: 'guest' }, describe)
        return owner === userId ? turns : turns.map(withoutMemories)
      },
    }),
    operation({
      method: 'POST',
      path: '/api/sessions/{sid}/compact',
      name: 'compactSession',
      tag,
      summary: 'Let a summary take the place of what the model was told so far',
      answer: z.object({ status: z.literal('ok'), turn: turnSchema }),
      refusals: {
        403: 'it is shared with you for reading',
        409: 'it is running, there is nothing to compact, or a summary is no shorter',
        502: 'the model gave no summary',
      },
      async run({ caller: { userId }, param }) {
        const { sessionId } = await requireOwner(engine, userId, sessionIdIn(param('sid')))
        const { compactionId } = await compactSession(engine, userId, sessionId)
        const turn = (await readTurns(engine, { userId, sessionId }, describe)).find(({ id }) => id === compactionId)
        if (turn === undefined) throw new Refusal(409, 'The session has changed meanwhile.')
        return { status: 'ok' as const, turn }
      },
    }),
  ]
}
