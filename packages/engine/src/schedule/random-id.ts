import type { RandomBytes } from '../ports/ids.ts'

export function randomId(prefix: string, random: RandomBytes): string {
  return prefix + Array.from(random(12), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
