import { EngineError, unreachable } from '../errors.ts'
import type { TurnEnded, TurnOutcome, TurnSettings } from '../events/turn-events.ts'
import type { OpenRun, ScheduleRun } from '../ports/schedule-store.ts'
import type { Engine } from '../engine/engine-api.ts'

/** Turns runs into turns. A run is the first turn of the session that was chosen for it. */
export interface ScheduledTurns {
  hasBegun(run: ScheduleRun): Promise<boolean>
  /** Contract: idempotent. Rejects with an `EngineError` if the run cannot start. */
  begin(open: OpenRun): Promise<void>
  /** Resolves when the turn has ended, or with `undefined` if the engine stops first. */
  end(run: ScheduleRun): Promise<RunEnd | undefined>
}

export type RunEnd = { readonly status: 'completed' } | { readonly status: 'failed'; readonly error: string }

export interface ScheduledTurnsDeps {
  readonly engine: Pick<Engine, 'execute' | 'readSession' | 'attach'>
  /** The agent of schedules that do not name one. */
  defaultAgent(): string
  /** Tools that are not offered in unattended runs. */
  readonly withheldTools: readonly string[]
}

export function createScheduledTurns({ engine, defaultAgent, withheldTools }: ScheduledTurnsDeps): ScheduledTurns {
  const hasBegun = async ({ userId, sessionId }: ScheduleRun): Promise<boolean> => {
    try {
      await engine.readSession(userId, sessionId)
      return true
    } catch (error) {
      if (error instanceof EngineError && error.code === 'session-not-found') return false
      throw error
    }
  }

  const create = async ({ run, schedule }: OpenRun): Promise<void> => {
    const { title, prompt, model, agent = defaultAgent(), isUnattended, sourceSession } = schedule
    // A schedule that was made in a session has a prompt of its agent, perhaps from a page or a file.
    const isOthersText = sourceSession !== undefined
    const turnSettings: TurnSettings = {
      ...(isUnattended && { isUnattended, withheldTools }),
      ...(isOthersText && { isOthersText }),
    }
    await engine.execute({
      type: 'create-session',
      userId: run.userId,
      sessionId: run.sessionId,
      agent,
      access: { type: 'preset' },
      title,
      ...(model !== undefined && { model }),
      input: prompt,
      ...((isUnattended || isOthersText) && { turnSettings }),
    })
  }

  return {
    hasBegun,
    async begin(open) {
      try {
        await create(open)
      } catch (error) {
        // The run was already started: its session exists and was not changed.
        if (error instanceof EngineError || !(await hasBegun(open.run))) throw error
      }
    },

    async end({ userId, sessionId }) {
      const { promise, resolve } = Promise.withResolvers<RunEnd | undefined>()
      try {
        const attachment = await engine.attach(userId, sessionId, {
          after: { seq: 0 },
          reader: {
            recorded({ event }) {
              if (event.type !== 'turn.ended') return undefined
              resolve(endOf(event))
              return 'enough'
            },
            delta: () => undefined,
            closed: (reason) => resolve(reason === 'deleted' ? DELETED : undefined),
          },
        })
        const end = await promise
        attachment.detach()
        return end
      } catch (error) {
        if (error instanceof EngineError && error.code === 'session-not-found') return DELETED
        throw error
      }
    },
  }
}

const DELETED: RunEnd = { status: 'failed', error: 'Its session was deleted before it had ended.' }

const COMPLETED: ReadonlySet<TurnOutcome> = new Set<TurnOutcome>(['finished', 'token-limit', 'refused', 'step-limit'])

function endOf({ outcome, error }: TurnEnded): RunEnd {
  if (COMPLETED.has(outcome)) return { status: 'completed' }
  return { status: 'failed', error: error?.message ?? sentenceOf(outcome) }
}

function sentenceOf(outcome: TurnOutcome): string {
  switch (outcome) {
    case 'cancelled':
      return 'It was cancelled.'
    case 'interrupted':
      return 'The server stopped while it ran.'
    case 'failed':
      return 'It failed.'
    case 'finished':
    case 'token-limit':
    case 'refused':
    case 'step-limit':
      return 'It ended.'
    default:
      return unreachable(outcome)
  }
}
