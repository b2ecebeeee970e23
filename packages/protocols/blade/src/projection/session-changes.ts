import { toReadable, type SessionChanges } from '@polylogue/engine'
import { PERSISTENT_LABEL } from '../rest/encode-session.ts'
import type { Session } from '../wire.ts'

/** The update about a changed session. Empty when Blade does not show the change. */
export function toSessionChanges(changes: SessionChanges): Partial<Session> {
  const { title, model, thinking, recallsMemories, isPinned, isShared, labels } = changes
  const isPersistent = labels?.[PERSISTENT_LABEL]
  return {
    ...(title !== undefined && { intent: toReadable(title) }),
    ...(model !== undefined && { model }),
    ...(thinking !== undefined && { thinking: thinking === '' ? null : thinking }),
    ...(recallsMemories !== undefined && { memory_enabled: recallsMemories }),
    ...(isPinned !== undefined && { is_pinned: isPinned }),
    ...(isShared !== undefined && { shared: isShared }),
    ...(isPersistent !== undefined && { is_persistent: isPersistent === 'true' }),
  }
}
