import type { Clock, Digest, RandomBytes, SignInStore, UserId } from '@polylogue/engine'
import { encodeBase64Url } from '../platform/encode-base64url.ts'

const CODE_LIFETIME_MS = 10 * 60_000

/** One-time codes that sign a browser in. */
export interface SignInCodes {
  /** `bound`: the code is good for this purpose only. */
  issue(userId: UserId, bound?: string): Promise<{ readonly code: string; readonly expiresAt: number }>
  /** Returns the user of the code, once, within ten minutes. */
  redeem(code: string, bound?: string): Promise<UserId | undefined>
}

export interface SignInCodesDeps {
  readonly store: SignInStore
  readonly clock: Clock
  readonly random: RandomBytes
  readonly digest: Digest
  /** Whether the user still exists: the code of a removed user signs nobody in. */
  readonly isKnown: (userId: UserId) => Promise<boolean>
}

export function createSignInCodes({ store, clock, random, digest, isKnown }: SignInCodesDeps): SignInCodes {
  return {
    async issue(userId, bound) {
      const code = encodeBase64Url(random(24))
      const expiresAt = clock.now() + CODE_LIFETIME_MS
      await store.addCode({ hash: digest(textOf(code, bound)), userId, expiresAt })
      return { code, expiresAt }
    },
    async redeem(code, bound) {
      const userId = await store.takeCode(digest(textOf(code, bound)))
      return userId !== undefined && (await isKnown(userId)) ? userId : undefined
    },
  }
}

const textOf = (code: string, bound: string | undefined): string => (bound === undefined ? code : `${bound} ${code}`)
