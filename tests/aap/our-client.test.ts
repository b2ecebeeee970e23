import { AapSession, createAapClient, defineClientTool, type AapClient, type AapVersion } from '@polylogue/aap/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NEXT, call, script } from '../support/script.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const weather = defineClientTool({
  name: 'weather',
  description: 'Tells the weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  run: ({ city }: { readonly city: string }) => `snow in ${city}`,
})

async function play(events: AsyncIterable<{ readonly event: string }>): Promise<readonly string[]> {
  const names: string[] = []
  for await (const { event } of events) names.push(event)
  return names
}

describe.each([3, 1] satisfies AapVersion[])('our client against our server, version %s', (version) => {
  const connect = (): AapClient =>
    createAapClient({ baseUrl: `${server.url}/aap/v${version}`, key: server.key, version })

  it('aap 135: talks, runs its tools, and holds the same messages as the server', async () => {
    const client = connect()
    const session = await AapSession.create(client, {
      agent: { name: 'scripted', tools: [{ name: 'echo', trust: true }, { name: 'slow' }] },
      tools: [weather],
      onApproval: ({ name }) => name === 'slow',
    })
    await play(
      session.send(
        script(
          'think first',
          'say Both',
          call('w1', 'weather', { city: 'Oslo' }),
          call('e1', 'echo', { msg: 'hi' }),
          call('s1', 'slow', { ms: 1 }),
          NEXT,
          'say done',
        ),
      ),
    )
    expect(session.stopReason).toBe('end_turn')
    expect(session.pending).toEqual([])
    const local = session.messages
    await session.reload()
    expect(sorted(local)).toEqual(sorted(session.messages))
  })

  it('aap 132: finds calls that wait in a session it did not begin, and answers them', async () => {
    const client = connect()
    // Left in the middle: the call waits on the server.
    const lazy = await AapSession.create(client, { agent: { name: 'scripted' }, tools: [{ ...weather, run: never }] })
    const events = lazy.send(script(call('w9', 'weather', { city: 'Rome' }), NEXT, 'say thanks'))
    for await (const { event } of events) if (event === 'turn_stop') break
    const again = await AapSession.load(client, lazy.id ?? '', { tools: [weather] })
    expect(again.pending.map(({ toolCallId }) => toolCallId)).toEqual(['w9'])
    expect(await play(again.resume())).toContain('turn_stop')
    expect(again.stopReason).toBe('end_turn')
    expect(again.pending).toEqual([])
  })

  it('lists its sessions and deletes them', async () => {
    const client = connect()
    const session = await AapSession.create(client, { agent: { name: 'scripted' } })
    await play(session.send('say hello'))
    const ids: string[] = []
    for await (const { sessionId } of client.sessions()) ids.push(sessionId)
    expect(ids).toContain(session.id)
    expect(await client.deleteSession(session.id ?? '')).toBe(true)
    expect(await client.session(session.id ?? '')).toBeUndefined()
  })
})

const never = (): Promise<never> => new Promise(() => {})

/** Results of calls that ran side by side may be recorded in another order than they were sent. */
function sorted(messages: readonly { readonly role: string; readonly toolCallId?: string }[]): readonly string[] {
  return messages.map((message) => JSON.stringify(message)).toSorted()
}
