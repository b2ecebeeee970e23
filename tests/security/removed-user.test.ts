// Everything that a user has open when an admin removes the user, at every door, over real sockets.
import { BladeClient } from '@polylogue/blade'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { io } from 'socket.io-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readMetric } from '../streams/support/read-metric.ts'
import { V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import { eventually } from '../support/eventually.ts'
import { askOwner } from '../support/owner-socket.ts'
import { call, script } from '../support/script.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'

const AAP = '/aap/v3'
const OWN = '/api/polylogue'
/** Ten times what the promise says: other tests run beside this one. */
const AT_ONCE_MS = 20_000
const LONG = Array.from({ length: 10 }, () => 'sleep 60000').join('\n')

let dir: TempDir
let server: ServerProcess
beforeAll(async () => {
  dir = await createTempDir()
  const folder = join(dir.path, 'folder')
  await mkdir(folder)
  await writeFile(join(dir.path, 'polylogue.config.json'), JSON.stringify({ acp: { roots: { gone: [folder] } } }))
  server = await startServerProcess({ dataDir: join(dir.path, 'data'), startDir: dir.path })
})
afterAll(async () => {
  await server.stop()
  await dir.remove()
})

/** What is open, by name, and when it ends. */
type Open = ReadonlyMap<string, Promise<unknown>>

it('ends at once: streams, sockets, editors, browsers and running turns', async () => {
  const key = await server.createKey('gone')
  const cookie = await signIn('gone')
  const open = new Map<string, Promise<unknown>>([
    ['a turn that streams', streamed('POST', await turnPath(key), { key }, turnBody('delta'))],
    ['a turn that answers as a whole', streamed('POST', await turnPath(key), { key }, turnBody('none'))],
    ['a followed AAP session', streamed('GET', `${await busySession(key)}/events?after=0`, { key })],
    ['the console following a log', streamed('GET', await consolePath(key, 'events?follow=1'), { key })],
    ['a browser following a log', streamed('GET', await consolePath(key, 'events?follow=1'), { cookie })],
    ['a Blade socket', (await bladeSocket(key)).ended],
    ['an editor', (await editor(key)).ended],
  ])
  await waitingCall(key)
  await eventually(
    async () => ((await readMetric(server, 'polylogue_running_turns')) >= 3 ? true : undefined),
    'the turns to run',
  )
  const [link] = await Promise.all([signInLink('gone'), stillOpen(open)])

  const removedAt = performance.now()
  const removed = await askOwner(server.dataDir, { method: 'DELETE', path: `${OWN}/users/gone?sessions=delete` })
  expect(removed.status).toBe(200)
  for (const [name, ended] of open) await within(ended, name)
  await eventually(
    async () => ((await readMetric(server, 'polylogue_running_turns')) === 0 ? true : undefined),
    'the turns to end',
  )
  console.info(`everything of a removed user ended after ${Math.round(performance.now() - removedAt)} ms`)
  expect(performance.now() - removedAt).toBeLessThan(AT_ONCE_MS)

  const refused = await Promise.all([
    status(`${OWN}/me`, { key }),
    status(`${OWN}/me`, { cookie }),
    status('/aap/v3/sessions', { key }),
    status('/api/sessions', { key }),
    redeem(link).then((answer) => answer.status),
  ])
  expect(refused).toEqual([401, 401, 401, 401, 401])
}, 180_000)

interface Shown {
  readonly key?: string
  readonly cookie?: string
}

const headersOf = ({ key, cookie }: Shown): Record<string, string> => ({
  'content-type': 'application/json',
  'sec-fetch-site': 'same-origin',
  ...(key !== undefined && { authorization: `Bearer ${key}` }),
  ...(cookie !== undefined && { cookie }),
})

const turnBody = (stream: 'delta' | 'none'): object => ({ stream, messages: [{ role: 'user', content: LONG }] })

async function sessionId(key: string): Promise<string> {
  return (await openSession(server.client(V3, key))).id
}

const turnPath = async (key: string): Promise<string> => `${AAP}${V3.turns(await sessionId(key))}`

/** The path of a session with a turn at work. */
async function busySession(key: string): Promise<string> {
  const session = await openSession(server.client(V3, key))
  void session.stream('delta', LONG).catch(() => undefined)
  return `${AAP}${V3.session(session.id)}`
}

async function consolePath(key: string, rest: string): Promise<string> {
  return `${OWN}/sessions/${await sessionId(key)}/${rest}`
}

/** A turn that waits for an approval. */
async function waitingCall(key: string): Promise<void> {
  const session = await openSession(server.client(V3, key))
  await session.turn(script(call('c1', 'Bash', { command: 'touch x' }))).catch(() => undefined)
}

/** Resolves when the answer ends, whichever way. */
async function streamed(method: string, path: string, shown: Shown, body?: object): Promise<void> {
  try {
    const answer = await fetch(`${server.url}${path}`, {
      method,
      headers: headersOf(shown),
      ...(body && { body: JSON.stringify(body) }),
    })
    // A turn that answers as a whole says that its key is gone.
    if (answer.status >= 400 && answer.status !== 401) throw new Error(`${path}: ${answer.status}`)
    for await (const _ of answer.body ?? []) continue
  } catch (error) {
    // A connection that was cut has ended too.
    if (!(error instanceof TypeError)) throw error
  }
}

async function bladeSocket(key: string): Promise<{ readonly ended: Promise<unknown> }> {
  const client = new BladeClient(io, { url: server.url, token: key })
  await client.connect()
  const ended = new Promise((resolve) => client.socket.once('disconnect', resolve))
  return { ended: ended.finally(() => client.close()) }
}

async function editor(key: string): Promise<{ readonly ended: Promise<unknown> }> {
  const url = `${server.url.replace('http', 'ws')}/acp?agent=scripted`
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${key}` } } as never)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', () => reject(new Error('the editor was refused')))
  })
  return { ended: new Promise((resolve) => socket.addEventListener('close', resolve)) }
}

async function signInLink(user: string): Promise<string> {
  const { body } = await askOwner(server.dataDir, { method: 'POST', path: `${OWN}/signin-codes`, body: { user } })
  return (body as { readonly url: string }).url
}

const redeem = (link: string): Promise<Response> =>
  fetch(`${server.url}/signin`, {
    method: 'POST',
    headers: { ...headersOf({}), origin: server.url },
    body: JSON.stringify({ code: /#(?:code=)?(.+)$/.exec(link)?.[1] }),
  })

async function signIn(user: string): Promise<string> {
  const answer = await redeem(await signInLink(user))
  if (answer.status !== 200) throw new Error(`no sign-in: ${answer.status} ${await answer.text()}`)
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
}

const status = async (path: string, shown: Shown): Promise<number> =>
  (await fetch(`${server.url}${path}`, { headers: headersOf(shown) })).status

/** A door that refused at once would end at once too. */
async function stillOpen(open: Open): Promise<void> {
  const early = await Promise.race([Promise.race(open.values()), readMetric(server, 'polylogue_running_turns')])
  expect(typeof early).toBe('number')
}

async function within(ended: Promise<unknown>, name: string): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`still open: ${name}`)), AT_ONCE_MS)
  await Promise.race([ended, promise]).finally(() => clearTimeout(timer))
}
