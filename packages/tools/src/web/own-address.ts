import { networkInterfaces } from 'node:os'

/** A public address of this very machine leads to what only its firewall hides. */
export function isOwnAddress(candidate: string): boolean {
  return Object.values(networkInterfaces()).some((faces) => faces?.some(({ address }) => address === candidate))
}
