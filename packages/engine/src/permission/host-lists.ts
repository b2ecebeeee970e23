import type { FetchFacts } from '../events/call-facts.ts'
import type { HostLists } from './policy.ts'

/** Where everybody may read. */
const PUBLIC_SOURCES = [
  '.github.com',
  '.docs.python.org',
  '.wikipedia.org',
  'r.jina.ai',
  '.pypi.org',
  '.readthedocs.io',
]

/** This machine, its network, and the address at which clouds hand out credentials. */
const INNER_NETWORK = ['localhost', '127.0.0.1', '0.0.0.0', '169.254.169.254', '.internal', '.local', '::1']

/**
 * What the lists say of a host. The operator's come before the built-in ones, so that a host of an intranet can be
 * opened; in each pair the block list comes first.
 */
export function standingOf({ host, isPrivateAddress }: FetchFacts, lists: HostLists): 'allowed' | 'blocked' | 'other' {
  if (host === undefined) return isPrivateAddress ? 'blocked' : 'other'
  if (isListed(host, lists.block)) return 'blocked'
  if (isListed(host, lists.allow)) return 'allowed'
  if (isPrivateAddress || isListed(host, INNER_NETWORK)) return 'blocked'
  return isListed(host, PUBLIC_SOURCES) ? 'allowed' : 'other'
}

/** A leading dot stands for the domain and its subdomains; anything else is one host exactly. */
export function isListed(host: string, list: readonly string[]): boolean {
  const name = normalHost(host)
  return list.some((entry) => {
    const listed = normalHost(entry)
    return listed.startsWith('.') ? name === listed.slice(1) || name.endsWith(listed) : name === listed
  })
}

/** In one spelling: `[::1]` and `Example.COM.` are `::1` and `example.com`. */
function normalHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/(?<=.)\.$/, '')
}

/** `undefined` when it is no address of a host. */
export function hostOf(url: string): string | undefined {
  const host = URL.parse(url)?.hostname
  return host === undefined || host === '' ? undefined : normalHost(host)
}
