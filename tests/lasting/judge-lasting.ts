import type { Recorded } from '@polylogue/engine'
import { MEMORY } from './lasting-client.ts'

export const WINDOW = 3_000
/** Model calls, of the agent `thrifty`. */
const BUDGET = 3
/** Under this name the server's own questions stand in the log. */
const ASKED_BY = 'polylogue/budget'

export function complainOfMemories(memories: readonly string[]): string[] {
  const isRight = memories.length === 1 && memories[0] === MEMORY
  return isRight ? [] : [`the user's memories are ${JSON.stringify(memories)}`]
}

/** Whatever was cut: there was at least one, each has one end, and no request was larger than the window. */
export function complainOfCompactions(stored: readonly Recorded[]): string[] {
  const complaints: string[] = []
  const open = new Set<string>()
  let completed = 0
  for (const { seq, event } of stored) {
    const tokens = 'usage' in event ? (event.usage?.inputTokens ?? 0) : 0
    if (tokens > WINDOW) complaints.push(`the model was given ${tokens} tokens at ${seq}, its window is ${WINDOW}`)
    if (event.type === 'compaction.started') open.add(event.compactionId)
    if (event.type !== 'compaction.ended') continue
    if (!open.delete(event.compactionId)) complaints.push(`a compaction that is not open ends at ${seq}`)
    if (event.outcome === 'completed') completed += 1
    else if (event.error?.code !== 'interrupted') complaints.push(`a compaction failed: ${event.error?.message}`)
  }
  if (open.size > 0) complaints.push('a compaction never ended')
  if (completed === 0) complaints.push('nothing was compacted')
  return complaints
}

/** Nobody is asked in vain, and no model call is made that nobody has allowed. */
export function complainOfBudget(stored: readonly Recorded[]): string[] {
  const complaints: string[] = []
  const questions = new Set<string>()
  let calls = 0
  let allowed = BUDGET
  let asked = 0
  for (const { seq, event } of stored) {
    if (event.type === 'step.started' && event.model !== ASKED_BY) {
      if (calls >= allowed) complaints.push(`model call ${calls + 1} at ${seq}, but only ${allowed} were allowed`)
      calls += 1
    }
    if (event.type === 'step.answered' && event.by === 'engine') {
      asked += 1
      if (calls < allowed) complaints.push(`asked at ${seq} after ${calls} calls, but ${allowed} were allowed`)
      for (const block of event.blocks) if (block.type === 'tool-call') questions.add(block.toolCallId)
    }
    if (event.type === 'tool-call.settled' && questions.delete(event.toolCallId)) allowed = calls + BUDGET
  }
  if (asked === 0) complaints.push('the budget was never asked about')
  if (questions.size > 0) complaints.push('a question about the budget was never settled')
  return complaints
}

export interface Counted {
  readonly calls: number
  readonly inputTokens: number
}

/** What model calls of these logs came to, as far as anybody knows. */
export function countCalls(logs: readonly (readonly Recorded[])[]): Counted {
  let calls = 0
  let inputTokens = 0
  for (const { event } of logs.flat()) {
    if (event.type === 'step.started' && event.model !== ASKED_BY) calls += 1
    if (event.type === 'compaction.started') calls += 1
    if ('usage' in event) inputTokens += event.usage?.inputTokens ?? 0
  }
  return { calls, inputTokens }
}

export function complainOfUsage(told: Counted, logged: Counted): string[] {
  return told.calls === logged.calls && told.inputTokens === logged.inputTokens
    ? []
    : [`the usage is ${JSON.stringify(told)}, the logs say ${JSON.stringify(logged)}`]
}
