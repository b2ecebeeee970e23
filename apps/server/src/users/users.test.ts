import { asUserId } from '@polylogue/engine'
import {
  createFakeClock,
  createMemoryEventStore,
  createMemoryKeyStore,
  createMemoryMemoryStore,
  createMemoryRuleStore,
  createMemoryScheduleStore,
  createMemoryUserStore,
  createTestEngine,
} from '@polylogue/testkit'
import { expect, it } from 'vitest'
import { createKeyRing } from '../auth/key-ring.ts'
import { randomBytes } from '../platform/random-bytes.ts'
import { sha256 } from '../platform/sha256.ts'
import { createUsers } from './users.ts'

it('a user is removed also if another node deletes the sessions at the same time', async () => {
  const clock = createFakeClock()
  const events = createMemoryEventStore({ clock })
  const { engine } = createTestEngine({ store: events, clock })
  const userId = asUserId('anna')
  const access = { type: 'listed', tools: [] } as const
  const create = { type: 'create-session', userId, agent: 'tester', access } as const
  for (let count = 0; count < 3; count += 1) await engine.execute(create)
  const users = createUsers({
    store: createMemoryUserStore(),
    keys: createKeyRing({
      store: createMemoryKeyStore({ clock }),
      clock,
      random: randomBytes,
      digest: sha256,
      extraKeys: [],
    }),
    events,
    engine: {
      async execute(command) {
        // The other node.
        if (command.type === 'delete-session') await events.deleteSession(command.sessionId)
        return engine.execute(command)
      },
    },
    memories: createMemoryMemoryStore({ clock }),
    rules: createMemoryRuleStore(),
    schedules: createMemoryScheduleStore(),
    clock,
  })
  expect(await users.remove(userId, { deleteSessions: true })).toEqual({ type: 'removed', sessions: 0 })
  expect(await users.exists(userId)).toBe(false)
})
