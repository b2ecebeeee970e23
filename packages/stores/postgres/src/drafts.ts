import type { Draft, Fence, SessionId } from '@polylogue/engine'
import { draftIn } from '@polylogue/store-rows'
import type { Database } from './database.ts'
import { toFault } from './postgres-fault.ts'
import { toText } from './to-text.ts'

/**
 * Growing texts are saved in parts: a save writes only the new part. For this, the process remembers the texts of its
 * running steps. A text that is not remembered, or does not continue the saved one, is written as a whole.
 */
export interface Drafts {
  save(sessionId: SessionId, fence: Fence, drafts: readonly Draft[]): Promise<boolean>
  read(sessionId: SessionId): Promise<readonly Draft[]>
  /** The session no longer has a streaming step, or has another runner. */
  forget(sessionId: SessionId): void
  /** Saves that are under way, on connections of their own. They must not land after an append that clears their step. */
  underWay(sessionId: SessionId): Promise<unknown> | undefined
}

interface Saved {
  readonly epoch: number
  readonly texts: Map<string, string>
  reserved: number
}

export function createDrafts(db: Database): Drafts {
  const remembered = new Map<SessionId, Saved>()
  const running = new Map<SessionId, Promise<unknown>>()

  const save: Drafts['save'] = async (sessionId, { owner, epoch }, drafts) => {
    const known = remembered.get(sessionId)
    const saved = known?.epoch === epoch ? known : { epoch, texts: new Map<string, string>(), reserved: 0 }
    const texts = drafts.map((draft) => ({ draft, key: keyOf(draft), text: toText(draft.text) }))
    const parts = texts.map(({ draft: { stepId, block, kind, reservedBatches = null }, key, text }) => {
      const before = saved.texts.get(key) ?? ''
      const offset = text.startsWith(before) ? before.length : 0
      return [stepId, block, offset, kind, text.slice(offset), reservedBatches]
    })
    const reserved = Math.max(saved.reserved, ...drafts.map(({ reservedBatches = 0 }) => reservedBatches))
    // Forgotten during the save, because after a failure it is unknown what was saved.
    remembered.delete(sessionId)
    const text = 'SELECT polylogue.save_drafts($1, $2, $3, $4::jsonb, $5) AS is_saved'
    const values = [sessionId, owner, epoch, JSON.stringify(parts), reserved > saved.reserved]
    const [row] = await db.write({ name: 'save_drafts', text, values, lane: 'turns' }).catch((error: unknown) => {
      throw toFault(error)
    })
    if (row?.['is_saved'] !== true) return false
    for (const { key, text: now } of texts) saved.texts.set(key, now)
    saved.reserved = reserved
    remembered.set(sessionId, saved)
    return true
  }

  return {
    async save(sessionId, fence, drafts) {
      // One at a time: each continues the text that the one before has saved.
      const before = running.get(sessionId)
      const saving =
        before === undefined ? save(sessionId, fence, drafts) : before.then(() => save(sessionId, fence, drafts))
      const ended = saving.catch(() => undefined)
      running.set(sessionId, ended)
      try {
        return await saving
      } finally {
        if (running.get(sessionId) === ended) running.delete(sessionId)
      }
    },
    underWay: (sessionId) => running.get(sessionId),
    async read(sessionId) {
      const text = 'SELECT * FROM polylogue.read_drafts($1)'
      return (await db.read({ name: 'read_drafts', text, values: [sessionId] })).map(draftIn)
    },
    forget: (sessionId) => void remembered.delete(sessionId),
  }
}

const keyOf = ({ stepId, block }: Draft): string => `${stepId} ${block}`
