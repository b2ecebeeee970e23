import type { Clock, Digest, RandomBytes, UserId } from '@polylogue/engine'
import { encodeBase64Url } from '../platform/encode-base64url.ts'

const CODE_LIFETIME_MS = 10 * 60_000

/** One-time codes that sign a browser in. They live in memory only: a restart ends them. */
export interface SignInCodes {
  issue(userId: UserId): string
  /** The user of the code, once, within ten minutes. */
  redeem(code: string): UserId | undefined
}

export function createSignInCodes(deps: { clock: Clock; random: RandomBytes; digest: Digest }): SignInCodes {
  const { clock, random, digest } = deps
  const open = new Map<string, { readonly userId: UserId; readonly expiresAt: number }>()
  return {
    issue(userId) {
      for (const [hash, entry] of open) if (entry.expiresAt <= clock.now()) open.delete(hash)
      const code = encodeBase64Url(random(24))
      open.set(digest(code), { userId, expiresAt: clock.now() + CODE_LIFETIME_MS })
      return code
    },
    redeem(code) {
      const hash = digest(code)
      const entry = open.get(hash)
      open.delete(hash)
      return entry !== undefined && entry.expiresAt > clock.now() ? entry.userId : undefined
    },
  }
}
