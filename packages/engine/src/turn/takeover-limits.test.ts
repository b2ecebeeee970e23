import { describe, expect, it } from 'vitest'
import {
  createFakeClock,
  createFakeModel,
  createMemoryEventStore,
  finishes,
  hangs,
  restart,
  says,
  startSession,
  untilQuiet,
} from '@polylogue/testkit'

const hangingModel = () => createFakeModel([hangs])

describe('the end of a turn that was taken over', () => {
  it('fails after three takeovers, with the reason', async () => {
    let test = await startSession()
    test.model.push([hangs])
    await test.say('go')
    for (let crash = 1; crash <= 3; crash++) {
      await untilQuiet()
      const { model, ...next } = await restart(test, { model: hangingModel() })
      test = { ...next, model }
    }
    await untilQuiet()
    const last = await restart(test)
    await last.untilRest()
    expect(last.model.requests).toEqual([])
    expect((await last.events()).slice(-3)).toMatchObject([
      { type: 'turn.taken-over', count: 4 },
      { type: 'step.ended', outcome: 'failed' },
      { type: 'turn.ended', outcome: 'failed', error: { code: 'failed', message: expect.stringContaining('4 times') } },
    ])
    await last.say('and now?')
    await last.untilRest()
    expect((await last.view()).lastOutcome).toBe('finished')
  })

  it('cluster 31: survives five rolling restarts, because orderly stops do not count', async () => {
    let test = await startSession({ model: hangingModel() })
    await test.say('go')
    for (let stop = 1; stop <= 5; stop++) {
      await untilQuiet()
      await test.engine.stop(0)
      const { model, ...next } = await restart(test, stop < 5 ? { model: hangingModel() } : {})
      test = { ...next, model }
    }
    await test.untilRest()
    const events = await test.events()
    expect(
      events.filter(({ type }) => type === 'turn.taken-over').map((event) => 'count' in event && event.count),
    ).toEqual([0, 0, 0, 0, 0])
    expect(events.at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'finished' })
  })

  it('cluster 38: survives any number of storage outages of its own process', async () => {
    const clock = createFakeClock()
    const store = createMemoryEventStore({ clock })
    const test = await startSession({ store, clock })
    for (let outage = 1; outage <= 5; outage++) {
      test.model.push([says('half'), () => store.failWrites('busy'), finishes()])
    }
    await test.say('go')
    for (let outage = 1; outage <= 5; outage++) {
      await untilQuiet()
      store.failWrites(undefined)
      test.clock.advance(1_000)
    }
    await test.untilRest()
    const events = await test.events()
    expect(events.filter(({ type }) => type === 'turn.taken-over')).toHaveLength(5)
    expect(events.filter((event) => event.type === 'turn.taken-over' && event.count > 0)).toEqual([])
    expect(events.at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'finished' })
  })

  it('ends as interrupted where the configuration wants that', async () => {
    const first = await startSession({ recovery: 'interrupt' })
    first.model.push([says('half'), hangs])
    await first.say('go')
    await untilQuiet()
    first.clock.advance(250)
    await untilQuiet()
    const second = await restart(first, { recovery: 'interrupt' })
    await second.untilRest()
    expect(second.model.requests).toEqual([])
    expect((await second.events()).slice(4)).toMatchObject([
      { type: 'turn.taken-over' },
      { type: 'step.ended', outcome: 'interrupted', partial: [{ text: 'half' }] },
      { type: 'turn.ended', outcome: 'interrupted' },
    ])
  })

  it('ends as failed when its agent is no longer offered', async () => {
    const first = await startSession()
    first.model.push([hangs])
    await first.say('go')
    await untilQuiet()
    const second = await restart(first, { agentName: 'somebody-else' })
    await untilQuiet()
    expect((await second.events()).at(-1)).toMatchObject({
      type: 'turn.ended',
      outcome: 'failed',
      error: { message: 'The agent tester is no longer offered.' },
    })
  })
})
