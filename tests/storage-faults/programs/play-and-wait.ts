// play-and-wait FILE SESSIONS TURNS SIZE: plays sessions side by side, gives each a secret, creates keys and
// memories, prints `ready`, and closes the store when its input ends.
import { asUserId } from '@polylogue/engine'
import { openSqliteStores } from '@polylogue/store-sqlite'
import { systemClock } from '../system-clock.ts'
import { playSession } from '../workload/play-session.ts'
import { eventsOfSession, sessionIdOf } from '../workload/session-log.ts'
import { say } from './say.ts'

const [file = '', sessions = '1', turns = '1', size = '1'] = process.argv.slice(2)
const { events, keys, memories, close } = await openSqliteStores({ file, clock: systemClock })

await Promise.all(
  Array.from({ length: Number(sessions) }, async (_, index) => {
    const session = index + 1
    await playSession(events, { session, turns: Number(turns), size: Number(size), stored: () => undefined })
    await events.append({
      sessionId: sessionIdOf(session),
      expectedSeq: eventsOfSession(session, Number(turns), Number(size)).length,
      at: 1,
      events: [{ type: 'session.configured', settings: { options: { apiKey: '***' }, secretOptions: ['apiKey'] } }],
      wanted: false,
      secrets: [{ name: 'apiKey', sealed: Buffer.from(`sealed for ${session}`) }],
    })
    await keys.createKey({
      id: `key_${session}`,
      userId: asUserId('ann'),
      kind: 'api',
      name: `laptop ${session}`,
      hash: `hash of ${session}`,
      prefix: 'sk-blade-v2-',
      lastFour: 'abcd',
      createdAt: 1_700_000_000_000,
    })
    await memories.addMemory(asUserId('ann'), { type: 'feedback', content: `fact ${session}: 记忆`, topic: 'facts' })
  }),
)
say('ready')
process.stdin.resume()
process.stdin.on('end', () => void close())
