import { expect } from 'vitest'
import { untilQuiet } from '@polylogue/testkit'
import { checkHistory } from '../check-history.ts'
import type { World } from './world.ts'

/** Whatever happened: all invariants hold, every reader catches up, and the next input is answered. */
export async function judge(world: World, isDeleted: (session: number) => boolean): Promise<void> {
  for (const [index, session] of world.sessions.entries()) {
    if (isDeleted(index)) continue
    const use = world.use(session)
    await use.cancel(true)
    await untilQuiet()
    await use.say('the last one')
    await untilQuiet()
    world.ask(session)?.answer({ type: 'finished', finish: 'stop', usage: { inputTokens: 1, outputTokens: 1 } })
    await untilQuiet()
    expect(await use.view()).toMatchObject({ status: 'idle', lastOutcome: 'finished' })
    for (const reader of session.readers) await world.resume(session, reader)
    const history = await world.history(session)
    expect(checkHistory(history)).toEqual([])
    for (const { seen } of history.readers)
      expect(seen.at(-1)?.seq ?? history.stored.length).toBe(history.stored.length)
  }
}
