import { isIP } from 'node:net'

/** An http or https URL, normalised by the WHATWG parser. Checks and requests use the same spelling. */
export interface WebAddress {
  /** Without user, password and fragment. */
  readonly url: URL
  /** In lower case, without brackets, port and trailing dot. */
  readonly host: string
  readonly port: number
  /** The IP address, if the host is one in any notation: `0x7f.1`, `2130706433`, `[::1]`. */
  readonly literal?: string
}

export const LONGEST_URL = 2048

/** `undefined` if it is invalid, has another scheme or is too long. A redirect is relative to its page. */
export function parseWebAddress(text: string, from?: URL): WebAddress | undefined {
  if (text.length > LONGEST_URL) return undefined
  const url = URL.parse(text, from?.href)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined
  url.username = ''
  url.password = ''
  url.hash = ''
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/(?<=.)\.$/, '')
  if (host === '' || url.href.length > LONGEST_URL) return undefined
  const port = url.port === '' ? (url.protocol === 'http:' ? 80 : 443) : Number(url.port)
  return { url, host, port, ...(isIP(host) === 0 ? {} : { literal: host }) }
}

/** Whether an approval of one host covers the other. */
export function isSameHost(one: WebAddress, other: WebAddress): boolean {
  const bare = ({ host }: WebAddress): string => host.replace(/^www\./, '')
  return bare(one) === bare(other)
}
