import { unreachable, type Failure, type TurnOutcome } from '@polylogue/engine'
import type { ChatEnd } from '../wire.ts'

export function toEndStatus(outcome: TurnOutcome): ChatEnd['status'] {
  switch (outcome) {
    case 'finished':
    case 'token-limit':
    case 'refused':
    case 'step-limit':
      return 'completed'
    case 'cancelled':
    case 'interrupted':
      return 'interrupted'
    case 'failed':
      return 'failed'
    default:
      return unreachable(outcome)
  }
}

export function toFinishReason(outcome: TurnOutcome, error?: Failure): ChatEnd['finish_reason'] {
  if (outcome === 'step-limit') return 'max_turns'
  if (error?.code === 'tool-failure') return 'tool_error'
  return toEndStatus(outcome) === 'completed' ? 'completed' : null
}

/** Blade's name of an error code. All codes of providers become `model_error`. */
export function toErrorCode(code: string): string {
  switch (code) {
    case 'output-schema-violation':
      return 'output_schema_violation'
    case 'tool-failure':
      return 'tool_error'
    case 'internal':
      return 'internal_error'
    case 'agent-gone':
      return 'agent_gone'
    case 'failed':
      return 'server_stopped'
    default:
      return 'llm_error'
  }
}
