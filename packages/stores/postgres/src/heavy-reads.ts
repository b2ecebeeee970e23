import { StorageFault } from '@polylogue/engine'

/** Reads whose time grows with what a user has stored. They must not take the connections of all other requests. */
export interface HeavyReads {
  /** Runs when few others do, and fewer of the same user. Reads of one user begin in call order. */
  run<T>(userId: string, read: () => Promise<T>): Promise<T>
}

/** Fewer than the connections for requests. */
const MOST_RUNNING = 4
const MOST_OF_USER = 2
const MOST_WAITING = 200

interface Waiting {
  readonly userId: string
  begin(): void
}

export function createHeavyReads(): HeavyReads {
  const running = new Map<string, number>()
  const waiting: Waiting[] = []

  const countAll = (): number => [...running.values()].reduce((sum, count) => sum + count, 0)
  const hasRoom = (userId: string): boolean => countAll() < MOST_RUNNING && (running.get(userId) ?? 0) < MOST_OF_USER
  const change = (userId: string, by: number): void => {
    const count = (running.get(userId) ?? 0) + by
    if (count > 0) running.set(userId, count)
    else running.delete(userId)
  }
  const beginNext = (): void => {
    const index = waiting.findIndex(({ userId }) => hasRoom(userId))
    const [next] = index === -1 ? [] : waiting.splice(index, 1)
    next?.begin()
  }
  const untilRoom = async (userId: string): Promise<void> => {
    if (hasRoom(userId)) return change(userId, 1)
    if (waiting.length >= MOST_WAITING) throw new StorageFault('busy', 'Too many searches wait for the database.')
    await new Promise<void>((resolve) =>
      waiting.push({
        userId,
        begin() {
          change(userId, 1)
          resolve()
        },
      }),
    )
  }

  return {
    async run(userId, read) {
      await untilRoom(userId)
      try {
        return await read()
      } finally {
        change(userId, -1)
        beginNext()
      }
    },
  }
}
