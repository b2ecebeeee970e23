import type { IncomingMessage } from 'node:http'
import { withoutMapping } from './network-address.ts'
import { EXIT_CONFIG, ServeError } from '../serve-error.ts'

/**
 * Which requests may reach the router at all. A page on another site can make a browser send requests to us, under our
 * own name too (DNS rebinding), so every request must name us as its host, and one that a page sent must come from an
 * origin we know. Decided on exact strings: a clever spelling is a refusal.
 */
export interface AccessPolicy {
  judge(request: RequestHead): Verdict
  /** Whether our own page sent this. */
  isSameOrigin(request: RequestHead): boolean
  /** Whether the browser came over HTTPS, through a proxy in front. */
  isSecure(request: Pick<RequestHead, 'headers'>): boolean
}

export type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders'> & {
  readonly socket: { readonly localAddress?: string | undefined; readonly localPort?: number | undefined }
}

export type Verdict =
  /** `crossOrigin` is the listed origin that must be told it may read the answer. */
  | { readonly allowed: true; readonly crossOrigin?: string }
  | { readonly allowed: false; readonly status: 400 | 403; readonly error: string }

export interface AccessPolicyOptions {
  /** What the listener was told to bind. */
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
    const names = ['127.0.0.1', 'localhost', '[::1]', bracketed(bound)]
    // An address in the Host line was typed or bookmarked as such: rebinding needs a name.
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
    // A proxy in front may have put its own name for us into the Host line.
    if (origin === undefined || host === undefined) return false
    return origin === originOf(host.toLowerCase()) || origin === publicUrl?.origin
  }

  return {
    isSameOrigin,
    isSecure({ headers: { origin, host } }) {
      if (publicUrl?.protocol !== 'https:') return false
      return origin === undefined ? isPublicHost(host?.toLowerCase() ?? '') : origin === publicUrl.origin
    },
    judge(request) {
      const hosts = valuesOf(request.rawHeaders, 'host')
      const host = hosts[0]?.toLowerCase()
      if (hosts.length !== 1 || host === undefined || !(hostsOf(request.socket).includes(host) || isPublicHost(host))) {
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

function valuesOf(rawHeaders: readonly string[], name: string): readonly string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name)
}

function parseOrigin(text: string, flag: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    // What stands before an @ may be a password.
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
