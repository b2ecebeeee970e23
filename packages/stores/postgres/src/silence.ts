import { StorageFault } from '@polylogue/engine'

/**
 * Notices that the database answers nothing at all. A server that is frozen, or behind a network that is, sends no error,
 * and a request must not wait for it. A slow statement alone proves nothing: the database is asked once more. Until it
 * answers again, requests are refused at once.
 */
export interface Silence {
  /** Something was answered, on any connection. */
  heard(): void
  /** How often it has answered so far. */
  readonly answers: number
  /** A statement got no connection in time. Either the database is silent, or all connections are in use. */
  suspected(): void
  /** Rejects with `SilentDatabase` when the database is silent, also while `work` waits. The work continues. */
  unless<T>(work: () => Promise<T>): Promise<T>
  /** Asks no more. */
  close(): void
}

const SILENT_AFTER_MS = 3_000
const ASK_AGAIN_MS = 250

/** The statement may still be carried out. */
export class SilentDatabase extends StorageFault {
  constructor() {
    super('busy', 'The database does not answer at the moment.')
  }
}

/** `isAnswering` connects and asks anything. It takes a few seconds at most. */
export function createSilence(isAnswering: () => Promise<boolean>, silentAfterMs = SILENT_AFTER_MS): Silence {
  let answers = 0
  let isSilent = false
  let isClosed = false
  let asking: Promise<boolean> | undefined

  /** All that wait at the same time share one question. */
  const ask = (): Promise<boolean> =>
    (asking ??= isAnswering().finally(() => {
      asking = undefined
    }))

  const heard = (): void => {
    answers += 1
    isSilent = false
  }

  const askUntilHeard = async (): Promise<void> => {
    if (!isSilent || isClosed) return
    if (await ask()) heard()
    else setTimeout(() => void askUntilHeard(), ASK_AGAIN_MS).unref()
  }

  const begin = (): void => {
    if (isSilent) return
    isSilent = true
    setTimeout(() => void askUntilHeard(), ASK_AGAIN_MS).unref()
  }

  const suspected = (): void => {
    if (!isSilent && !isClosed) void ask().then((isAnswered) => (isAnswered ? heard() : begin()))
  }

  return {
    heard,
    get answers() {
      return answers
    },
    suspected,
    async unless(work) {
      if (isSilent) throw new SilentDatabase()
      const silence = Promise.withResolvers<never>()
      let timer: NodeJS.Timeout | undefined
      const look = async (before: number): Promise<void> => {
        if (answers === before && !(await ask()) && answers === before) {
          begin()
          silence.reject(new SilentDatabase())
        } else if (timer !== undefined) wait()
      }
      const wait = (): void => {
        const before = answers
        timer = setTimeout(() => void look(before), silentAfterMs)
      }
      wait()
      try {
        return await Promise.race([work(), silence.promise])
      } finally {
        clearTimeout(timer)
        timer = undefined
      }
    },
    close: () => void (isClosed = true),
  }
}
