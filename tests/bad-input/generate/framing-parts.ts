import type { Afterwards, Expectation, Piece, Scene } from '../bad-input.ts'
import { toHead } from '../http-text.ts'
import type { Random } from '../random.ts'

/** A body and how it comes. */
export interface Framing {
  readonly name: string
  readonly pieces: readonly Piece[]
  readonly expected: Expectation
  readonly afterwards?: Afterwards
}

export type WriteFraming = (scene: Scene, random: Random) => Framing

export function usual({ host, key }: Scene): Record<string, string> {
  return { Host: host, Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
}

export function head(scene: Scene, headers: Readonly<Record<string, string>>): string {
  return toHead('POST /api/polylogue/keys HTTP/1.1', { ...usual(scene), ...headers })
}

export function chunkedHead(scene: Scene): string {
  return head(scene, { 'Transfer-Encoding': 'chunked' })
}

export function createHead(scene: Scene, headers: Readonly<Record<string, string | undefined>> = {}): string {
  return toHead('POST /aap/v3/sessions HTTP/1.1', { ...usual(scene), 'Transfer-Encoding': 'chunked', ...headers })
}

export function get(scene: Scene, path: string): string {
  return toHead(`GET ${path} HTTP/1.1`, usual(scene))
}

export function turnRequest(scene: Scene, content: string, stream: string): string {
  const body = JSON.stringify({ messages: [{ role: 'user', content }], stream })
  return `${toHead(`POST /aap/v3/sessions/${scene.sessionId}/turns HTTP/1.1`, { ...usual(scene), 'Content-Length': String(body.length) })}${body}`
}

/** Would be a request of its own for whoever believes the other length. */
export function smuggled({ host }: Scene): string {
  return `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nX-Smuggled: yes\r\n\r\n`
}

/** A valid request of so many bytes. */
export function padded(bytes: number): string {
  const valid = '{"agent":{"name":"scripted"}}'
  return valid + ' '.repeat(bytes - valid.length)
}

export function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`
}

export function tinyChunks(text: string): string {
  return `${text.replace(/./gs, '1\r\n$&\r\n')}0\r\n\r\n`
}
