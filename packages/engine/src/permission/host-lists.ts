import type { FetchFacts } from '../events/call-facts.ts'
import type { HostLists } from './policy.ts'

/**
 * Hosts that every user may read from. None of them passes a request on to another host, and nobody can register a name
 * below one of them: what is sent there reaches no stranger.
 */
const PUBLIC_SOURCES = ['.github.com', '.docs.python.org', '.wikipedia.org', '.pypi.org', 'docs.readthedocs.io']

/** This machine, its network, and the metadata address where clouds provide credentials. */
const INNER_NETWORK = ['localhost', '127.0.0.1', '0.0.0.0', '169.254.169.254', '.internal', '.local', '::1']

/**
 * Looks a host up in the lists. The operator's lists come before the built-in ones, so that an intranet host can be
 * allowed. In each pair, the block list comes first.
 */
export function standingOf(facts: FetchFacts, lists: HostLists): 'allowed' | 'blocked' | 'other' {
  const { host, isPrivateAddress, carriesData = false } = facts
  if (host === undefined) return isPrivateAddress ? 'blocked' : 'other'
  if (isListed(host, lists.block)) return 'blocked'
  if (isListed(host, lists.allow)) return 'allowed'
  if (isPrivateAddress || isListed(host, INNER_NETWORK)) return 'blocked'
  return isListed(host, PUBLIC_SOURCES) && !carriesData ? 'allowed' : 'other'
}

/** A leading dot matches the domain and its subdomains. Anything else matches one host exactly. */
export function isListed(host: string, list: readonly string[]): boolean {
  const name = normalHost(host)
  return list.some((entry) => {
    const listed = normalHost(entry)
    return listed.startsWith('.') ? name === listed.slice(1) || name.endsWith(listed) : name === listed
  })
}

/** Normalizes a host: `[::1]` becomes `::1`, and `Example.COM.` becomes `example.com`. */
function normalHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/(?<=.)\.$/, '')
}

/** `undefined` if the text is not a URL with a host. */
export function hostOf(url: string): string | undefined {
  const host = URL.parse(url)?.hostname
  return host === undefined || host === '' ? undefined : normalHost(host)
}
