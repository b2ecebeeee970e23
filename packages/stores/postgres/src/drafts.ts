import type { Draft, Fence, SessionId } from '@polylogue/engine'
import { draftIn } from '@polylogue/store-rows'
import type { Database } from './database.ts'
import { toFault } from './postgres-fault.ts'
import { toText } from './to-text.ts'

/**
 * Texts that grow are saved in parts: a save writes only what is new. The texts of the steps that this process runs are
 * remembered for that. A text that is not remembered, or does not go on where it ended, is written as a whole.
 */
export interface Drafts {
  save(sessionId: SessionId, fence: Fence, drafts: readonly Draft[]): Promise<boolean>
  read(sessionId: SessionId): Promise<readonly Draft[]>
  /** The session has no streaming step any more, or another runner. */
  forget(sessionId: SessionId): void
}

interface Saved {
  readonly epoch: number
  readonly texts: Map<string, string>
  reserved: number
}

export function createDrafts(db: Database): Drafts {
  const remembered = new Map<SessionId, Saved>()

  return {
    async save(sessionId, { owner, epoch }, drafts) {
      const known = remembered.get(sessionId)
      const saved = known?.epoch === epoch ? known : { epoch, texts: new Map<string, string>(), reserved: 0 }
      const texts = drafts.map((draft) => ({ draft, key: keyOf(draft), text: toText(draft.text) }))
      const parts = texts.map(({ draft: { stepId, block, kind, reservedBatches = null }, key, text }) => {
        const before = saved.texts.get(key) ?? ''
        const offset = text.startsWith(before) ? before.length : 0
        return [stepId, block, offset, kind, text.slice(offset), reservedBatches]
      })
      const reserved = Math.max(saved.reserved, ...drafts.map(({ reservedBatches = 0 }) => reservedBatches))
      // Forgotten while it is under way: after a failure nobody knows what was saved.
      remembered.delete(sessionId)
      const text = 'SELECT polylogue.save_drafts($1, $2, $3, $4::jsonb, $5) AS is_saved'
      const values = [sessionId, owner, epoch, JSON.stringify(parts), reserved > saved.reserved]
      const [row] = await db.write({ name: 'save_drafts', text, values }).catch((error: unknown) => {
        throw toFault(error)
      })
      if (row?.['is_saved'] !== true) return false
      for (const { key, text: now } of texts) saved.texts.set(key, now)
      saved.reserved = reserved
      remembered.set(sessionId, saved)
      return true
    },
    async read(sessionId) {
      const text = 'SELECT * FROM polylogue.read_drafts($1)'
      return (await db.read({ name: 'read_drafts', text, values: [sessionId] })).map(draftIn)
    },
    forget: (sessionId) => void remembered.delete(sessionId),
  }
}

const keyOf = ({ stepId, block }: Draft): string => `${stepId} ${block}`
