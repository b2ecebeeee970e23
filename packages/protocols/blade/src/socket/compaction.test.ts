import { createFakeModel, finishes, hangs, says, type FakeStep } from '@polylogue/testkit'
import type { ModelOutput } from '@polylogue/engine'
import { describe, expect, it } from 'vitest'
import { findBreaches } from '../test-support/find-breaches.ts'
import { openTestDoor } from '../test-support/open-test-door.ts'

const LONG = 'word '.repeat(200)
/** About 290 tokens each by length. */
const long = (name: string): FakeStep => [says(`${name} ${LONG}`), finishes()]
const SUMMARY: FakeStep = [says('All of it.'), finishes()]
const TOO_LONG: ModelOutput = { type: 'failed', error: { code: 'context-too-long', message: 'Too long.' } }
const DOWN: ModelOutput = { type: 'failed', error: { code: 'down', message: 'The model is down.' } }

/** A fake provider counts nothing, so everything is estimated. */
function createCountlessModel(...steps: readonly FakeStep[]) {
  const fake = createFakeModel(...steps)
  return {
    ...fake,
    async *stream(...args: Parameters<typeof fake.stream>) {
      for await (const output of fake.stream(...args))
        yield output.type === 'finished' ? { ...output, usage: { inputTokens: 0, outputTokens: 0 } } : output
    },
  }
}

async function talk(steps: readonly FakeStep[], says: readonly string[], contextWindow?: number) {
  const model = createCountlessModel(...steps)
  const door = await openTestDoor({ model, ...(contextWindow !== undefined && { contextWindow }) })
  const sessionId = await door.session()
  const client = await door.client({ isLean: false })
  await client.subscribe(sessionId)
  for (const message of says) await client.say(sessionId, message)
  const compactions = () => client.of('turn:end').filter(({ kind }) => kind === 'compaction')
  return { door, client, sessionId, compactions }
}

const EIGHT_FIELDS = {
  compaction_id: expect.stringMatching(/^entry_/),
  summary_preview: 'All of it.',
  summary_full: 'All of it.',
  archived_count: expect.any(Number),
  tokens_before: expect.any(Number),
  tokens_after: expect.any(Number),
  saved_ratio: expect.any(Number),
}

describe('a compaction', () => {
  it('blade 102: that was asked for is acknowledged when its turn has ended', async () => {
    const { client, sessionId } = await talk([long('one'), long('two'), SUMMARY], ['a', 'b'])
    await client.until('session:updated')
    const before = client.told.length
    const acked = client.compact(sessionId).then((ack) => ({ ack, story: client.story().slice(before) }))
    expect(await acked).toEqual({
      ack: { status: 'ok' },
      story: ['turn:start system compaction streaming', 'set_status completed', 'turn:end system compaction completed'],
    })
    expect(findBreaches(client.told, { sequence: 0 })).toEqual([])
  })

  it('blade 103: reports what it saved', async () => {
    const { client, sessionId, compactions } = await talk([long('one'), long('two'), SUMMARY], ['a', 'b'])
    await client.compact(sessionId)
    const [turn] = compactions()
    expect(turn).toMatchObject({ kind: 'compaction', role: 'system', blocks: [], trigger: 'manual', ...EIGHT_FIELDS })
    expect(turn?.archived_count).toBeGreaterThan(1)
    expect(turn?.archived_count).toBeLessThanOrEqual(4)
    const { tokens_before: before, tokens_after: after, saved_ratio: ratio } = turn ?? {}
    expect(ratio).toBeCloseTo(1 - (after ?? 0) / (before ?? 1))
    expect(ratio).toBeGreaterThan(0)
    expect(ratio).toBeLessThanOrEqual(1)
  })

  it('blade 104: happens by itself inside a run when the context grows too large', async () => {
    const steps = [long('one'), long('two'), long('three'), SUMMARY]
    const { client, compactions } = await talk(steps, ['a', 'b', 'c', 'd'], 1_000)
    expect(compactions()).toMatchObject([{ trigger: 'auto', status: 'completed', ...EIGHT_FIELDS }])
    const story = client.story()
    const at = story.indexOf('turn:start system compaction streaming')
    expect(at).toBeGreaterThan(story.lastIndexOf('chat:start'))
    expect(at).toBeLessThan(story.lastIndexOf('turn:start assistant streaming'))
    expect(findBreaches(client.told, { sequence: 0 })).toEqual([])
  })

  it('blade 105: is forced by a provider that finds the context too long, and the model is asked once more', async () => {
    const steps = [long('one'), long('two'), [TOO_LONG], SUMMARY, [says('so it fits'), finishes()]]
    const { client, compactions } = await talk(steps, ['a', 'b', 'c'])
    expect(compactions()).toMatchObject([{ trigger: 'forced_retry', status: 'completed' }])
    expect(client.of('turn:end').at(-1)?.blocks).toMatchObject([{ content: 'so it fits' }])
    expect(client.of('chat:end').at(-1)).toMatchObject({ status: 'completed' })
    expect(client.of('system:notification')).toMatchObject([{ notification_type: 'context_too_long' }])
    expect(findBreaches(client.told, { sequence: 0 })).toEqual([])
  })

  it('blade 106: of a session that runs is refused', async () => {
    const { client, sessionId } = await talk([long('one'), [says('x'), hangs]], ['a'])
    await client.send(sessionId, 'b')
    expect(await client.compact(sessionId)).toMatchObject({ status: 'error', code: 'session_busy' })
  })

  it('blade 107: of a session in which nothing was said is refused', async () => {
    const { client, sessionId } = await talk([], [])
    expect(await client.compact(sessionId)).toMatchObject({ status: 'error', code: 'nothing_to_compact' })
  })

  it('blade 108: leaves the turns before it, while the model reads the summary instead', async () => {
    const { client, door, sessionId } = await talk([long('one'), long('two'), SUMMARY], ['a', 'b'])
    await client.compact(sessionId)
    await client.say(sessionId, 'c')
    const turns = await door.messages(sessionId)
    expect(turns.map(({ kind, role }) => `${kind} ${role}`)).toEqual([
      'message user',
      'message assistant',
      'message user',
      'message assistant',
      'compaction system',
      'message user',
      'message assistant',
    ])
    expect(client.state(sessionId).turns).toEqual(turns)
    const asked = JSON.stringify(door.model.requests.at(-1)?.messages)
    expect(asked).toContain('All of it.')
    expect(asked).not.toContain('one word')
  })

  it('that fails says why, and a run continues without it', async () => {
    const steps = [long('one'), long('two'), long('three'), [DOWN]]
    const { client, compactions } = await talk(steps, ['a', 'b', 'c', 'd'], 1_000)
    expect(compactions()).toMatchObject([{ status: 'failed', failure_reason: 'The model is down.' }])
    expect(client.of('system:notification')).toMatchObject([{ notification_type: 'compaction_failed' }])
    expect(client.of('chat:end').at(-1)).toMatchObject({ status: 'completed' })
    expect(findBreaches(client.told, { sequence: 0 })).toEqual([])
  })

  it('that was asked for and fails is refused', async () => {
    const { client, sessionId } = await talk([long('one'), long('two'), [DOWN]], ['a', 'b'])
    expect(await client.compact(sessionId)).toMatchObject({
      status: 'error',
      code: 'compaction_failed',
      message: 'The model is down.',
    })
  })
})
