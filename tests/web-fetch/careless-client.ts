// The client that the spellings were invented against: it looks at the text of the URL, and lets the system do the rest.
import { get, type IncomingMessage } from 'node:http'
import { isIP, type LookupFunction } from 'node:net'

const BLOCKED = /^(?:localhost|127\.\d+\.\d+\.\d+|10\..*|192\.168\..*|169\.254\..*|0\.0\.0\.0|\[::1\])$/

export type Lookup = (host: string) => readonly string[]

/** Whether somebody answered. It follows redirects, and looks at the first URL only. */
export async function fetchCarelessly(url: string, resolve: Lookup): Promise<boolean> {
  const host = /^[a-z]+:\/\/([^/:@]+|\[[^\]]*\])(?=[:/])/.exec(url)?.[1] ?? ''
  if (BLOCKED.test(host)) return false
  const lookup: LookupFunction = (name, options, callback) => {
    const found = resolve(name).map((address) => ({ address, family: isIP(address) }))
    if (options.all) callback(null, found)
    else callback(null, found[0]?.address ?? '', found[0]?.family)
  }
  let next: string | undefined = url
  for (let hop = 0; next !== undefined && hop < 5; hop += 1) {
    const parsed: URL | null = URL.parse(next, url)
    if (parsed === null || parsed.protocol !== 'http:') return false
    const response = await ask(parsed, lookup)
    if (response === undefined) return false
    next = response.headers.location
  }
  return true
}

function ask(url: URL, lookup: LookupFunction): Promise<IncomingMessage | undefined> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, lookup, timeout: 2000 }, (response) => {
      response.resume()
      response.once('end', () => resolve(response))
    })
    request.on('error', () => resolve(undefined))
    request.on('timeout', () => request.destroy())
  })
}
