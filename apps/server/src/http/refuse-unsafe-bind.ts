import { isLoopback } from './network-address.ts'
import type { KeyRing } from '../auth/key-ring.ts'
import { EXIT_CONFIG, ServeError } from '../serve-error.ts'

/** 128 bits in base64url. */
const MIN_OPEN_KEY_LENGTH = 22

/** Refuses to listen where other machines can connect, unless there is an API key. */
export async function refuseUnsafeBind(
  host: string,
  deps: {
    readonly keys: KeyRing
    readonly extraKeys: readonly string[]
    readonly isFirstStart: boolean
    /** The command that makes a key. */
    readonly makeKeyWith: string
  },
): Promise<void> {
  const { keys, extraKeys, isFirstStart, makeKeyWith } = deps
  // The first start makes the first key before anything listens.
  if (isLoopback(host) || isFirstStart || extraKeys.length > 0) return
  if ((await keys.list()).some((key) => key.kind === 'api')) return
  throw new ServeError(
    `There is no API key, and other machines can reach ${host}. Make one with: ${makeKeyWith}`,
    EXIT_CONFIG,
  )
}

/** Runs before anything is created, so that a refused start leaves nothing behind. */
export function refuseGuessableKeys(host: string, extraKeys: readonly string[]): void {
  if (isLoopback(host) || extraKeys.every((key) => key.length >= MIN_OPEN_KEY_LENGTH)) return
  throw new ServeError(
    `--key is too short for ${host}, which other machines can reach: use at least ${MIN_OPEN_KEY_LENGTH} characters.`,
    EXIT_CONFIG,
  )
}
