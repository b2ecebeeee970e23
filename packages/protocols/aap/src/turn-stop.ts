import { unreachable, type Failure, type TurnOutcome } from '@polylogue/engine'
import type { TurnStop } from './wire.ts'

export const WAITING: TurnStop = { stopReason: 'tool_use' }

export function toTurnStop(outcome: TurnOutcome, error: Failure | undefined): TurnStop {
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

export const DELETED: TurnStop = failure('The session was deleted.')

function failure(message: string): TurnStop {
  return { stopReason: 'error', error: { message } }
}
