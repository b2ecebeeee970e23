import { networkInterfaces } from 'node:os'

/** A public address of this machine would bypass its firewall. */
export function isOwnAddress(candidate: string): boolean {
  return Object.values(networkInterfaces()).some((faces) => faces?.some(({ address }) => address === candidate))
}
