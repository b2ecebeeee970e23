import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NEXT, call, script, shownToolNames } from '../support/script.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { grant, openToolSession } from './tool-session.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ configFile: fileURLToPath(new URL('cards.config.ts', import.meta.url)) })
})
afterAll(() => server.stop())

describe('modes', () => {
  const writing = (id: string) => call(id, 'Write', { path: `${id}.txt`, content: id })

  it('plan offers Bash, reading and asking, and neither Write nor Edit', async () => {
    const session = await openToolSession(server, { agent: 'worker', preset: 'plan' })
    const { messages } = await session.turn('show tools')
    expect(shownToolNames(messages).toSorted()).toEqual(
      ['Agent', 'AskUserQuestion', 'Bash', 'Glob', 'Grep', 'Read', 'WebFetch', 'weather'].toSorted(),
    )
    await session.turn(
      script(writing('w'), call('safe', 'Bash', { command: 'ls' }), call('touch', 'Bash', { command: 'touch x' })),
    )
    expect([...(await session.calls())].map(([id, { status }]) => [id, status])).toEqual([
      ['w', 'denied'],
      ['safe', 'completed'],
      ['touch', 'denied'],
    ])
  })

  it('read-only offers what reads and asks', async () => {
    const session = await openToolSession(server, { agent: 'worker', preset: 'read-only' })
    const { messages } = await session.turn('show tools')
    expect(shownToolNames(messages).toSorted()).toEqual(
      ['AskUserQuestion', 'Glob', 'Grep', 'Read', 'WebFetch', 'weather'].toSorted(),
    )
  })

  it('planning ends with the mode that was there before it', async () => {
    const session = await openToolSession(server, { preset: 'full-access' })
    await session.change({ planning: true })
    await session.turn(script(writing('planned')))
    await session.change({ planning: false })
    await session.turn(script(call('executed', 'Bash', { command: 'touch executed' })))
    expect(await session.callOf('planned')).toMatchObject({ status: 'denied', runs: 0 })
    expect(await session.callOf('executed')).toMatchObject({ status: 'completed', asked: [] })
  })

  it('hold from the next call on when they change in the middle of a turn', async () => {
    const session = await openToolSession(server)
    const stream = await session.stream(
      'message',
      script(
        writing('before'),
        NEXT,
        call('pause', 'AskUserQuestion', { questions: [{ question: 'Go on?' }] }),
        NEXT,
        writing('after'),
        NEXT,
        'show tools',
      ),
    )
    await stream.finished()
    await session.change({ preset: 'read-only' })
    const { messages } = await session.turn([{ role: 'tool', toolCallId: 'pause', content: 'Yes' }])
    expect(await session.callOf('before')).toMatchObject({ status: 'completed' })
    expect(await session.callOf('after')).toMatchObject({
      status: 'denied',
      output: 'Error: the tool Write is not allowed in mode read-only',
    })
    expect(shownToolNames(messages.slice(-1))).not.toContain('Write')
  })

  it('hold for a call that was granted under another one: it is judged again before it runs', async () => {
    const session = await openToolSession(server)
    await session.turn(script(call('t', 'Bash', { command: 'touch t' })))
    await session.change({ preset: 'read-only' })
    await session.turn([grant('t')])
    expect(await session.callOf('t')).toMatchObject({ status: 'denied', runs: 0 })
  })

  it('of a milder sort do not answer the question that waits', async () => {
    const session = await openToolSession(server)
    await session.turn(script(call('t', 'Bash', { command: 'touch t' })))
    await session.change({ preset: 'full-access' })
    expect(await session.callOf('t')).toMatchObject({ asked: ['mode-preset:Bash'], answers: [], runs: 0 })
    await session.turn([grant('t')])
    expect(await session.callOf('t')).toMatchObject({ status: 'completed', runs: 1 })
  })
})

describe('a mode above the ceiling', () => {
  it('is nothing that another user than local can give', async () => {
    const key = await server.createKey('guest')
    const guest = { ...server, url: server.url, key, client: server.client }
    await expect(openToolSession(guest, { preset: 'full-access' })).rejects.toThrow('403')
    const session = await openToolSession(guest)
    await expect(session.change({ preset: 'full-access' })).rejects.toThrow('403')
  })
})
