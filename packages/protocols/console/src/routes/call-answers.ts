import { asSessionId, type Recorded, type SessionId, type UserId } from '@polylogue/engine'
import type { RecordedCall, callOperations } from '../contract/calls.ts'
import type { Answers } from './answer-operations.ts'
import type { ConsoleDeps } from './deps.ts'
import { toDiffsJson } from './encode-session.ts'
import { Refusal } from './refusal.ts'

const PAGE = 500

type Draft = { -readonly [Key in keyof RecordedCall]: RecordedCall[Key] }

type CallDeps = Pick<ConsoleDeps, 'engine' | 'events'>

export function answerCalls(deps: CallDeps): Answers<typeof callOperations> {
  return {
    readCall: ({ caller: { userId }, params }) =>
      findCall(deps, { userId, sessionId: asSessionId(params.id), toolCallId: params.call }),
  }
}

export interface AskedCall {
  readonly userId: UserId
  readonly sessionId: SessionId
  readonly toolCallId: string
}

/** Throws a `Refusal` for an unknown call. */
export async function findCall({ engine, events }: CallDeps, asked: AskedCall): Promise<RecordedCall> {
  const { userId, sessionId, toolCallId } = asked
  // The engine refuses a session of another user as an unknown one; the store does not look at users.
  const { lastSeq } = await engine.readSession(userId, sessionId)
  const found: { call?: Draft } = {}
  for (let after = 0; after < lastSeq && found.call?.settled === undefined;) {
    const page = await events.readEvents(sessionId, after, PAGE)
    for (const recorded of page) addTo(found, toolCallId, recorded)
    const last = page.at(-1)?.seq
    if (last === undefined) break
    after = last
  }
  if (found.call === undefined) throw new Refusal(404, 'No such call.')
  return found.call
}

function addTo(found: { call?: Draft }, id: string, { at, event }: Recorded): void {
  if (event.type === 'step.answered') {
    const block = event.blocks.find((one) => one.type === 'tool-call' && one.toolCallId === id)
    if (block?.type !== 'tool-call') return
    const { facts, preview } = event.inspections?.[id] ?? {}
    found.call = {
      toolCallId: id,
      turnId: event.turnId,
      name: block.name,
      input: block.input,
      ...(facts && { facts }),
      diffs: toDiffsJson(preview),
    }
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
  } else if (event.type === 'tool-call.started') {
    call.startedAt = at
  } else if (event.type === 'tool-call.settled') {
    const { status, by, durationMs, via } = event
    call.settled = { at, status, by, durationMs, via }
  }
}
