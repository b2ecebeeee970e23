// An editor and an application of Blade on one session, each through a process of its own.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AcpSession, openAcpSession } from '../acp/support/acp-session.ts'
import type { AcpProcess } from '../acp/support/acp-process.ts'
import { type AcpWorld, createAcpWorld } from '../acp/support/acp-world.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { NEXT, call, script } from '../support/script.ts'
import { connectLive } from './live-client.ts'
import { type RestClient, createRestClient } from './rest-client.ts'

let world: AcpWorld
let server: ServerProcess
let acp: AcpProcess
let editor: AcpSession
let rest: RestClient

beforeAll(async () => {
  world = await createAcpWorld()
  server = await world.serve()
  acp = await world.start()
  editor = await openAcpSession(acp, world.workDir)
  rest = createRestClient(server)
})
afterAll(() => world.close())

const textsOf = async (id: string): Promise<readonly string[]> =>
  (await rest.messages(id)).map(({ blocks }) =>
    blocks.map(({ content }) => (typeof content === 'string' ? content : '')).join(''),
  )

describe('a session that began in an editor', () => {
  it('is complete in the messages: text, thoughts, calls with their results', async () => {
    await editor.prompt(script('think hm', 'say Looking.', call('e1', 'echo', { msg: 'back' }), NEXT, 'say Done.'))
    const turns = await rest.messages(editor.id)
    expect(turns.map(({ role, status }) => [role, status])).toEqual([
      ['user', 'completed'],
      ['assistant', 'completed'],
      ['assistant', 'completed'],
    ])
    expect(turns[1]?.blocks.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool_use', 'tool_result'])
    expect((await textsOf(editor.id)).at(-1)).toBe('Done.')
  })

  it('shows the editor what an application says, and its answer', async () => {
    const live = await connectLive({ url: server.url, token: server.key })
    await live.client.send(editor.id, 'say From the application.')
    await live.ends(1)
    await acp.frame((frame) => JSON.stringify(frame).includes('From the application.'), 'the answer')
    const kinds = acp.updates(editor.id).map(({ sessionUpdate }) => sessionUpdate)
    expect(kinds).toContain('user_message_chunk')
  })
})

describe('a session that an application began', () => {
  it('is loaded by the editor with all that was said', async () => {
    const live = await connectLive({ url: server.url, token: server.key })
    const id = await rest.create({ solution_id: 'scripted' })
    await live.client.send(id, script('say One.', call('a1', 'echo', { msg: 'x' }), NEXT, 'say Two.'))
    await live.ends(1)
    const listed = (await acp.request('session/list', {})) as {
      readonly sessions: readonly { readonly sessionId: string; readonly cwd: string }[]
    }
    const found = listed.sessions.find(({ sessionId }) => sessionId === id)
    await acp.request('session/load', { sessionId: id, cwd: found?.cwd, mcpServers: [] })
    const told = acp.updates(id).map((update) => JSON.stringify(update))
    expect(told.join('\n')).toMatch(/user_message_chunk.*One\..*tool_call.*a1.*Two\./s)
  })
})
