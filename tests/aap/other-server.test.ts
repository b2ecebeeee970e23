// A server of others, written from the published schema: the typed client works with it, and `polylogue check` runs to its end.
import { AapSession, TurnCutOff, createAapClient, defineClientTool, type AapVersion } from '@polylogue/client/aap'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { runPolylogue } from '../cli/run-polylogue.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { DOCUMENTED_KEY, startDocumentedServer, type DocumentedServer } from './documented/documented-server.ts'

describe.each([3, 1] satisfies AapVersion[])('a server of others, version %s', (version) => {
  let server: DocumentedServer
  beforeAll(async () => {
    server = await startDocumentedServer(version)
  })
  afterAll(() => server.stop())

  const connect = () =>
    createAapClient({ baseUrl: server.url, key: DOCUMENTED_KEY, version, reconnect: () => Promise.resolve() })

  const weather = defineClientTool({
    name: 'weather',
    description: 'Tells the weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
    run: ({ city }: { readonly city: string }) => `snow in ${city}`,
  })

  const open = (trust: boolean) =>
    AapSession.create(connect(), {
      agent: { name: 'documented', tools: [{ name: 'echo', trust }] },
      tools: [weather],
      onApproval: ({ name }) => name === 'echo',
    })

  it('aap 135: the client talks, runs its tools, answers approvals, and holds the same messages', async () => {
    for (const trust of [true, false]) {
      const session = await open(trust)
      const lines = ['think hm', 'say Hello there', 'call w1 weather {"city":"Oslo"}', 'call e1 echo {"msg":"hi"}']
      for await (const event of session.send(lines.join('\n'))) void event
      expect([session.stopReason, session.pending]).toEqual(['end_turn', []])
      expect(JSON.stringify(session.messages)).toContain('snow in Oslo')
      const local = session.messages
      await session.reload()
      expect(local).toEqual(session.messages)
      expect(await connect().session(session.id ?? '')).toMatchObject({ agent: { name: 'documented' } })
    }
  })

  it('aap 135: a stream without ids that is cut off is not sent again, and a reload brings the rest', async () => {
    const session = await open(true)
    for await (const event of session.send('say one')) void event
    server.cutNextAfter(2)
    const events: string[] = []
    const reading = (async () => {
      for await (const { event } of session.send('say two three')) events.push(event)
    })()
    await expect(reading).rejects.toThrow(TurnCutOff)
    expect(events).toEqual(['turn_start', 'text_delta'])
    await session.reload()
    const said = session.messages.filter(({ role }) => role === 'user').map(({ content }) => content)
    expect(said).toEqual(['say one', 'say two three'])
    expect(JSON.stringify(session.messages.at(-1))).toContain('two three')
  })

  it('the client lists and deletes sessions, and knows a missing one', async () => {
    const session = await open(true)
    for await (const event of session.send('say one')) void event
    const client = connect()
    const listed: string[] = []
    for await (const { sessionId } of client.sessions()) listed.push(sessionId)
    expect(listed).toContain(session.id)
    expect(await client.deleteSession(session.id ?? '')).toBe(true)
    expect(await client.session(session.id ?? '')).toBeUndefined()
  })

  it('polylogue check runs to the end and finds no required rule broken', async () => {
    const args = ['check', server.url, '--key', DOCUMENTED_KEY, '--required', '--json']
    const dir = await createTempDir()
    onTestFinished(() => dir.remove())
    const { stdout, code } = await runPolylogue(args, { cwd: dir.path })
    const { results } = JSON.parse(stdout) as { results: readonly { verdict: string; rule: string; reason?: string }[] }
    expect(results.filter(({ verdict }) => verdict === 'fail')).toEqual([])
    expect([code, results.filter(({ verdict }) => verdict === 'pass').length > 35]).toEqual([0, true])
  })
})
