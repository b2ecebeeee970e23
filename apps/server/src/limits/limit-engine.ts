import {
  EngineError,
  textOf,
  type Clock,
  type Command,
  type Engine,
  type UserContent,
  type UserId,
} from '@polylogue/engine'
import type { RunningTurns } from '../observe/running-turns.ts'
import { createRateLimit } from './rate-limit.ts'
import type { SharedCounts } from './shared-counts.ts'

export interface TurnLimits {
  readonly promptLength: number
  readonly promptsPerUserPerMinute: number
  readonly runningTurnsPerUser: number
}

export interface LimitEngineDeps {
  readonly limits: TurnLimits
  readonly turns: RunningTurns
  readonly clock: Clock
  /** The running turns of a user on all nodes. Absent: there is only this one. */
  countEverywhere?(userId: UserId): Promise<number>
  /** What other nodes count. Absent: there is only this one. */
  readonly shared?: SharedCounts
  /** A limit refused something. */
  refused(limit: 'prompts' | 'turns'): void
}

/**
 * The same engine, which no user can flood. It counts users and not keys, because a user may have many
 * keys; and it stands here and not at a door, because every door leads to it.
 */
export function limitEngine(engine: Engine, deps: LimitEngineDeps): Engine {
  const { limits, turns, clock, refused, countEverywhere, shared } = deps
  const own = createRateLimit(limits.promptsPerUserPerMinute, clock)
  const prompts = shared?.share('prompts', own) ?? own

  const admit = (userId: UserId, everywhere: number): void => {
    if (Math.max(turns.countOf(userId), everywhere) >= limits.runningTurnsPerUser) {
      refused('turns')
      throw new EngineError(
        'too-many-turns',
        `you have ${limits.runningTurnsPerUser} running turns, which is the limit`,
      )
    }
    const waitS = prompts.take(userId)
    if (waitS > 0) {
      refused('prompts')
      throw new EngineError('too-many-turns', `too many inputs in a minute; wait ${waitS} s`)
    }
  }

  return {
    ...engine,
    async execute<C extends Command>(command: C) {
      if (!runsTurn(command)) return engine.execute(command)
      checkLength(inputOf(command), limits.promptLength)
      admit(command.userId, (await countEverywhere?.(command.userId)) ?? 0)
      const done = turns.expect(command.userId, 'sessionId' in command ? command.sessionId : undefined)
      return engine.execute(command).finally(done)
    },
  }
}

function runsTurn(command: Command): boolean {
  return (
    command.type === 'start-turn' ||
    command.type === 'answer-calls' ||
    (command.type === 'create-session' && command.input !== undefined)
  )
}

function inputOf(command: Command): UserContent | undefined {
  if (command.type === 'start-turn') return command.content
  return command.type === 'create-session' ? command.input : undefined
}

function checkLength(input: UserContent | undefined, most: number): void {
  if (input !== undefined && textOf(input).length > most) {
    throw new EngineError('invalid-input', `the text is longer than ${most} characters`, 'content')
  }
}
