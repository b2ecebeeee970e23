import { asSessionId, type Recorded } from '@polylogue/engine'
import type { RecordedCall, callOperations } from '../contract/calls.ts'
import type { Answers } from './answer-operations.ts'
import type { ConsoleDeps } from './deps.ts'
import { Refusal } from './refusal.ts'

const PAGE = 500

type Draft = { -readonly [Key in keyof RecordedCall]: RecordedCall[Key] }

export function answerCalls({
  engine,
  events,
}: Pick<ConsoleDeps, 'engine' | 'events'>): Answers<typeof callOperations> {
  return {
    async readCall({ caller: { userId }, params }) {
      const sessionId = asSessionId(params.id)
      // The engine refuses a session of another user as an unknown one; the store does not look at users.
      const { lastSeq } = await engine.readSession(userId, sessionId)
      const found: { call?: Draft } = {}
      for (let after = 0; after < lastSeq && found.call?.settled === undefined;) {
        const page = await events.readEvents(sessionId, after, PAGE)
        for (const recorded of page) addTo(found, params.call, recorded)
        const last = page.at(-1)?.seq
        if (last === undefined) break
        after = last
      }
      if (found.call === undefined) throw new Refusal(404, 'No such call.')
      return found.call
    },
  }
}

function addTo(found: { call?: Draft }, id: string, { at, event }: Recorded): void {
  if (event.type === 'step.answered') {
    const block = event.blocks.find((one) => one.type === 'tool-call' && one.toolCallId === id)
    if (block?.type !== 'tool-call') return
    const facts = event.inspections?.[id]?.facts
    found.call = { toolCallId: id, turnId: event.turnId, name: block.name, input: block.input, ...(facts && { facts }) }
    return
  }
  const { call } = found
  if (call === undefined || !('toolCallId' in event) || event.toolCallId !== id) return
  if (event.type === 'approval.requested') {
    const { callHash, reason, covers } = event
    call.requested = { at, callHash, reason, covers }
  } else if (event.type === 'approval.resolved') {
    const { granted, reason, scope, via } = event
    call.resolved = { at, granted, reason, scope, via }
  } else if (event.type === 'tool-call.settled') {
    const { status, by, durationMs, via } = event
    call.settled = { at, status, by, durationMs, via }
  }
}
