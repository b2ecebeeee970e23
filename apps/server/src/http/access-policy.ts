import type { IncomingMessage } from 'node:http'
import { withoutMapping } from './network-address.ts'
import { EXIT_CONFIG, ServeError } from '../serve-error.ts'

/**
 * Decides which requests reach the router. A page on another site can make a browser send requests to us, and with DNS
 * rebinding under its own host name. So every request must name us as its host, and a request from a page must come from
 * a known origin. Names are compared as exact strings; any other spelling is refused.
 */
export interface AccessPolicy {
  judge(request: RequestHead): Verdict
  /** Whether our own page sent the request. */
  isSameOrigin(request: RequestHead): boolean
  /** Whether the browser came over HTTPS, through a proxy in front. */
  isSecure(request: Pick<RequestHead, 'headers'>): boolean
}

export type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders'> & {
  readonly socket: { readonly localAddress?: string | undefined; readonly localPort?: number | undefined }
}

export type Verdict =
  /** `crossOrigin`: the listed origin, for the CORS headers. */
  | { readonly allowed: true; readonly crossOrigin?: string }
  | { readonly allowed: false; readonly status: 400 | 403; readonly error: string }

export interface AccessPolicyOptions {
  /** The address that the listener binds. */
  readonly host: string
  readonly allowOrigins: readonly string[]
  readonly publicUrl?: string
}

export function createAccessPolicy(options: AccessPolicyOptions): AccessPolicy {
  const listed = new Set(options.allowOrigins.map((origin) => parseOrigin(origin, '--allow-origin').origin))
  const publicUrl = options.publicUrl === undefined ? undefined : parseOrigin(options.publicUrl, '--public-url')
  const bound = options.host.toLowerCase()
  const everywhere = bound === '0.0.0.0' || bound === '::' || bound === ''

  const hostsOf = ({ localAddress, localPort = 0 }: RequestHead['socket']): readonly string[] => {
    const names = [bracketed(bound)]
    // Rebinding needs a name: an address in the Host line was typed or bookmarked.
    if (everywhere && localAddress !== undefined) names.push(bracketed(withoutMapping(localAddress)))
    return localPort === 80
      ? names.flatMap((name) => [name, `${name}:80`])
      : names.map((name) => `${name}:${localPort}`)
  }
  const isPublicHost = (host: string): boolean =>
    publicUrl !== undefined && (host === publicUrl.host || host === `${publicUrl.hostname}:${defaultPort(publicUrl)}`)

  const isSameOrigin = ({ headers }: RequestHead): boolean => {
    const { origin, host } = headers
    if (headers['sec-fetch-site'] === 'cross-site') return false
    // A proxy may write its own name for us into the Host line; the public URL is ours all the same.
    if (origin === undefined || host === undefined) return false
    return origin === originOf(host.toLowerCase()) || origin === publicUrl?.origin
  }

  const isOurs = (host: string, socket: RequestHead['socket']): boolean =>
    isLoopbackHost(host) || isPublicHost(host) || hostsOf(socket).includes(host)

  return {
    isSameOrigin,
    isSecure({ headers: { origin, host } }) {
      if (publicUrl?.protocol !== 'https:') return false
      return origin === undefined ? isPublicHost(host?.toLowerCase() ?? '') : origin === publicUrl.origin
    },
    judge(request) {
      const hosts = valuesOf(request.rawHeaders, 'host')
      const host = hosts[0]?.toLowerCase()
      if (hosts.length !== 1 || host === undefined || !isOurs(host, request.socket)) {
        return { allowed: false, status: 403, error: 'This host name is not served here. See --public-url.' }
      }
      const [origin, ...more] = valuesOf(request.rawHeaders, 'origin')
      const isOwn = origin === undefined || isSameOrigin(request)
      if (more.length > 0 || !(isOwn || listed.has(origin))) {
        return { allowed: false, status: 403, error: 'This origin is not allowed. See --allow-origin.' }
      }
      if (request.url === undefined || !/^\/(?!\/)/.test(request.url)) {
        return { allowed: false, status: 400, error: 'The request target must be a path.' }
      }
      return isOwn ? { allowed: true } : { allowed: true, crossOrigin: origin }
    },
  }
}

/**
 * A loopback name on any port: a proxy, `ssh -L` or `docker -p` in front of us has a port of its own. Rebinding cannot use
 * these names, and a page on another port is refused by its origin.
 */
function isLoopbackHost(host: string): boolean {
  const [, port] = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::([1-9]\d{0,4}))?$/.exec(host) ?? [undefined, 'none']
  return port === undefined || Number(port) <= 65_535
}

/** Names and values alternate in `rawHeaders`. */
function valuesOf(rawHeaders: readonly string[], name: string): readonly string[] {
  const values: string[] = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const given = rawHeaders[index]
    if (given?.length === name.length && given.toLowerCase() === name) values.push(rawHeaders[index + 1] ?? '')
  }
  return values
}

function parseOrigin(text: string, flag: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    // The part before an @ may be a password.
    const given = text.includes('@') ? '.' : `, not "${text}".`
    throw new ServeError(`${flag} wants an http or https origin such as https://example.com${given}`, EXIT_CONFIG)
  }
  return url
}

/** Browsers leave the default port out of an origin. */
function originOf(host: string): string {
  return `http://${host.replace(/:80$/, '')}`
}

function defaultPort(url: URL): string {
  return url.protocol === 'https:' ? '443' : '80'
}

function bracketed(address: string): string {
  return address.includes(':') ? `[${address}]` : address
}
