import { calls, createFakeTool, finishes, restart, says, startSession } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import type { Surroundings } from '../index.ts'

/** A place whose description is the list's newest text; `asked` holds the fingerprints that it was asked with. */
function placeWith(...texts: string[]) {
  const asked: (string | undefined)[] = []
  const describePlace: Surroundings['describe'] = async (_place, known) => {
    asked.push(known)
    const text = texts.at(-1) ?? ''
    return known === text ? undefined : { fingerprint: text, text: `You work in ${text}.`, sources: [] }
  }
  return { surroundings: { describe: describePlace }, asked, texts }
}

describe('the place where a session works', () => {
  it('is described once per turn, recorded, and part of the system prompt', async () => {
    const { surroundings, asked } = placeWith('/app')
    const test = await startSession({ surroundings, tools: [createFakeTool('look')] })
    test.model.push([calls('a', 'look'), finishes('tool-calls')], [says('done'), finishes()])
    await test.say('go')
    await test.untilRest()
    expect(asked).toEqual([undefined])
    expect(test.model.requests.map(({ system }) => system)).toEqual([
      'Test.\n\nYou work in /app.',
      'Test.\n\nYou work in /app.',
    ])
    expect((await test.events()).find(({ type }) => type === 'surroundings.noted')).toMatchObject({
      fingerprint: '/app',
      text: 'You work in /app.',
      sources: [],
    })
  })

  it('is recorded again only when it has changed, and the newest description holds', async () => {
    const { surroundings, texts, asked } = placeWith('/app')
    const test = await startSession({ surroundings })
    for (const text of ['/app', '/app', '/lib']) {
      texts.push(text)
      await test.say('go')
      await test.untilRest()
    }
    expect(asked).toEqual([undefined, '/app', '/app'])
    expect((await test.types()).filter((type) => type === 'surroundings.noted')).toHaveLength(2)
    expect(test.model.requests.map(({ system }) => system.slice(7))).toEqual([
      'You work in /app.',
      'You work in /app.',
      'You work in /lib.',
    ])
  })

  it('is the same after a crash, without another look', async () => {
    const first = await startSession({ ...placeWith('/app') })
    first.model.push([() => new Promise(() => undefined)])
    void first.say('go')
    await expect.poll(async () => (await first.types()).includes('step.started')).toBe(true)
    const { surroundings, asked } = placeWith('/elsewhere')
    const second = await restart(first, { surroundings })
    await second.untilRest()
    expect(asked).toEqual([])
    expect(second.model.requests.map(({ system }) => system)).toEqual(['Test.\n\nYou work in /app.'])
  })

  it('that cannot be described costs no turn', async () => {
    const test = await startSession({ surroundings: { describe: () => Promise.reject(new Error('disk')) } })
    await test.say('go')
    await test.untilRest()
    expect((await test.view()).lastOutcome).toBe('finished')
    expect(test.model.requests.map(({ system }) => system)).toEqual(['Test.'])
    expect(test.logged).toMatchObject([{ level: 'warn' }])
  })
})
