// Clients that take their time: heads and bodies of a byte a second, connections that say nothing, readers that do not
// read. There are always as many of them as were asked for: who is closed comes back.
import { type Socket, connect } from 'node:net'
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

const LAST_WORD_MS = 2_000

export async function openSlowClients(subject: Subject, count: number): Promise<SlowClients> {
  const complaints: string[] = []
  const sockets = new Set<Socket>()
  const sessionId = await createSession(subject)
  let closed = 0
  let hasLeft = false

  const open = (pace: Pace): void => {
    const { hostname, port } = new URL(subject.url)
    const socket = connect({ host: hostname, port: Number(port) })
    let received = ''
    let tooLong: NodeJS.Timeout | undefined
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('connect', () => {
      socket.write(firstWords(pace, subject, sessionId))
      tooLong = setTimeout(
        () => {
          const complain = (): number =>
            complaints.push(`a client with the pace "${pace}" was left alone for ${PATIENCE_MS[pace]} ms`)
          if (pace !== 'silent') return complain()
          // When many come at once the kernel takes some for connected that it never shows to the server; a word from
          // such a client ends the connection at once. A server that knows of it has been too patient.
          socket.write('G')
          return (tooLong = setTimeout(complain, LAST_WORD_MS))
        },
        Math.min(PATIENCE_MS[pace], 2 ** 31 - 1),
      )
    })
    if (pace === 'does not read') socket.pause()
    else socket.on('data', (bytes: Buffer) => (received += bytes.toString('latin1')))
    const drip = setInterval(() => (pace.startsWith('slow') ? socket.write('x') : undefined), 1000)
    socket.on('close', () => {
      clearInterval(drip)
      clearTimeout(tooLong)
      sockets.delete(socket)
      if (hasLeft) return
      closed += 1
      const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(received)?.[1] ?? 0)
      if (status >= 500 || (status !== 0 && status < 400))
        complaints.push(`a client with the pace "${pace}" was answered ${status}`)
      if (subject.isRunning) open(pace)
    })
  }

  for (let index = 0; index < count; index++) open(PACES[index % PACES.length] ?? 'silent')
  return {
    get closed() {
      return closed
    },
    leave() {
      hasLeft = true
      for (const socket of sockets) socket.destroy()
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
