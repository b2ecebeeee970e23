import type { AppendRequest, AppendResult } from '@polylogue/engine'
import type { AppendItem } from './to-append-item.ts'

/** An append that is not answered yet. */
export interface Pending {
  readonly request: AppendRequest
  readonly item: AppendItem
  readonly answered: PromiseWithResolvers<AppendResult>
}

/** A queue of appends that is stored in groups, some at the same time. */
export interface AppendLane {
  readonly length: number
  add(pending: Pending): void
  /** Resolves when nothing is queued or under way. */
  settled(): Promise<void>
}

const MOST_ITEMS = 64
const MOST_CHARS = 1024 * 1024

/** `store` answers every append of its group, and never rejects. */
export function createAppendLane(writers: number, store: (group: readonly Pending[]) => Promise<void>): AppendLane {
  const queue: Pending[] = []
  const waiting: (() => void)[] = []
  let writing = 0
  let isScheduled = false

  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    // Runs after the current tick, so that its appends share a group.
    setImmediate(() => {
      isScheduled = false
      while (queue.length > 0 && writing < writers) void writeGroup(takeGroup(queue))
    })
  }

  const writeGroup = async (group: readonly Pending[]): Promise<void> => {
    writing += 1
    await store(group)
    writing -= 1
    if (queue.length > 0) schedule()
    else if (writing === 0) for (const resolve of waiting.splice(0)) resolve()
  }

  return {
    get length() {
      return queue.length
    },
    add(pending) {
      queue.push(pending)
      schedule()
    },
    settled: () =>
      queue.length === 0 && writing === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
  }
}

function takeGroup(queue: Pending[]): readonly Pending[] {
  let chars = 0
  let count = 0
  for (const { item } of queue) {
    chars += item.json.length
    if (count > 0 && (chars > MOST_CHARS || count >= MOST_ITEMS)) break
    count += 1
  }
  return queue.splice(0, count)
}
