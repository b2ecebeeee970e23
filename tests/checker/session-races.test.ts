import fc from 'fast-check'
import { describe, it } from 'vitest'
import { deny, grant, untilQuiet } from '@polylogue/testkit'
import type { AdmittedTurn, ModelOutput } from '@polylogue/engine'
import { judge } from './machine/judge.ts'
import { createScheduledStore } from './machine/scheduled-store.ts'
import { World, type WorldSession } from './machine/world.ts'

const RUNS = 1_000
const FINISHED: ModelOutput = { type: 'finished', finish: 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
const calls = (...names: string[]): ModelOutput[] =>
  names.map((name) => ({ type: 'tool-call', id: `id_${name}`, name, input: {} }))

/** Where a session stands when things begin to happen at once. */
const SITUATIONS = {
  resting: async () => undefined,
  asking: async (world: World, session: WorldSession) => {
    await world.use(session).say('before')
    await untilQuiet()
    world.ask(session)?.answer({ type: 'thinking', text: 'hm' }, { type: 'text', text: 'half ' })
    await untilQuiet()
  },
  'tools running': async (world: World, session: WorldSession) => {
    await world.use(session).say('before')
    await untilQuiet()
    world.ask(session)?.answer(...calls('look', 'put', 'pay'), FINISHED)
    await untilQuiet()
  },
  waiting: async (world: World, session: WorldSession) => {
    await world.use(session).say('before')
    await untilQuiet()
    world.ask(session)?.answer(...calls('pay', 'browse'), FINISHED)
    await untilQuiet()
  },
} as const

type Act = (world: World, session: WorldSession) => Promise<unknown> | void

const acknowledge = (session: WorldSession, text: string) => (turn: AdmittedTurn) => {
  if (!turn.repeated) session.acknowledged.push({ type: 'input', text, seq: turn.seq })
}
const sayWithKey: Act = (world, session) =>
  world
    .use(session)
    .say('the same', { whenRunning: 'queue', idempotency: { key: 'k', fingerprint: 'f' } })
    .then(acknowledge(session, 'the same'))

/** Each is refused where it does not fit; what matters is that none of them breaks another. */
const ACTS: { readonly [name: string]: Act } = {
  'say with a key': sayWithKey,
  'say with the same key': sayWithKey,
  'say another thing': (world, session) => world.use(session).say('another').then(acknowledge(session, 'another')),
  'queue a thing': (world, session) =>
    world.use(session).say('queued', { whenRunning: 'queue' }).then(acknowledge(session, 'queued')),
  cancel: (world, session) => world.use(session).cancel(),
  'cancel all': (world, session) => world.use(session).cancel(true),
  grant: (world, session) =>
    world
      .use(session)
      .answer(grant('id_pay'))
      .then(() => void session.acknowledged.push({ type: 'answer', toolCallId: 'id_pay' })),
  deny: (world, session) =>
    world
      .use(session)
      .answer(deny('id_pay'))
      .then(() => void session.acknowledged.push({ type: 'answer', toolCallId: 'id_pay' })),
  'model goes on': (world, session) =>
    world.ask(session)?.answer({ type: 'text', text: 'more ' }, { type: 'text', text: 'and more' }),
  'model finishes': (world, session) => world.ask(session)?.answer({ type: 'text', text: 'last' }, FINISHED),
  'tools return': (world, session) => {
    for (const run of world.runs(session)) run.end({ content: 'fine' })
  },
  'attach at the start': (world, session) => world.attach(session, 0),
  'attach after the first event': (world, session) => world.attach(session, 1),
  crash: (world) => world.crash('dead'),
}

describe('a session', () => {
  it('holds its promises in whatever order things happen that happen at once', async () => {
    const names = Object.keys(ACTS)
    const situation = fc.constantFrom(...Object.values(SITUATIONS))
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        situation,
        fc.shuffledSubarray(names, { minLength: 2, maxLength: 6 }),
        async (scheduler, prepare, chosen) => {
          const scheduled = createScheduledStore(scheduler)
          const world = new World(scheduled.slowed)
          const session = await world.create()
          await prepare(world, session)
          await scheduled.play(() => {
            for (const name of chosen) void Promise.resolve(ACTS[name]?.(world, session)).catch(() => undefined)
          })
          await judge(world, () => false)
        },
      ),
      { numRuns: RUNS },
    )
  }, 120_000)
})
