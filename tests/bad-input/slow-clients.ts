// Clients that take their time: heads and bodies of a byte a second, connections that say nothing, readers that do not
// read. There are always as many of them as were asked for: who is closed comes back.
import { type Socket, connect } from 'node:net'
import { readAccepted } from './accepted-connections.ts'
import { toHead } from './http-text.ts'
import { createSession } from './scene.ts'
import type { Subject } from './subject.ts'

export interface SlowClients {
  /** How many were closed by the server so far. */
  readonly closed: number
  /** Sends the rest away. Returns what was wrong. */
  leave(): readonly string[]
}

type Pace = 'slow head' | 'slow body' | 'silent' | 'does not read'

const PACES: readonly Pace[] = ['slow head', 'slow head', 'slow body', 'silent', 'does not read']

/** What the server promises, how often it looks, and what a busy machine adds. */
const PATIENCE_MS: Readonly<Record<Pace, number>> = {
  'slow head': 10_000 + 2000 + 8000,
  silent: 10_000 + 2000 + 8000,
  'slow body': 30_000 + 2000 + 8000,
  'does not read': Infinity,
}

const LOOK_EVERY_MS = 2_000

interface SlowClient {
  readonly pace: Pace
  /** When we saw that the server had it. */
  since?: number
}

export async function openSlowClients(subject: Subject, count: number): Promise<SlowClients> {
  const complaints: string[] = []
  const clients = new Map<Socket, SlowClient>()
  const port = Number(new URL(subject.url).port)
  const sessionId = await createSession(subject)
  let closed = 0
  let hasLeft = false

  const open = (pace: Pace): void => {
    const socket = connect({ host: new URL(subject.url).hostname, port })
    let received = ''
    clients.set(socket, { pace })
    socket.on('error', () => undefined)
    socket.on('connect', () => socket.write(firstWords(pace, subject, sessionId)))
    if (pace === 'does not read') socket.pause()
    else socket.on('data', (bytes: Buffer) => (received += bytes.toString('latin1')))
    const drip = setInterval(() => (pace.startsWith('slow') ? socket.write('x') : undefined), 1000)
    socket.on('close', () => {
      clearInterval(drip)
      clients.delete(socket)
      if (hasLeft) return
      closed += 1
      const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(received)?.[1] ?? 0)
      if (status >= 500 || (status !== 0 && status < 400))
        complaints.push(`a client with the pace "${pace}" was answered ${status}`)
      if (subject.isRunning) open(pace)
    })
  }

  const look = (): void => {
    const accepted = readAccepted(port)
    const now = performance.now()
    for (const [socket, client] of clients) {
      if (socket.localPort === undefined || !accepted.has(socket.localPort)) continue
      client.since ??= now
      if (now - client.since <= PATIENCE_MS[client.pace]) continue
      complaints.push(`a client with the pace "${client.pace}" was left alone for ${PATIENCE_MS[client.pace]} ms`)
      client.since = Infinity
    }
  }
  const looking = setInterval(look, LOOK_EVERY_MS)

  for (let index = 0; index < count; index++) open(PACES[index % PACES.length] ?? 'silent')
  return {
    get closed() {
      return closed
    },
    leave() {
      hasLeft = true
      clearInterval(looking)
      for (const socket of clients.keys()) socket.destroy()
      return complaints
    },
  }
}

function firstWords(pace: Pace, { url, key }: Subject, sessionId: string): string {
  const head = { Host: new URL(url).host, Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  switch (pace) {
    case 'silent':
      return ''
    case 'slow head':
      return `GET /aap/v3/meta HTTP/1.1\r\nHost: ${head.Host}\r\nX-`
    case 'slow body':
      return `${toHead('POST /aap/v3/sessions HTTP/1.1', { ...head, 'Content-Length': '1000' })}{`
    case 'does not read':
      return toHead(`GET /aap/v3/sessions/${sessionId}/events?follow=1 HTTP/1.1`, head)
  }
}
