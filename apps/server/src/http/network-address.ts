import { isIPv6 } from 'node:net'

export function isLoopback(address: string): boolean {
  const plain = withoutMapping(address)
  return plain === '::1' || plain === 'localhost' || /^127(?:\.\d{1,3}){3}$/.test(plain)
}

/** `::ffff:10.0.0.1`, as sockets that take both families report it, is `10.0.0.1`. */
export function withoutMapping(address: string): string {
  return address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '')
}

/** Whom limits count as one client: an IPv6 client usually has a whole /64 to choose addresses from. */
export function clientGroup(address: string): string {
  const plain = withoutMapping(address)
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const gap = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  return [...left, ...Array.from({ length: gap }, () => '0'), ...right].slice(0, 4).join(':')
}
