// Which addresses belong to the public network, after the special-purpose registries of IANA. For IPv4, all
// addresses are public except the listed ones. For IPv6, only 2000::/3 is public, except the listed ranges. This excludes
// loopback, unique local, site-local, link-local and multicast addresses, and all that embed an IPv4 address (mapped ::ffff:0:0/96,
// compatible ::/96, translated 64:ff9b::/96 and 64:ff9b:1::/48, 6to4 2002::/16, Teredo 2001::/32), because the embedded
// address may be of any kind.
import { BlockList, isIP } from 'node:net'

const INNER_V4 = ['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16']
const SPECIAL_V4 = [
  ...INNER_V4,
  '0.0.0.0/8',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Looks public, but is the control service of one cloud's hosts.
  '168.63.129.16/32',
]

const GLOBAL_V6 = ['2000::/3']
const INNER_V6 = ['::1/128', 'fc00::/7']
const SPECIAL_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']

/** Made with the first question. */
let known: Readonly<Record<'innerV4' | 'innerV6' | 'specialV4' | 'globalV6' | 'specialV6', BlockList>> | undefined

const blocks = (): NonNullable<typeof known> =>
  (known ??= {
    innerV4: toBlocks(INNER_V4),
    innerV6: toBlocks(INNER_V6),
    specialV4: toBlocks(SPECIAL_V4),
    globalV6: toBlocks(GLOBAL_V6),
    specialV6: toBlocks(SPECIAL_V6),
  })

/** `address` is in the system's notation. An invalid address is not public. */
export function isPublicAddress(address: string): boolean {
  const { specialV4, specialV6, globalV6 } = blocks()
  switch (isIP(address)) {
    case 4:
      return !specialV4.check(address, 'ipv4')
    case 6:
      // An address with a zone is link-local.
      return !address.includes('%') && globalV6.check(address, 'ipv6') && !specialV6.check(address, 'ipv6')
    default:
      return false
  }
}

/** This machine or a private network: what an operator may mean by a host name. */
export function isInnerAddress(address: string): boolean {
  const { innerV4, innerV6 } = blocks()
  switch (isIP(address)) {
    case 4:
      return innerV4.check(address, 'ipv4')
    case 6:
      return !address.includes('%') && innerV6.check(address, 'ipv6')
    default:
      return false
  }
}

/** A set of addresses (`10.1.2.3`) and ranges (`10.0.0.0/8`). Throws a `TypeError` if an entry is neither. */
export function toBlocks(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', length] = range.split('/')
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
    const bits = length === undefined ? (family === 'ipv4' ? 32 : 128) : /^\d{1,3}$/.test(length) ? Number(length) : -1
    if (isIP(address) === 0 || address.includes('%') || bits < 0 || bits > (family === 'ipv4' ? 32 : 128))
      throw new TypeError(`${JSON.stringify(range)} is no address and no range of addresses`)
    list.addSubnet(address, bits, family)
  }
  return list
}
