import type { UserId } from '@polylogue/engine'
import type { Redactor } from '../log/redactor.ts'
import type { SignInCodes } from './sign-in-codes.ts'

/** Signs one browser in, once. */
export interface SignInLink {
  readonly url: string
  readonly expiresAt: number
}

export interface SignInLinkDeps {
  readonly codes: SignInCodes
  readonly redactor: Pick<Redactor, 'learnPassing'>
  /** Where browsers reach the server; `undefined` when it listens on no address. */
  address(): string | undefined
}

/** Makes links. The code is in the fragment, which browsers do not send: no log on the way contains it. */
export function createSignInLink({ codes, redactor, address }: SignInLinkDeps) {
  return async (userId: UserId): Promise<SignInLink | undefined> => {
    const base = address()
    if (base === undefined) return undefined
    const { code, expiresAt } = await codes.issue(userId)
    redactor.learnPassing(code)
    return { url: `${base.replace(/\/+$/, '')}/signin#code=${code}`, expiresAt }
  }
}
