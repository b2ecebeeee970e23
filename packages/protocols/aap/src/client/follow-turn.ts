import { AapError, TurnCutOff } from './aap-error.ts'
import { readEvents, type ReceivedEvent } from './read-events.ts'

/** Called after a connection was lost, before request number `attempt` (from 1) in a row that brings nothing. */
export type Reconnect = (attempt: number, signal?: AbortSignal) => Promise<void>

export interface Line {
  readonly reconnect: Reconnect
  readonly signal: AbortSignal | undefined
}

export interface FollowedTurn {
  readonly begin: () => Promise<Response>
  /** Whether `begin` called again finds the turn that it began, instead of running another one. */
  readonly isRepeatable: () => boolean
  /** Continues after the event with that id. Absent where the server cannot. */
  readonly resume?: (lastId: string) => Promise<Response>
}

const MOST_ATTEMPTS_IN_SILENCE = 8
const PAUSE_MS = 200

/** Follows a turn to its `turn_stop`. A lost connection is resumed after the last event. The turn runs once. */
export async function* followTurn(turn: FollowedTurn, line: Line): AsyncGenerator<ReceivedEvent> {
  let lastId = ''
  for (let attempt = 1; ; attempt += 1) {
    const isResumed = lastId !== ''
    let isBegun = isResumed
    let failure: unknown
    try {
      const response = await (isResumed && turn.resume ? turn.resume(lastId) : turn.begin())
      isBegun ||= !turn.isRepeatable()
      for await (const received of readEvents(response)) {
        isBegun = true
        attempt = 1
        lastId = received.id || lastId
        yield received
        if (received.event.event === 'turn_stop') return
      }
    } catch (error) {
      line.signal?.throwIfAborted()
      if (error instanceof TurnCutOff || (!isBegun && !turn.isRepeatable())) throw error
      if (isRefusal(error)) throw isResumed ? cannotResume(error) : error
      failure = error
    }
    const canAskAgain = isBegun ? turn.resume !== undefined && lastId !== '' : turn.isRepeatable()
    if (!canAskAgain || attempt > MOST_ATTEMPTS_IN_SILENCE) throw cutOff(failure)
    await openAgain(line, attempt)
  }
}

/** Sends a request until its answer has arrived whole. Only for requests that may be repeated. */
export async function askUntilAnswered<Value>(ask: () => Promise<Value>, line: Line): Promise<Value> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask()
    } catch (error) {
      line.signal?.throwIfAborted()
      if (isRefusal(error)) throw error
      if (attempt > MOST_ATTEMPTS_IN_SILENCE) throw cutOff(error)
    }
    await openAgain(line, attempt)
  }
}

/** The default between two attempts: a pause that grows. */
export function pauseBeforeAttempt(attempt: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, PAUSE_MS * attempt)
    if (signal?.aborted === true) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/** A refusal stays a refusal. With 502 to 504, a server may be stopping, or starting again behind a proxy. */
function isRefusal(error: unknown): error is AapError {
  return error instanceof AapError && !(error.status >= 502 && error.status <= 504)
}

async function openAgain({ reconnect, signal }: Line, attempt: number): Promise<void> {
  try {
    await reconnect(attempt, signal)
  } catch {
    // There is no server yet. The next attempt finds out, and they are counted.
    signal?.throwIfAborted()
  }
}

const cutOff = (cause: unknown): TurnCutOff => new TurnCutOff('The stream ended before the turn did.', { cause })

const cannotResume = (cause: AapError): TurnCutOff =>
  new TurnCutOff(`The turn cannot be resumed: ${cause.message}`, { cause })
