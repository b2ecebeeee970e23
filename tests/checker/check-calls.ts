import type { CallStatus, Recorded } from '@polylogue/engine'
import type { SessionHistory, Violation } from './history.ts'

interface CallStory {
  readonly id: string
  readonly tool: string
  readonly turnId: string
  starts: number
  isApprovalAsked: boolean
  isGranted: boolean
  readonly ends: CallStatus[]
  isToolDone: boolean
}

/** I5: every call of an ended turn has exactly one end. I6: its effect happened as often as its end says. */
export function checkCalls(history: SessionHistory): Violation[] {
  const { stored, effects, toolEffects } = history
  const ended = new Set(stored.flatMap(({ event }) => (event.type === 'turn.ended' ? [event.turnId as string] : [])))
  const calls = readCalls(stored)
  const times = (id: string): number => effects.filter((effect) => effect === id).length
  const violations: Violation[] = []
  for (const call of calls.values()) {
    const { id, ends } = call
    if (ends.length > 1)
      violations.push({ invariant: 'I5', message: `call ${id} ended ${ends.length} times: ${ends.join(', ')}` })
    if (ends.length === 0 && ended.has(call.turnId))
      violations.push({ invariant: 'I5', message: `call ${id} never ended, its turn did` })
    const declared = toolEffects[call.tool]
    if (declared === undefined) continue
    const count = times(id)
    if (declared === 'unsafe' && count > 1)
      violations.push({ invariant: 'I6', message: `call ${id} took effect ${count} times` })
    if (call.isToolDone && count === 0)
      violations.push({ invariant: 'I6', message: `call ${id} completed without its effect` })
    if (count > 0 && call.starts === 0)
      violations.push({ invariant: 'I6', message: `call ${id} took effect and was never recorded as started` })
    if (count > 0 && call.isApprovalAsked && !call.isGranted)
      violations.push({ invariant: 'I6', message: `call ${id} took effect without a grant` })
  }
  for (const id of new Set(effects)) {
    if (!calls.has(id)) violations.push({ invariant: 'I6', message: `call ${id} took effect and is not in the log` })
  }
  return violations
}

function readCalls(stored: readonly Recorded[]): ReadonlyMap<string, CallStory> {
  const calls = new Map<string, CallStory>()
  for (const { event } of stored) {
    if (event.type === 'step.answered') {
      for (const block of event.blocks) {
        if (block.type !== 'tool-call') continue
        const { toolCallId: id, name: tool } = block
        calls.set(id, {
          id,
          tool,
          turnId: event.turnId,
          starts: 0,
          isApprovalAsked: false,
          isGranted: false,
          ends: [],
          isToolDone: false,
        })
      }
    }
    const call = 'toolCallId' in event ? calls.get(event.toolCallId) : undefined
    if (call === undefined) continue
    if (event.type === 'tool-call.started') call.starts += 1
    if (event.type === 'approval.requested') call.isApprovalAsked = true
    if (event.type === 'approval.resolved') call.isGranted = event.granted
    if (event.type === 'tool-call.settled') {
      call.ends.push(event.status)
      call.isToolDone ||= event.by === 'tool' && event.status === 'completed'
    }
  }
  return calls
}
