import type { Agent, IncomingMessage } from 'node:http'
import { request as httpRequest } from '../platform/node-http.ts'
import type { OwnerRequestOptions, OwnerResponse } from './owner-connection.ts'

export interface SocketRequest extends OwnerRequestOptions {
  readonly socketPath: string
  readonly agent: Agent
  readonly method: string
  readonly path: string
}

export async function requestOverSocket(options: SocketRequest): Promise<OwnerResponse> {
  const { socketPath, agent, method, path, body, headers, signal } = options
  const payload = body === undefined ? undefined : JSON.stringify(body)
  const outgoing = httpRequest({
    socketPath,
    agent,
    method,
    path,
    headers: {
      host: 'localhost',
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(signal === undefined ? {} : { signal }),
  })
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve)
    // Stays for the life of the request: a later failure reaches the reader of the body, which rejects.
    outgoing.on('error', reject)
    outgoing.end(payload)
  })
  return toOwnerResponse(incoming)
}

function toOwnerResponse(incoming: IncomingMessage): OwnerResponse {
  incoming.setEncoding('utf8')
  const chunks = async function* (): AsyncGenerator<string> {
    for await (const chunk of incoming) yield String(chunk)
  }
  const text = async (): Promise<string> => (await Array.fromAsync(chunks())).join('')
  return {
    status: incoming.statusCode ?? 0,
    headers: Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(', ') : (value ?? ''),
      ]),
    ),
    text,
    json: async () => JSON.parse(await text()) as unknown,
    chunks,
  }
}
