import { calls, createFakeTool, finishes, says, startSession, thinks, type FakeStep } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { SessionFold } from '../fold/session-fold.ts'
import { findBreaches } from '../test-support/find-breaches.ts'
import { plainDescribe, watchSession } from '../test-support/watch-session.ts'
import { readTurns } from './read-turns.ts'

const PIECE = 'words and '.repeat(400)

/** A turn of about `pieces` times 4 KB, each of which is a batch of its own. */
async function stream(pieces: number, between: FakeStep = []) {
  const test = await startSession()
  const watched = await watchSession(test.engine, test.user, test.sessionId)
  const step = Array.from({ length: pieces }, (_, index): FakeStep => [
    says(`${index} ${PIECE}`),
    () => test.clock.advance(50),
    ...between,
  ])
  test.model.push([...step.flat(), says('the end'), finishes()])
  await test.say('go')
  await test.untilRest()
  const patches = watched.plain.flatMap(({ event, payload }) => (event === 'turn:patch' ? [payload] : []))
  const turns = await readTurns(test.engine, { userId: test.user, sessionId: test.sessionId }, plainDescribe)
  return { test, watched, patches, turns }
}

describe('a turn beyond 64 KiB', () => {
  it('is sent a few times a second, and so is its text', async () => {
    const { patches } = await stream(100)
    const long = patches.findIndex(({ data }) => data.turn === undefined)
    expect(long).toBeGreaterThan(10)
    const later = patches.slice(long, -2)
    const deltas = later.filter((patch) => patch.patch_type === 'add_content')
    const snapshots = later.filter(({ data }) => data.turn !== undefined)
    const share = later.length / 5
    expect(deltas.length).toBeGreaterThanOrEqual(share - 1)
    expect(deltas.length).toBeLessThanOrEqual(share + 1)
    expect(snapshots.length).toBeGreaterThanOrEqual(share - 1)
    expect(snapshots.length).toBeLessThanOrEqual(share + 1)
    for (const patch of snapshots) {
      expect(patch).toMatchObject({
        patch_type: 'set_status',
        data: { status: 'streaming', turn: { status: 'streaming' } },
      })
    }
  })

  it('ends with a snapshot right before its end', async () => {
    const { patches, turns } = await stream(60)
    expect(patches.at(-1)).toMatchObject({ patch_type: 'set_status', data: { status: 'completed' } })
    expect(patches.at(-1)?.data.turn?.blocks).toEqual(turns[1]?.blocks)
  })

  it.each([
    ['of text alone', []],
    ['of thoughts between the text', [thinks('hm '), thinks(PIECE)]],
  ] as const)('keeps all promises: %s', async (_what, between) => {
    const { watched, turns, test } = await stream(45, between)
    expect(findBreaches(watched.plain, { sequence: 0 })).toEqual([])
    expect(findBreaches(watched.lean, { sequence: 0 })).toEqual([])
    const fold = new SessionFold(test.sessionId, { usesSnapshots: false })
    for (const output of watched.lean) fold.apply(output)
    expect(fold.turns).toEqual(turns)
  })

  it('blade 156: with a large tool result sends it as rarely as the contract allows', async () => {
    const result = 'x'.repeat(200_000)
    const test = await startSession({ tools: [createFakeTool('big', { run: async () => ({ content: result }) })] })
    const watched = await watchSession(test.engine, test.user, test.sessionId)
    test.model.push([calls('c1', 'big'), finishes('tool-calls')], [says('done'), finishes()])
    await test.say('go')
    await test.untilRest()
    const timesIn = (outputs: readonly unknown[]): number => JSON.stringify(outputs).split(result).length - 1
    // Once in its patch, and in the call and in the block of the snapshot before the end and of the end.
    expect([timesIn(watched.plain), timesIn(watched.lean)]).toEqual([5, 3])
    const end = watched.plain.findIndex(({ event, payload }) => event === 'turn:end' && payload.tool_calls.length > 0)
    expect(watched.plain[end - 1]?.payload).toMatchObject({
      patch_type: 'set_status',
      data: { turn: { id: expect.any(String) } },
    })
    expect(findBreaches(watched.plain, { sequence: 0 })).toEqual([])
  })

  it('that is cancelled keeps its text', async () => {
    const test = await startSession()
    const watched = await watchSession(test.engine, test.user, test.sessionId)
    const step = Array.from({ length: 30 }, (_, index): FakeStep => [
      says(`${index} ${PIECE}`),
      () => test.clock.advance(50),
    ])
    test.model.push([...step.flat(), async () => void (await test.cancel()), says('never')])
    await test.say('go')
    await test.untilRest()
    expect(findBreaches(watched.lean, { sequence: 0 })).toEqual([])
    expect(watched.story()).toContain('turn:end assistant interrupted')
  })
})
