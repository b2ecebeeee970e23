import type { BadInput, Expectation, Piece, Scene } from './bad-input.ts'

export interface RequestParts {
  readonly kind: string
  readonly method: string
  readonly path: string
  /** Put after the usual ones; `undefined` takes a usual one away. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Text is sent as UTF-8. */
  readonly body?: string | Uint8Array
  readonly door?: BadInput['door']
  readonly expected?: Partial<Expectation>
}

/** A request that is in order as HTTP; what is bad is what it says. */
export function toInput(scene: Scene, parts: RequestParts): BadInput {
  const { kind, method, path, door = 'tcp', expected } = parts
  const body = parts.body === undefined ? undefined : Buffer.from(parts.body)
  const headers = {
    Authorization: `Bearer ${scene.key}`,
    ...(body && { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }),
    ...parts.headers,
  }
  const head = toHead(`${method} ${path} HTTP/1.1`, { Host: scene.host, ...headers })
  return {
    kind,
    door,
    pieces: body ? joinSmall(head, body) : [head],
    afterwards: 'waits',
    alone: false,
    expected: { answers: 1, ...(method === 'HEAD' && { isHead: true }), ...expected },
  }
}

/** Lines are latin1: that is what the bytes of a head are. */
export function toHead(requestLine: string, headers: Readonly<Record<string, string | undefined>>): string {
  const lines = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))
  return [requestLine, ...lines, '', ''].join('\r\n')
}

function joinSmall(head: string, body: Buffer): readonly Piece[] {
  return [Buffer.concat([Buffer.from(head, 'latin1'), body])]
}
