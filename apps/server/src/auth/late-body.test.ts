import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { createSession } from '../test-support/aap.ts'
import { askOwner, createKeyOf } from '../test-support/ask-owner.ts'
import { exchange } from '../test-support/exchange.ts'
import { startServer } from '../test-support/start-server.ts'

interface LateRequest {
  readonly method: string
  readonly path: string
  readonly body: unknown
}

const requestsOf = (sessionId: string): readonly LateRequest[] => {
  const agent = { name: 'scripted' }
  const messages = [{ role: 'user', content: 'say done' }]
  const post = (path: string, body: unknown): LateRequest => ({ method: 'POST', path, body })
  return [
    post('/api/polylogue/keys', { name: 'another' }),
    post('/api/polylogue/sessions', { agent: 'scripted' }),
    post('/api/polylogue/memory', { content: 'likes tea' }),
    post('/api/user/api-keys', { name: 'another' }),
    post('/api/sessions', {}),
    post('/api/memories', { content: 'likes tea' }),
    post('/aap/v3/sessions', { agent }),
    post(`/aap/v3/sessions/${sessionId}/turns`, { stream: 'none', messages }),
    { method: 'PUT', path: '/aap/v1/session', body: { agent, messages } },
  ]
}

/** Its head is with the server, which asks for the rest. Returns how to send that; what is answered is a status. */
async function begin(url: string, key: string, { method, path, body }: LateRequest): Promise<() => Promise<unknown>> {
  const payload = JSON.stringify(body)
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(payload),
    expect: '100-continue',
  }
  const outgoing = request(url + path, { method, headers, agent: false })
  const answered = once(outgoing, 'response').then(async ([response]: IncomingMessage[]) => {
    response?.resume()
    return response?.statusCode
  })
  outgoing.flushHeaders()
  await once(outgoing, 'continue')
  return () => {
    outgoing.end(payload)
    return answered
  }
}

it('S5: a request whose body comes after its key was revoked is refused like one with an unknown key', async () => {
  const server = await startServer()
  const anna = await createKeyOf('anna', server.dataDir)
  const other = await createKeyOf('anna', server.dataDir)
  const sessionId = await createSession(server.url, anna.key)
  const requests = requestsOf(sessionId)
  const begun = await Promise.all(requests.map((late) => begin(server.url, anna.key, late)))
  expect((await askOwner(server.dataDir, 'DELETE', `/api/polylogue/keys/${anna.id}`)).status).toBe(204)
  const statuses = await Promise.all(begun.map((finish) => finish()))
  expect(requests.map(({ path }, index) => `${path} ${statuses[index]}`)).toEqual(
    requests.map(({ path }) => `${path} 401`),
  )
  const read = async (path: string) =>
    (await exchange(server.url + path, { headers: { authorization: `Bearer ${other.key}` } })).body
  expect(await read('/api/polylogue/keys')).toEqual({ keys: [expect.objectContaining({ id: other.id })] })
  expect(await read('/aap/v3/sessions')).toEqual({ sessions: [expect.objectContaining({ sessionId })] })
  expect(await read(`/aap/v3/sessions/${sessionId}/history?type=full`)).toEqual({ history: { full: [] } })
  expect(await read('/api/polylogue/memory')).toEqual({ memories: [], total: 0 })
})
