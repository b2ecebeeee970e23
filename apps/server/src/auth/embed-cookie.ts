import type { IncomingMessage } from 'node:http'

/**
 * The sign-in of a page that shows one session inside a page of somebody else. A browser keeps it apart for each site that
 * it is shown on (`Partitioned`), and sends it over HTTPS only. It opens what that page needs and nothing more.
 */
const NAME = '__Host-polylogue_embed'
const MAX_AGE_S = 24 * 60 * 60

export const embedCookie = (value: string): string =>
  `${NAME}=${value}; Max-Age=${MAX_AGE_S}; Path=/; HttpOnly; Secure; SameSite=None; Partitioned`

export function readEmbedCookie(header: string | undefined): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim().split('=', 2))
  return pairs.find(([name]) => name === NAME)?.[1]
}

/** In the record of the sign-in, in the place of the host. No `Host` line holds a blank. */
export const embedHost = (sessionId: string, host: string): string => `embed ${sessionId} ${host}`

export const isEmbedHost = (recorded: string): boolean => recorded.startsWith('embed ')

/** The session, if the record is one of an embedded page on this host. */
export function sessionOfEmbed(recorded: string | undefined, host: string): string | undefined {
  const [kind, sessionId, recordedHost] = recorded?.split(' ') ?? []
  return kind === 'embed' && recordedHost === host ? sessionId : undefined
}

const OF_SERVER = new Set(['/api/polylogue/me', '/api/polylogue/status', '/api/solutions', '/api/config/models'])
/** Below `/api/polylogue/sessions/ID`. */
const READS = /^(?:|\/turns|\/waiting|\/queue|\/progress|\/(?:calls|cards|blobs)\/[^/]+)$/
const WRITES = /^(?:\/compact|\/cards\/[^/]+|\/calls\/[^/]+\/(?:approval|cancel))$/
const QUEUED = /^\/queue\/[^/]+$/

/** Whether an embedded page may send this request. It reads its session, talks in it and answers what it asks. */
export function mayEmbed({ method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>, sessionId: string): boolean {
  const path = url.split('?', 1)[0] ?? ''
  // Whatever a router might read as another path.
  if (/[%\\]|\/\.|\/\//.test(path)) return false
  if (path === '/socket.io/' || path === '/signout') return true
  const isRead = method === 'GET' || method === 'HEAD'
  if (OF_SERVER.has(path)) return isRead
  const ofBlade = `/api/sessions/${sessionId}`
  if (path === ofBlade || path.startsWith(`${ofBlade}/attachments/`)) return isRead
  const own = `/api/polylogue/sessions/${sessionId}`
  if (path !== own && !path.startsWith(`${own}/`)) return false
  const rest = path.slice(own.length)
  if (isRead) return READS.test(rest)
  return method === 'POST' ? WRITES.test(rest) : (method === 'DELETE' || method === 'PATCH') && QUEUED.test(rest)
}
