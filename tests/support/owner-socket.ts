import { request } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'

/** Creates an API key over the owner socket, as an administrator does. */
export async function createUserKey(dataDir: string, user: string): Promise<string> {
  const { status, body } = await askOwner(dataDir, {
    method: 'POST',
    path: '/api/polylogue/keys',
    body: { name: 'test', user },
  })
  const key = typeof body === 'object' && body !== null && 'key' in body ? body.key : undefined
  if (status !== 201 || typeof key !== 'string') throw new Error(`no key: ${status} ${JSON.stringify(body)}`)
  return key
}

export interface OwnerAnswer {
  readonly status: number
  readonly body: unknown
}

export function askOwner(
  dataDir: string,
  { method, path, body }: { readonly method: string; readonly path: string; readonly body?: unknown },
): Promise<OwnerAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({
      socketPath: join(dataDir, 'polylogue.sock'),
      method,
      path,
      headers: { host: 'localhost', 'content-type': 'application/json' },
      agent: false,
    })
    outgoing.on('error', reject)
    outgoing.on('response', (incoming) => {
      const status = incoming.statusCode ?? 0
      if (status === 204) resolve({ status, body: undefined })
      else json(incoming).then((answer) => resolve({ status, body: answer }), reject)
    })
    outgoing.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
