import type { Grant } from '@polylogue/engine'
import { request as requestOver, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { openConnection, type ConnectionRules } from './open-connection.ts'
import { ACCEPTED_ENCODINGS, readBody } from './read-body.ts'
import { isSameHost, parseWebAddress, type WebAddress } from './web-address.ts'

export interface PageRequest {
  readonly tool: string
  readonly grant: Grant
  readonly address: WebAddress
  readonly rules: ConnectionRules
  readonly signal: AbortSignal
  /** Whether a body of this type is read at all. */
  readonly isReadable: (contentType: string) => boolean
}

export type Page =
  | {
      readonly type: 'answered'
      readonly url: URL
      readonly status: number
      /** The type that the server declares. Empty if it declares none. */
      readonly contentType: string
      /** Absent if the type is not readable. */
      readonly body?: Buffer
    }
  /** A redirect to another host. The caller decides whether to follow it. */
  | { readonly type: 'moved'; readonly url: URL; readonly to: URL }

const MOST_REDIRECTS = 3
const LARGEST_BODY = 10 * 1024 * 1024
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** The user agent. Nothing identifies the user: no cookies, no credentials, no referrer. */
const HEADERS = {
  'user-agent': 'Polylogue (WebFetch, on behalf of a user)',
  accept: 'text/html, application/xhtml+xml, text/markdown, text/plain, application/json, */*;q=0.5',
  'accept-encoding': ACCEPTED_ENCODINGS,
  connection: 'close',
}

/** Each hop gets a new connection that is checked again. Rejects with a sentence for the model. */
export async function fetchPage(request: PageRequest): Promise<Page> {
  let address = request.address
  for (let hop = 0; hop <= MOST_REDIRECTS; hop += 1) {
    const next = await visit(request, address)
    if (!('redirect' in next)) return next
    const target = parseWebAddress(next.redirect, address.url)
    if (target === undefined) throw new Error(`${address.host} redirects to something that is no http or https URL.`)
    if (!isSameHost(target, request.address)) return { type: 'moved', url: address.url, to: target.url }
    address = target
  }
  throw new Error(`${request.address.host} redirects more than ${MOST_REDIRECTS} times.`)
}

async function visit(request: PageRequest, address: WebAddress): Promise<Page | { readonly redirect: string }> {
  const socket = await openConnection({ ...request, address })
  try {
    const response = await ask(socket, address, request.signal)
    const status = response.statusCode ?? 0
    const { location } = response.headers
    if (REDIRECTS.has(status) && location !== undefined) return { redirect: location }
    const contentType = response.headers['content-type'] ?? ''
    const answered = { type: 'answered', url: address.url, status, contentType } as const
    return request.isReadable(contentType) ? { ...answered, body: await readBody(response, LARGEST_BODY) } : answered
  } catch (error) {
    request.signal.throwIfAborted()
    throw toSentence(error, address)
  } finally {
    socket.destroy()
  }
}

function ask(socket: Socket, { url }: WebAddress, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = requestOver({
      createConnection: () => socket,
      method: 'GET',
      path: `${url.pathname}${url.search}`,
      // With `setHost`, the default port of http would also be used under https.
      setHost: false,
      headers: { host: url.host, ...HEADERS },
      signal,
    })
    outgoing.once('response', resolve)
    outgoing.on('error', reject)
    outgoing.end()
  })
}

/** Hides the system's messages from the model, but not ours. */
function toSentence(error: unknown, { host }: WebAddress): Error {
  if (!(error instanceof Error) || !('code' in error)) return error instanceof Error ? error : new Error(String(error))
  return new Error(`${host} did not answer as a web server does: ${String(error.code)}.`, { cause: error })
}
