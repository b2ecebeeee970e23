import {
  EngineError,
  StorageFault,
  asUserId,
  type Clock,
  type Digest,
  type KeyRecord,
  type KeyStore,
  type RandomBytes,
  type UserId,
} from '@polylogue/engine'
import { encodeBase64Url } from '../platform/encode-base64url.ts'
import { API_KEY_PREFIX, makeApiKey } from './api-key.ts'
import { createKnownKeys } from './known-keys.ts'
import { createSignInExpiry } from './sign-in-expiry.ts'
import { findSurplus } from './surplus-sign-ins.ts'

/** The owner of the data directory: the first key, the `--key` keys and the owner socket speak for this user. */
export const LOCAL_USER = asUserId('local')

/** A sign-in that nobody uses ends after this time. */
const SIGN_IN_IDLE_MS = 12 * 60 * 60_000
/** And after this time in any case. */
const SIGN_IN_LIFETIME_MS = 30 * 24 * 60 * 60_000
/** Keys, links and users are made only this soon after a sign-in. */
const RECENT_MS = 10 * 60_000
const MAX_KEY_LENGTH = 512

const MAX_KEYS = 100

export class TooManyKeys extends EngineError {
  constructor() {
    super('invalid-input', `a user has ${MAX_KEYS} API keys at most: revoke one that is not used any more`)
    this.name = 'TooManyKeys'
  }
}

/** Every API key and browser sign-in of this server. Only hashes are kept. */
export interface KeyRing {
  find(plain: string): Promise<FoundKey | undefined>
  /** For the server's own use: a start must not fail because of how many there are. */
  createApiKey(userId: UserId, name: string): Promise<CreatedKey>
  /** Stores this key if it is not there yet. `false` when it was revoked. */
  ensureApiKey(userId: UserId, name: string, plain: string): Promise<boolean>
  /** What somebody asked for. Limits are counted by key, so that nobody may have any number: rejects with `TooManyKeys`. */
  requestApiKey(userId: UserId, name: string): Promise<CreatedKey>
  /** For the browser that signed in at this `Host`. A sign-in with a key ends with that key. Too many end the oldest ones. */
  createSignIn(userId: UserId, browser: SigningIn): Promise<CreatedKey>
  /** Stored keys that still open something; without a user, everybody's. */
  list(userId?: UserId): Promise<readonly KeyRecord[]>
  /** `false` when this user has no such key. */
  rename(id: string, name: string, userId: UserId): Promise<boolean>
  /** Ends what keys opened that another process has revoked. */
  endRevoked(): Promise<void>
  /**
   * Ends the key's open streams and the sign-ins made with it too. `false` when this user (or anybody, when none is named)
   * has no such key.
   */
  revoke(id: string, userId?: UserId): Promise<boolean>
}

export interface SigningIn {
  readonly name: string
  readonly host: string
  /** The key that somebody typed. */
  readonly keyId?: string
}

export interface FoundKey {
  readonly id: string
  readonly userId: UserId
  readonly kind: 'api' | 'browser'
  /** Present for a sign-in of a browser. */
  readonly signIn?: { readonly host: string; readonly isRecent: boolean }
  /** Aborts when the key is revoked or expires: whatever it opened ends then. */
  readonly revoked: AbortSignal
}

export interface CreatedKey {
  readonly record: KeyRecord
  readonly plain: string
}

export interface KeyRingDeps {
  readonly store: KeyStore
  readonly clock: Clock
  readonly random: RandomBytes
  readonly digest: Digest
  /** Accepted as user `local` for as long as this process runs; never stored. */
  readonly extraKeys: readonly string[]
  /** How long a key is trusted without being read again. */
  readonly trustedMs?: number
  /**
   * How long a key is still trusted if the storage does not answer. Revoked keys are then unknown for that time, but
   * nothing that needs the storage works. Default: 0.
   */
  readonly outageMs?: number
}

/** No request is let in while so many keys end. */
const MOST_ENDED = 10_000
/** After this time, the storage counts as not answering. */
const ANSWER_WITHIN_MS = 300

export function createKeyRing(deps: KeyRingDeps): KeyRing {
  const { store, clock, random, digest, extraKeys, trustedMs, outageMs = 0 } = deps
  const extra = new Map(extraKeys.map((plain, index) => [digest(plain), `key_option_${index + 1}`]))
  // An aborted one stays for a while: a request that was being let in while its key was revoked must still notice.
  const revocations = new Map<string, AbortController>()
  const revocationOf = (id: string): AbortController => {
    const revocation = revocations.get(id) ?? new AbortController()
    revocations.set(id, revocation)
    return revocation
  }
  const known = createKnownKeys(clock, trustedMs)
  /** Stored keys that have opened something here. */
  const trusted = new Set<string>()
  /** The aborted ones, oldest first. */
  const ended = new Set<string>()
  const isLive = (record: KeyRecord): boolean => (expiryOf(record) ?? Number.POSITIVE_INFINITY) > clock.now()

  const end = (id: string): void => {
    known.forgetKey(id)
    expiry.forget(id)
    trusted.delete(id)
    revocationOf(id).abort()
    ended.delete(id)
    ended.add(id)
    const [oldest] = ended
    if (ended.size > MOST_ENDED && oldest !== undefined) {
      ended.delete(oldest)
      revocations.delete(oldest)
    }
  }
  const expiry = createSignInExpiry({
    clock,
    end,
    findExpiry: async (hash) => {
      const record = await store.findKey(hash)
      return record && expiryOf(record)
    },
  })

  const lookUp = async (hash: string): Promise<KeyRecord | undefined> => {
    const remembered = known.find(hash)
    if (remembered?.isFresh === true) return remembered.record
    const isSpare =
      remembered !== undefined && remembered.ageMs < outageMs && !revocationOf(remembered.record.id).signal.aborted
    const record = await (isSpare ? answered(store.findKey(hash), remembered.record, clock) : store.findKey(hash))
    if (record === undefined) {
      known.forget(hash)
      // Somebody else revoked it.
      if (remembered !== undefined && isLive(remembered.record)) revocationOf(remembered.record.id).abort()
      return undefined
    }
    if (revocationOf(record.id).signal.aborted) return undefined
    if (record !== remembered?.record) known.remember(hash, record)
    trusted.add(record.id)
    return record
  }

  const create = async (
    key: Pick<KeyRecord, 'userId' | 'kind' | 'name' | 'prefix' | 'expiresAt'>,
    plain: string,
    parent = 'key',
  ): Promise<CreatedKey> => {
    const id = `${parent}_${Buffer.from(random(12)).toString('hex')}`
    const record = { ...key, id, lastFour: plain.slice(-4), createdAt: clock.now() }
    await store.createKey({ ...record, hash: digest(plain) })
    return { record, plain }
  }

  const createApiKey = (userId: UserId, name: string): Promise<CreatedKey> =>
    create({ userId, kind: 'api', name, prefix: API_KEY_PREFIX }, makeApiKey(random))
  // One after the other, so that each counts those before it.
  let lastRequest: Promise<unknown> = Promise.resolve()

  const revokeOne = async (id: string): Promise<boolean> => {
    if (!(await store.revokeKey(id))) return false
    end(id)
    return true
  }

  const isOwn = async (id: string, userId: UserId): Promise<boolean> =>
    (await store.listKeys(userId)).some((record) => record.id === id)

  return {
    async find(plain) {
      if (plain === '' || plain.length > MAX_KEY_LENGTH) return undefined
      // Looking a hash up gives no timing to learn from: nobody can steer the hash of a guess.
      const hash = digest(plain)
      const extraId = extra.get(hash)
      if (extraId !== undefined) {
        return { id: extraId, userId: LOCAL_USER, kind: 'api', revoked: revocationOf(extraId).signal }
      }
      const record = await lookUp(hash)
      if (record === undefined || !isLive(record)) return undefined
      store.touchKey(record.id, clock.now())
      const expiresAt = expiryOf({ ...record, lastUsedAt: clock.now() })
      if (expiresAt !== undefined) expiry.watch({ id: record.id, hash }, expiresAt)
      const { id, userId, kind, prefix: host, createdAt } = record
      const signIn = kind === 'browser' ? { host, isRecent: clock.now() - createdAt < RECENT_MS } : undefined
      return { id, userId, kind, revoked: revocationOf(id).signal, ...(signIn && { signIn }) }
    },

    createApiKey,

    async ensureApiKey(userId, name, plain) {
      const isStored = async (): Promise<boolean> => (await lookUp(digest(plain))) !== undefined
      if (await isStored()) return true
      try {
        await create({ userId, kind: 'api', name, prefix: API_KEY_PREFIX }, plain)
        return true
      } catch {
        // The store takes a key once, also if it is revoked. Another node may have stored it just now.
        return isStored()
      }
    },

    requestApiKey(userId, name) {
      const made = lastRequest.then(async () => {
        const records = (await store.listKeys(userId)).filter((record) => record.kind === 'api' && isLive(record))
        if (records.length >= MAX_KEYS) throw new TooManyKeys()
        return createApiKey(userId, name)
      })
      lastRequest = made.catch(() => undefined)
      return made
    },

    async createSignIn(userId, { name, host, keyId }) {
      const expiresAt = clock.now() + SIGN_IN_LIFETIME_MS
      const key = { userId, kind: 'browser', name, prefix: host, expiresAt } as const
      const made = await create(key, encodeBase64Url(random(32)), keyId)
      // The key may have been revoked while its sign-in was stored.
      if (keyId !== undefined && revocationOf(keyId).signal.aborted) await revokeOne(made.record.id)
      for (const { id } of findSurplus(await store.listKeys(userId), made.record, isLive)) await revokeOne(id)
      return made
    },

    list: async (userId) => (await store.listKeys(userId)).filter(isLive).map(withExpiry),

    rename: async (id, name, userId) => (await isOwn(id, userId)) && store.renameKey(id, name),

    async endRevoked() {
      for (const id of await store.findRevoked([...trusted])) end(id)
    },

    async revoke(id, userId) {
      if (userId !== undefined && !(await isOwn(id, userId))) return false
      if (!(await revokeOne(id))) return false
      const signIns = (await store.listKeys(userId)).filter((record) => isSignInWith(id, record))
      await Promise.all(signIns.map((record) => revokeOne(record.id)))
      return true
    },
  }
}

/** The id of a sign-in starts with the id of the key that was typed. */
function isSignInWith(keyId: string, { id, kind }: KeyRecord): boolean {
  return kind === 'browser' && id.startsWith(`${keyId}_`)
}

/** What the storage says, or the spare if it fails or takes long. */
async function answered(
  reading: Promise<KeyRecord | undefined>,
  spare: KeyRecord,
  clock: Clock,
): Promise<KeyRecord | undefined> {
  const late = Promise.withResolvers<KeyRecord>()
  const timer = clock.setTimer(ANSWER_WITHIN_MS, () => late.resolve(spare))
  const orSpare = reading.catch((error: unknown) => {
    if (error instanceof StorageFault) return spare
    throw error
  })
  try {
    return await Promise.race([orSpare, late.promise])
  } finally {
    timer.cancel()
  }
}

/** A sign-in ends some time after its last use. Its record has the host in the place of a key's prefix. */
function expiryOf({ kind, createdAt, lastUsedAt = createdAt, expiresAt }: KeyRecord): number | undefined {
  if (kind === 'api') return expiresAt
  return Math.min(expiresAt ?? Number.POSITIVE_INFINITY, lastUsedAt + SIGN_IN_IDLE_MS)
}

function withExpiry(record: KeyRecord): KeyRecord {
  const expiresAt = expiryOf(record)
  return expiresAt === undefined ? record : { ...record, expiresAt }
}
