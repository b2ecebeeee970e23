import { finishes, hangs, says } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { usingRest } from './test-support/using-rest.ts'

const sessions = usingRest()
const { open, create, run } = sessions

describe('what was said', () => {
  it('blade 44: comes as turns in order, numbered from 0', async () => {
    await open()
    const id = await create()
    sessions.rest.model.push([says('Hello'), finishes()])
    await run(id, 'hi')
    const { status, body } = await sessions.rest.send('GET', `/api/sessions/${id}/messages`)
    expect(status).toBe(200)
    expect(body).toMatchObject([
      { sequence: 0, role: 'user', status: 'completed', blocks: [{ type: 'text', content: 'hi' }] },
      { sequence: 1, role: 'assistant', status: 'completed', blocks: [{ type: 'text', content: 'Hello' }] },
    ])
  })

  it('blade 106: is not compacted while the session runs', async () => {
    await open()
    const id = await create()
    sessions.rest.model.push([says('a'), hangs])
    await sessions.rest.say(id, 'go')
    await sessions.rest.untilRecorded(id, ({ event }) => event.type === 'step.started')
    const { status, body } = await sessions.rest.send('POST', `/api/sessions/${id}/compact`)
    expect([status, typeof body.detail]).toEqual([409, 'string'])
  })

  it('blade 107: is not compacted where there is next to nothing', async () => {
    await open()
    const { status, body } = await sessions.rest.send('POST', `/api/sessions/${await create()}/compact`)
    expect([status, typeof body.detail]).toEqual([409, 'string'])
  })

  it('blade 103: is compacted on request, and the answer is the turn that reports it', async () => {
    await open()
    const id = await create()
    for (const text of ['one', 'two', 'three']) {
      sessions.rest.model.push([says(`${text} `.repeat(2_000)), finishes()])
      await run(id, text)
    }
    sessions.rest.model.push([says('In short.'), finishes()])
    const { status, body } = await sessions.rest.send('POST', `/api/sessions/${id}/compact`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: 'ok',
      turn: { kind: 'compaction', role: 'system', status: 'completed', trigger: 'manual' },
    })
    const messages = (await sessions.rest.send('GET', `/api/sessions/${id}/messages`)).body
    expect(messages.at(-1)).toEqual(body.turn)
    expect(messages).toHaveLength(7)
  })

  it('says so when a summary is no shorter than what was said', async () => {
    await open()
    const id = await create()
    for (const text of ['one', 'two', 'three']) {
      sessions.rest.model.push([says(text), finishes()])
      await run(id, text)
    }
    sessions.rest.model.push([says('a long summary '.repeat(100)), finishes()])
    const { status, body } = await sessions.rest.send('POST', `/api/sessions/${id}/compact`)
    expect([status, body]).toEqual([409, { detail: expect.stringMatching(/not shorter than/) }])
  })

  it('says so when no summary came of it', async () => {
    await open()
    const id = await create()
    for (const text of ['one', 'two', 'three']) {
      sessions.rest.model.push([says(`${text} `.repeat(2_000)), finishes()])
      await run(id, text)
    }
    const failed = { type: 'failed', error: { code: 'model-error', message: 'no' } } as const
    sessions.rest.model.push([failed], [failed], [failed])
    const { status, body } = await sessions.rest.send('POST', `/api/sessions/${id}/compact`)
    expect([status, body]).toEqual([502, { detail: expect.stringMatching(/^The session was not compacted: /) }])
  })
})
