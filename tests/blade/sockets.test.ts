// The Socket.IO half of the Blade door on a whole server: real clients, the doors beside it, and who may come in.
import { BladeClient, type BladeOutput, type ChatEnd, type TurnProjection } from '@polylogue/blade'
import { rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { io } from 'socket.io-client'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { type RestClient, createRestClient } from './rest-client.ts'

let server: TestServer
let rest: RestClient

beforeAll(async () => {
  server = await startTestServer({ allowOrigins: ['https://app.example'] })
  rest = createRestClient(server)
})
afterAll(() => server.stop())

interface Told {
  readonly client: BladeClient
  readonly told: readonly BladeOutput[]
  /** The next end of a run. */
  ended(): Promise<ChatEnd>
}

async function connect(options: Partial<ConstructorParameters<typeof BladeClient>[1]> = {}): Promise<Told> {
  const client = new BladeClient(io, { url: server.url, token: server.key, ...options })
  onTestFinished(() => client.close())
  const told: BladeOutput[] = []
  client.listen((output) => void told.push(output))
  await client.connect()
  return {
    client,
    told,
    ended() {
      const { promise, resolve } = Promise.withResolvers<ChatEnd>()
      const stop = client.listen((output) => {
        if (output.event !== 'chat:end') return
        stop()
        resolve(output.payload)
      })
      return promise
    },
  }
}

const createSession = async (body: object = { solution_id: 'scripted' }): Promise<string> =>
  (await rest.send<{ session_id: string }>('POST', '/sessions', body)).body.session_id
const messagesOf = async (id: string): Promise<readonly TurnProjection[]> =>
  (await rest.send<readonly TurnProjection[]>('GET', `/sessions/${id}/messages`)).body
/** `turn:end` says a little more than the messages. */
const withoutExtras = (turns: readonly TurnProjection[]): readonly object[] =>
  turns.map((turn) => {
    const {
      solution_id: _solution,
      template_id: _template,
      ...rest
    } = { solution_id: null, template_id: null, ...turn }
    return rest
  })
const textsOf = (turns: readonly TurnProjection[]): readonly string[] =>
  turns.map(({ blocks }) => blocks.map(({ content }) => (typeof content === 'string' ? content : '')).join(''))

describe.each(['websocket', 'polling'] as const)('over %s', (transport) => {
  it('blade 29: a whole chat is sent, folded and stored', async () => {
    const { client, told, ended } = await connect({ transports: [transport] })
    const id = await createSession()
    await client.subscribe(id)
    const end = ended()
    expect(await client.send(id, 'say Hello there\ncall c1 echo {"msg":"back"}')).toMatchObject({ status: 'ok' })
    expect(await end).toMatchObject({ status: 'completed', finish_reason: 'completed' })
    const turns = await messagesOf(id)
    expect(textsOf(turns).slice(-1)).toEqual(['RESULTS 1: back'])
    expect(withoutExtras(client.state(id).turns)).toEqual(turns)
    expect(told.find(({ event }) => !event.startsWith('session:'))).toMatchObject({ event: 'chat:start' })
  })
})

describe('beside another door', () => {
  it('a turn that began in another door is shown, and is complete in the messages', async () => {
    const { client, ended } = await connect()
    const { body } = await server.client(V3).create({ agent: { name: 'scripted' } })
    const id = body.sessionId
    await client.subscribe(id)
    const end = ended()
    await server.client(V3).turn(id, { messages: [{ role: 'user', content: 'think hm\nsay Hi' }] })
    expect(await end).toMatchObject({ status: 'completed' })
    const turns = await messagesOf(id)
    expect(textsOf(turns)).toEqual(['think hm\nsay Hi', 'hmHi'])
    expect(withoutExtras(client.state(id).turns)).toEqual(turns)
  })

  it('aap 110b: a session that began here is listed by AAP, with its tools and complete history, and takes a turn', async () => {
    const { client, ended } = await connect()
    const id = await createSession()
    const end = ended()
    await client.send(id, 'say From here')
    await end
    const aap = server.client(V3)
    expect(JSON.stringify(await aap.history(id, 'full'))).toContain('From here')
    expect((await aap.list()).body.sessions).toContainEqual(expect.objectContaining({ sessionId: id }))
    const { body: shown } = await aap.get(id)
    expect(shown.agent).toMatchObject({ name: 'scripted', tools: expect.arrayContaining([{ name: 'echo' }]) })
    const turn = await aap.turn(id, { messages: [{ role: 'user', content: 'say From there' }] })
    expect([turn.status, turn.body.stopReason]).toEqual([200, 'end_turn'])
    expect(textsOf(await messagesOf(id))).toEqual(['say From here', 'From here', 'say From there', 'From there'])
  })
})

describe('the list of sessions', () => {
  it('gets changes of sessions that are not watched, and only its owner does', async () => {
    const { client } = await connect()
    const other = await connect({ token: await server.createKey('grace') })
    const id = await createSession()
    const told = new Promise((resolve) => client.socket.once('session:updated', resolve))
    await rest.send('PATCH', `/sessions/${id}/pin`, { pinned: true })
    expect(await told).toEqual({ session_id: id, is_pinned: true })
    expect(other.told).toEqual([])
  })
})

describe('the live list', () => {
  type Listed = Extract<BladeOutput, { event: 'session:created' | 'session:updated' | 'session:deleted' }>

  /** What a socket that has subscribed to nothing hears of one session. */
  async function watchList(): Promise<{
    readonly heard: (id: string) => readonly Listed[]
    until(id: string, isSo: (heard: readonly Listed[]) => boolean): Promise<void>
    readonly told: readonly BladeOutput[]
  }> {
    const { client, told } = await connect()
    const heard = (id: string): readonly Listed[] =>
      told.filter((output): output is Listed => output.event.startsWith('session:') && output.payload.session_id === id)
    return {
      heard,
      told,
      async until(id, isSo) {
        const { promise, resolve } = Promise.withResolvers<void>()
        const check = (): void => {
          if (isSo(heard(id))) resolve()
        }
        const stop = client.listen(check)
        check()
        await promise
        stop()
      },
    }
  }
  const statusesIn = (heard: readonly Listed[]): readonly string[] =>
    heard.flatMap(({ event, payload }) => (event === 'session:deleted' ? [event] : (payload.status ?? [])))

  it('blade 152: receives the events of a session that REST creates, a socket runs and REST deletes', async () => {
    const list = await watchList()
    const other = await connect({ token: await server.createKey('grace') })
    const id = await createSession({ solution_id: 'scripted', intent: 'Listed' })
    await list.until(id, (heard) => heard.length === 1)
    expect(list.heard(id)[0]).toMatchObject({
      event: 'session:created',
      payload: { session_id: id, id, intent: 'Listed', status: 'created', queue: 0, user_id: 'local' },
    })
    const { client } = await connect()
    await client.send(id, 'sleep 200\nsay done')
    await client.send(id, 'say more')
    await list.until(id, (heard) => statusesIn(heard).at(-1) === 'completed')
    const queues = list.heard(id).flatMap(({ event, payload }) => (event === 'session:updated' ? [payload.queue] : []))
    expect(statusesIn(list.heard(id))).toContain('running')
    expect([queues.includes(1), queues.at(-1)]).toEqual([true, 0])
    const gone = new Promise((resolve) => client.socket.once('session:deleted', resolve))
    await rest.send('DELETE', `/sessions/${id}`)
    expect(await gone).toEqual({ session_id: id })
    await list.until(id, (heard) => heard.at(-1)?.event === 'session:deleted')
    expect(list.heard(id).filter(({ event }) => event === 'session:deleted')).toHaveLength(1)
    expect(list.told.filter(({ event }) => !event.startsWith('session:'))).toEqual([])
    expect(other.told).toEqual([])
  })

  it('blade 152: receives the events of a session that another door creates, runs and deletes', async () => {
    const list = await watchList()
    const aap = server.client(V3)
    const { body } = await aap.create({ agent: { name: 'scripted' } })
    const id = body.sessionId
    await list.until(id, (heard) => heard.some(({ event }) => event === 'session:created'))
    await aap.turn(id, { messages: [{ role: 'user', content: 'say Hi' }] })
    await list.until(id, (heard) => statusesIn(heard).at(-1) === 'completed')
    expect(list.heard(id).at(-1)).toMatchObject({ payload: { intent: 'say Hi' } })
    await aap.remove(id)
    await list.until(id, (heard) => heard.at(-1)?.event === 'session:deleted')
  })

  it('reports a waiting session that is stopped', async () => {
    const list = await watchList()
    const id = await createSession()
    const question = { questions: [{ question: 'Which?', options: [{ label: 'This' }] }] }
    const { client } = await connect()
    await client.send(id, `call q1 AskUserQuestion ${JSON.stringify(question)}`)
    await list.until(id, (heard) => statusesIn(heard).at(-1) === 'waiting_for_input')
    await client.stop(id)
    await list.until(id, (heard) => statusesIn(heard).at(-1) === 'interrupted')
  })

  it('blade 153: notifies guests of a shared session that it was deleted', async () => {
    const id = await createSession()
    await rest.send('PATCH', `/sessions/${id}/sharing`, { shared: true })
    const guest = await connect({ token: await server.createKey('grace') })
    await guest.client.subscribe(id)
    const gone = new Promise((resolve) => guest.client.socket.once('session:deleted', resolve))
    await rest.send('DELETE', `/sessions/${id}`)
    expect(await gone).toEqual({ session_id: id })
  })
})

describe('attachments of a message', () => {
  it('is kept in the workspace, where tools read it', async () => {
    const { client, ended } = await connect()
    const id = await createSession()
    const end = ended()
    const file = { type: 'file', name: '../notes.md', data: Buffer.from('buy milk').toString('base64') } as const
    const script = { type: 'text', text: 'call r1 Read {"path":"uploads/notes.md"}' } as const
    expect(await client.send(id, [script, file])).toMatchObject({ status: 'ok' })
    await end
    expect(textsOf(await messagesOf(id)).join('\n')).toContain('buy milk')
  })
})

describe('what a user sent', () => {
  const PNG = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )

  async function sendBoth(): Promise<{ readonly id: string; readonly urls: readonly string[] }> {
    const { client, ended } = await connect()
    const id = await createSession()
    const end = ended()
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG.toString('base64')}` } } as const
    const file = { type: 'file', name: 'notes.md', data: Buffer.from('buy milk').toString('base64') } as const
    expect(await client.send(id, [image, file])).toMatchObject({ status: 'ok' })
    await end
    const [said] = await messagesOf(id)
    expect(said?.blocks).toMatchObject([{ type: 'text', content: '[image] [file: notes.md]' }])
    return { id, urls: (said?.attachments ?? []).map(({ url }) => url ?? '') }
  }

  const fetchAs = async (key: string, url: string): Promise<readonly [number, Buffer]> => {
    const answer = await fetch(server.url + url, { headers: { authorization: `Bearer ${key}` } })
    return [answer.status, Buffer.from(await answer.arrayBuffer())]
  }

  it('blade 154: is fetched at its own address by the owner, and by guests once the session is shared', async () => {
    const { id, urls } = await sendBoth()
    const guest = await server.createKey('grace')
    const contents = [PNG, Buffer.from('buy milk')]
    for (const [index, url] of urls.entries()) {
      expect(await fetchAs(server.key, url)).toEqual([200, contents[index]])
      expect((await fetchAs(guest, url))[0]).toBe(404)
    }
    await rest.send('PATCH', `/sessions/${id}/sharing`, { shared: true })
    for (const [index, url] of urls.entries()) expect(await fetchAs(guest, url)).toEqual([200, contents[index]])
  })

  it('is not read through a link that the agent put in its place', async () => {
    const { id, urls } = await sendBoth()
    const uploads = join(server.dataDir, 'workspaces', id, 'uploads')
    const secret = join(server.dataDir, 'local.key')
    await rm(join(uploads, 'notes.md'))
    await symlink(secret, join(uploads, 'notes.md'))
    expect((await fetchAs(server.key, urls[1] ?? ''))[0]).toBe(404)
  })
})

describe('authentication', () => {
  const refused = (options: Partial<ConstructorParameters<typeof BladeClient>[1]>) =>
    connect(options).then(
      () => 'connected',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )

  it.each(['websocket', 'polling'] as const)('blade 28: rejects a wrong key, over %s', async (transport) => {
    expect(await refused({ token: 'sk-blade-v2-wrong', transports: [transport] })).toBe('unauthorized')
    expect(await refused({ token: '', transports: [transport] })).toBe('unauthorized')
  })

  it.each(['websocket', 'polling'] as const)('no page of a foreign origin, over %s', async (transport) => {
    const from = (origin: string) => refused({ headers: { origin }, transports: [transport] })
    expect(await from('https://evil.example')).not.toBe('connected')
    expect(await from('https://app.example')).toBe('connected')
  })

  it('rejects requests for another host name', async () => {
    expect(await refused({ headers: { host: 'evil.example' }, transports: ['websocket'] })).not.toBe('connected')
  })

  it('blade 150: a key that is revoked ends its sockets and opens no other', async () => {
    const { body } = await rest.send<{ plaintext: string; id: string }>('POST', '/user/api-keys/', { name: 'x' })
    const { client } = await connect({ token: body.plaintext })
    const gone = new Promise((resolve) => client.socket.once('disconnect', resolve))
    await rest.send('DELETE', `/user/api-keys/${body.id}`)
    await gone
    expect(await refused({ token: body.plaintext })).toBe('unauthorized')
  })

  it('another user receives nothing of a session, and can only read a shared one', async () => {
    const id = await createSession()
    const other = await connect({ token: await server.createKey('grace') })
    expect(await other.client.subscribe(id)).toMatchObject({ status: 'error', code: 'session_not_found' })
    expect(await other.client.send(id, 'say hi')).toMatchObject({ status: 'error', code: 'session_not_found' })
    await rest.send('PATCH', `/sessions/${id}/sharing`, { shared: true })
    expect(await other.client.subscribe(id)).toMatchObject({ status: 'ok' })
    expect(await other.client.send(id, 'say hi')).toMatchObject({ status: 'error', code: 'forbidden' })
    const { client, ended } = await connect()
    const ends = [ended(), other.ended()]
    await client.send(id, 'say hi')
    expect(await Promise.all(ends)).toMatchObject([{ status: 'completed' }, { status: 'completed' }])
  })
})
