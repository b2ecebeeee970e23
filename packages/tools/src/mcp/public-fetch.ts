// HTTP to MCP servers that a remote client named: only to public addresses and those that the operator allowed, as for
// `WebFetch`. It connects to exactly the addresses that it has checked, so DNS rebinding has no effect. It follows no
// redirects and uses no proxy.
import type { FetchLike } from '@modelcontextprotocol/client'
import { lookup, type LookupAddress } from 'node:dns'
import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as requestHttps } from 'node:https'
import { Readable } from 'node:stream'
import type { Allowance } from '../web/allowance.ts'
import { isOwnAddress } from '../web/own-address.ts'
import { isPublicAddress } from '../web/public-address.ts'
import { parseWebAddress } from '../web/web-address.ts'

/** Responses without a body, by their status. */
const BODILESS = new Set([101, 204, 205, 304])

export function createPublicFetch(allowance: Allowance): FetchLike {
  const isOpen = (host: string, address: string): boolean =>
    allowance.allows(host, address) || (isPublicAddress(address) && !isOwnAddress(address))
  const refuse = (host: string): Error => new Error(`${host} is not on the public network`)
  /** One forbidden address refuses the whole host. */
  const lookUp: NonNullable<RequestOptions['lookup']> = (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, answer: LookupAddress[] | undefined) => {
      const found = answer ?? []
      const [first] = found
      if (error !== null || first === undefined) done(error ?? new Error(`no address was found for ${host}`), [])
      else if (!found.every(({ address }) => isOpen(host, address))) done(refuse(host), [])
      else if (options.all === true) done(null, found)
      else done(null, first.address, first.family)
    })
  }
  return async (url, init = {}) => {
    const address = parseWebAddress(String(url))
    if (address === undefined) throw new Error('not an http or https address')
    // An IP address needs no lookup, so check it here.
    if (address.literal !== undefined && !isOpen(address.host, address.literal)) throw refuse(address.host)
    const { body } = init
    if (body !== undefined && body !== null && typeof body !== 'string') throw new TypeError('the body must be a text')
    const answer = await send(address.url, body ?? '', {
      method: init.method ?? 'GET',
      headers: Object.fromEntries(new Headers(init.headers)),
      lookup: lookUp,
      ...(init.signal && { signal: init.signal }),
    })
    return toResponse(answer)
  }
}

function send(url: URL, body: string, options: RequestOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'http:' ? requestHttp : requestHttps
    const outgoing = request(url, { ...options, agent: false }, resolve)
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

function toResponse(answer: IncomingMessage): Response {
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(answer.headersDistinct)) {
    for (const value of values) headers.append(name, value)
  }
  const status = answer.statusCode ?? 502
  if (!BODILESS.has(status)) return new Response(toBytes(answer), { status, headers })
  answer.resume()
  return new Response(null, { status, headers })
}

function toBytes(answer: IncomingMessage): ReadableStream<Uint8Array> {
  return ReadableStream.from<Uint8Array>(Readable.from(answer))
}
