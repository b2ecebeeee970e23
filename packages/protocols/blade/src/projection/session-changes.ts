import { PERSISTENT_LABEL } from '../rest/encode-session.ts'
import type { Session } from '../wire.ts'
import type { EventOf } from './event-of.ts'

/** What clients of a session are told when it was configured; nothing where nothing of it shows here. */
export function toSessionChanges(event: EventOf<'session.configured'>): Partial<Session> {
  const { title, model, recallsMemories, isPinned, isShared, labels } = event
  const isPersistent = labels?.[PERSISTENT_LABEL]
  return {
    ...(title !== undefined && { intent: title }),
    ...(model !== undefined && { model }),
    ...(recallsMemories !== undefined && { memory_enabled: recallsMemories }),
    ...(isPinned !== undefined && { is_pinned: isPinned }),
    ...(isShared !== undefined && { shared: isShared }),
    ...(isPersistent !== undefined && { is_persistent: isPersistent === 'true' }),
  }
}

const LONGEST_TITLE = 60

/** What the engine calls a session that nobody has named, from the first thing its user said. */
export function titleOf(said: string): string | undefined {
  const text = said.trim().replace(/\s+/g, ' ')
  if (text === '') return undefined
  return text.length <= LONGEST_TITLE ? text : `${text.slice(0, LONGEST_TITLE - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
