import { textOf, type Recorded } from '@polylogue/engine'
import type { Acknowledgement, SessionHistory, Violation } from './history.ts'

/** I1: whatever a client was told is stored, is stored, and once. */
export function checkAcknowledged({ acknowledged, stored }: SessionHistory): Violation[] {
  return acknowledged.flatMap((told) => {
    const count = stored.filter((recorded) => proves(recorded, told)).length
    const isKept = told.type === 'input' ? count === 1 : count > 0
    return isKept
      ? []
      : [{ invariant: 'I1', message: `${describe(told)} was acknowledged and is stored ${count} times` }]
  })
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
