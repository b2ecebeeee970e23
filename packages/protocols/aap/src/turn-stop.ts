import { unreachable, type Failure, type SegmentEnd, type TurnOutcome } from '@polylogue/engine'
import type { TurnStop } from './wire.ts'

export function toTurnStop(end: SegmentEnd): TurnStop {
  switch (end.type) {
    case 'waiting':
      return { stopReason: 'tool_use' }
    case 'deleted':
      return failure('The session was deleted.')
    case 'ended':
      return toOutcomeStop(end.outcome, end.error)
  }
}

function toOutcomeStop(outcome: TurnOutcome, error: Failure | undefined): TurnStop {
  switch (outcome) {
    case 'finished':
      return { stopReason: 'end_turn' }
    case 'token-limit':
      return { stopReason: 'max_tokens' }
    case 'refused':
      return { stopReason: 'refusal' }
    case 'step-limit':
      return failure(error?.message ?? 'The agent reached its step limit.')
    case 'failed':
      return failure(error?.message ?? 'The turn failed.')
    case 'interrupted':
      return failure(error?.message ?? 'The turn was interrupted.')
    case 'cancelled':
      return { ...failure(error?.message ?? 'The turn was cancelled.'), cancelled: true }
    default:
      return unreachable(outcome)
  }
}

function failure(message: string): TurnStop {
  return { stopReason: 'error', error: { message } }
}
