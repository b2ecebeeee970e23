import type { SessionId, UserId } from '@polylogue/engine'
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
  /** Does nothing if the user exists. */
  addUser(userId: UserId): Promise<unknown>
}

/** Makes links. A link for a new name makes the user. The code is in the fragment, which browsers do not send: no log on the way contains it. */
export function createSignInLink({ codes, redactor, address, addUser }: SignInLinkDeps) {
  return async (userId: UserId): Promise<SignInLink | undefined> => {
    const base = address()
    if (base === undefined) return undefined
    await addUser(userId)
    const { code, expiresAt } = await codes.issue(userId)
    redactor.learnPassing(code)
    return { url: `${base.replace(/(?<!\/)\/+$/, '')}/signin#code=${code}`, expiresAt }
  }
}

export interface EmbedLinkDeps extends Pick<SignInLinkDeps, 'codes' | 'redactor'> {
  readonly hosts: readonly string[]
  /** Absent, or not https: sessions are not embedded. */
  readonly publicUrl: string | undefined
}

/** Makes addresses that show one session in a frame. Their code signs nobody in elsewhere. */
export function createEmbedLink({ codes, redactor, hosts, publicUrl }: EmbedLinkDeps) {
  return async (userId: UserId, sessionId: SessionId): Promise<SignInLink | undefined> => {
    if (hosts.length === 0 || publicUrl?.startsWith('https:') !== true) return undefined
    const { code, expiresAt } = await codes.issue(userId, embedCodeOf(sessionId))
    redactor.learnPassing(code)
    return { url: `${publicUrl.replace(/(?<!\/)\/+$/, '')}/embed/${sessionId}#code=${code}`, expiresAt }
  }
}

/** What binds a code to its session. */
export const embedCodeOf = (sessionId: string): string => `embed ${sessionId}`

interface CardOf {
  readonly sessionId: SessionId
  readonly toolCallId: string
}

/** Codes that show one card, once. They sign nobody in. */
export function createCardCodes({ codes, redactor }: Pick<SignInLinkDeps, 'codes' | 'redactor'>) {
  const bound = ({ sessionId, toolCallId }: CardOf): string => `card ${JSON.stringify([sessionId, toolCallId])}`
  return {
    async issue(userId: UserId, card: CardOf) {
      const issued = await codes.issue(userId, bound(card))
      redactor.learnPassing(issued.code)
      return issued
    },
    redeem: (code: string, card: CardOf) => codes.redeem(code, bound(card)),
  }
}
