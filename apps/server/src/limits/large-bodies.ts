// Storing a large body takes the loop for a tenth of a second: it is parsed, encoded, written and flushed. If many came at
// once, everybody else would wait for all of them. So a user sends few at a time, and the server takes one after the other,
// of a different user each time, with a pause for the others between them.
import type { Clock } from '@polylogue/engine'
import type { LargeBodies } from '@polylogue/kit'
import type { IncomingMessage } from 'node:http'

export interface LargeBodiesOptions {
  readonly clock: Clock
  userOf(incoming: IncomingMessage): string
  /** In milliseconds. Default: of the process. */
  now?(): number
}

/** Of one user, received and waiting: each may hold 32 MiB. */
const AT_ONCE = 2
/** What encoding, writing and flushing a good body take on an idle machine. They come in the pause. */
const STORING_MS_PER_BYTE = 15 / (1024 * 1024)
/** Large bodies have at most a quarter of the loop. */
const PAUSE_FACTOR = 3
const LONGEST_PAUSE_MS = 500
/** Between parsing a body and what is done with it, so that the two do not stop the loop together. */
const REST_MS = 5

interface ReadyBody {
  readonly bytes: number
  /** Whether the body was good. */
  run(): boolean
}

interface Sender {
  open: number
  readonly waiting: (() => void)[]
  readonly ready: ReadyBody[]
}

export function createLargeBodies(options: LargeBodiesOptions): LargeBodies {
  const { clock, userOf, now = () => performance.now() } = options
  /** Who was served last comes last. */
  const senders = new Map<string, Sender>()
  let isBusy = false

  function serveNext(): void {
    if (isBusy) return
    const next = [...senders].find(([, { ready }]) => ready.length > 0)
    if (next === undefined) return
    const [user, sender] = next
    senders.delete(user)
    senders.set(user, sender)
    isBusy = true
    const startedAt = now()
    const body = sender.ready.shift()
    const isStored = body?.run() === true
    const workMs = now() - startedAt + (isStored ? body.bytes * STORING_MS_PER_BYTE : 0)
    const pauseMs = Math.min(workMs * PAUSE_FACTOR, LONGEST_PAUSE_MS)
    clock.setTimer(pauseMs, () => {
      isBusy = false
      serveNext()
    })
  }

  return {
    async admit(incoming) {
      const user = userOf(incoming)
      const sender = senders.get(user) ?? { open: 0, waiting: [], ready: [] }
      senders.set(user, sender)
      if (sender.open < AT_ONCE) sender.open += 1
      else await new Promise<void>((resolve) => sender.waiting.push(resolve))
      return {
        parse: (bytes, parse) =>
          new Promise((resolve, reject) => {
            const run = (): boolean => {
              try {
                const value = parse()
                clock.setTimer(REST_MS, () => resolve(value))
                return true
              } catch (error) {
                reject(error)
                return false
              }
            }
            sender.ready.push({ bytes, run })
            serveNext()
          }),
        leave() {
          const next = sender.waiting.shift()
          if (next) return next()
          sender.open -= 1
          if (sender.open === 0) senders.delete(user)
        },
      }
    },
  }
}
