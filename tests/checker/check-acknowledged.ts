import { textOf, type Recorded } from '@polylogue/engine'
import type { Acknowledgement, SessionHistory, Violation } from './history.ts'

/** I1: whatever a client was told is stored, is stored, and once. */
export function checkAcknowledged({ acknowledged, stored }: SessionHistory): Violation[] {
  return acknowledged.flatMap((told) => {
    const proofs = stored.filter((recorded) => proves(recorded, told))
    const count = proofs.length
    const isKept = told.type === 'input' ? count > 0 && proofs.filter(isLasting(stored)).length <= 1 : count > 0
    return isKept
      ? []
      : [{ invariant: 'I1', message: `${describe(told)} was acknowledged and is stored ${count} times` }]
  })
}

/** An input that was dropped may be admitted again. */
function isLasting(stored: readonly Recorded[]): (recorded: Recorded) => boolean {
  const dropped = new Set(stored.flatMap(({ event }) => (event.type === 'input.dropped' ? [event.inputId] : [])))
  return ({ event }) => event.type !== 'input.admitted' || !dropped.has(event.inputId)
}

function proves({ seq, event }: Recorded, told: Acknowledgement): boolean {
  switch (told.type) {
    case 'input':
      if (told.seq !== undefined && event.type === 'input.admitted' && seq > told.seq) return false
      return event.type === 'input.admitted' && textOf(event.content) === told.text
    case 'answer':
      if (event.type === 'approval.resolved') return event.toolCallId === told.toolCallId
      if (event.type !== 'tool-call.settled' || event.toolCallId !== told.toolCallId) return false
      return event.by === 'client' || event.status === 'denied'
    case 'cancel':
      if (told.turnId !== undefined && !('turnId' in event && event.turnId === told.turnId)) return false
      return event.type === 'turn.cancel-requested' || (event.type === 'turn.ended' && event.outcome === 'cancelled')
  }
}

function describe(told: Acknowledgement): string {
  switch (told.type) {
    case 'input':
      return `the input ${JSON.stringify(told.text)}`
    case 'answer':
      return `the answer to ${told.toolCallId}`
    case 'cancel':
      return `a cancel of ${told.turnId ?? 'the turn'}`
  }
}
