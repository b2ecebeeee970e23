import type { ListedSession } from '../../model/session-list.ts'

export interface SessionGroup {
  readonly name: 'pinned' | 'today' | 'yesterday' | 'earlier'
  readonly sessions: readonly ListedSession[]
}

const DAY_MS = 24 * 60 * 60 * 1000

/** By the day of the last change, in the browser's time zone. Empty groups are left out. */
export function groupSessions(sessions: readonly ListedSession[], now = Date.now()): readonly SessionGroup[] {
  const midnight = new Date(now).setHours(0, 0, 0, 0)
  const nameOf = ({ is_pinned, updated_at }: ListedSession): SessionGroup['name'] => {
    if (is_pinned) return 'pinned'
    const at = Date.parse(updated_at)
    if (at >= midnight) return 'today'
    return at >= midnight - DAY_MS ? 'yesterday' : 'earlier'
  }
  return (['pinned', 'today', 'yesterday', 'earlier'] as const)
    .map((name) => ({ name, sessions: sessions.filter((session) => nameOf(session) === name) }))
    .filter((group) => group.sessions.length > 0)
}
