import type { RootPin } from '@polylogue/engine'
import { holdRoot, type HeldRoot } from '@polylogue/tools'

/** Which directories the roots of sessions are, for this process. */
export interface SessionPins {
  /** For a root without a pin: the directory that has exactly this path now. */
  pin(sessionId: string, root: string): Promise<RootPin>
  /** The same, in place of the pin it has. */
  renew(sessionId: string, root: string): Promise<RootPin>
  forget(sessionId: string): Promise<void>
  close(): Promise<void>
}

export interface SessionPinsOptions {
  /** Why a root may not be pinned, in words that follow its path. `isOpened`: its client opens it at this moment. */
  readonly refuse: (root: string, opening: { readonly isOpened: boolean }) => string | undefined
  /** Default 512: beyond it the oldest directories are closed. Their identities are kept. */
  readonly mostOpen?: number
}

interface Pinned {
  readonly pin: RootPin & { readonly identity: string }
  held: HeldRoot | undefined
}

const MOST_OPEN = 512
const MOST_SESSIONS = 20_000

export function createSessionPins({ refuse, mostOpen = MOST_OPEN }: SessionPinsOptions): SessionPins {
  /** The ones that were used last are at the end. */
  const sessions = new Map<string, Map<string, Pinned>>()

  async function take(sessionId: string, root: string, isOpened: boolean): Promise<RootPin> {
    const refusal = refuse(root, { isOpened })
    if (refusal !== undefined) return { path: root, problem: `the directory ${root} ${refusal}` }
    const held = await holdRoot(root)
    if (held === undefined) {
      const why = 'does not exist, is no directory, or is reached through a link: it cannot be used'
      return { path: root, problem: `the directory ${root} ${why}` }
    }
    const roots = sessions.get(sessionId) ?? new Map<string, Pinned>()
    const before = roots.get(root)
    // Somebody else may have pinned it meanwhile: the first one counts.
    if (before && !isOpened) {
      await held.close()
      return before.pin
    }
    const pin = { path: root, identity: held.identity }
    roots.set(root, { pin, held })
    use(sessionId, roots)
    await before?.held?.close()
    await closeOldest()
    return pin
  }

  function use(sessionId: string, roots: Map<string, Pinned>): void {
    sessions.delete(sessionId)
    sessions.set(sessionId, roots)
  }

  async function closeOldest(): Promise<void> {
    const open = [...sessions.values()].flatMap((roots) => [...roots.values()]).filter(({ held }) => held)
    for (const pinned of open.slice(0, Math.max(0, open.length - mostOpen))) await letGo(pinned)
    const [oldest] = sessions.keys()
    if (sessions.size > MOST_SESSIONS && oldest !== undefined) await forget(oldest)
  }

  async function letGo(pinned: Pinned): Promise<void> {
    const { held } = pinned
    pinned.held = undefined
    await held?.close()
  }

  async function forget(sessionId: string): Promise<void> {
    const roots = sessions.get(sessionId)
    sessions.delete(sessionId)
    for (const pinned of roots?.values() ?? []) await letGo(pinned)
  }

  return {
    async pin(sessionId, root) {
      const roots = sessions.get(sessionId)
      const pinned = roots?.get(root)
      if (roots === undefined || pinned === undefined) return take(sessionId, root, false)
      use(sessionId, roots)
      return pinned.pin
    },
    renew: (sessionId, root) => take(sessionId, root, true),
    forget,
    close: async () => void (await Promise.all([...sessions.keys()].map(forget))),
  }
}
