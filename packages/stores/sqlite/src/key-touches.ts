import type { DatabaseSync } from 'node:sqlite'
import type { Passenger } from './group-commit.ts'

const WRITTEN_EVERY_MS = 60_000
const MOST_REMEMBERED = 10_000

/**
 * When each key was last used. The time is known at once and written with a later commit, at most once a minute for
 * each key, so that a request does not cost a commit. Closing the store writes the rest.
 */
export interface KeyTouches {
  touch(id: string, at: number): void
  lastUsedAt(id: string): number | undefined
  board(isLast: boolean): Passenger | undefined
}

interface Touch {
  at: number
  writtenAt: number
}

export function createKeyTouches(db: DatabaseSync): KeyTouches {
  const update = db.prepare('UPDATE keys SET last_used_at = max(?1, coalesce(last_used_at, ?1)) WHERE id = ?2')
  const touches = new Map<string, Touch>()
  const due = new Set<string>()

  const forgetWritten = (): void => {
    for (const [id, { at, writtenAt }] of touches) if (at === writtenAt) touches.delete(id)
  }

  return {
    touch(id, at) {
      const touch = touches.get(id) ?? { at, writtenAt: -Infinity }
      touch.at = Math.max(at, touch.at)
      touches.set(id, touch)
      if (touch.at - touch.writtenAt >= WRITTEN_EVERY_MS) due.add(id)
    },
    lastUsedAt: (id) => touches.get(id)?.at,
    board(isLast) {
      if (due.size === 0 && !isLast) return undefined
      const boarding = [...touches].filter(([id, touch]) => due.has(id) || (isLast && touch.at !== touch.writtenAt))
      if (boarding.length === 0) return undefined
      const seats = boarding.map(([id, touch]) => ({ id, touch, at: touch.at }))
      return {
        run() {
          for (const { id, at } of seats) update.run(at, id)
        },
        landed() {
          for (const { id, touch, at } of seats) {
            touch.writtenAt = at
            due.delete(id)
          }
          if (touches.size > MOST_REMEMBERED) forgetWritten()
        },
      }
    },
  }
}
