import type { EventOf, Recorded } from '../events/recorded-event.ts'
import type { CoverOffer } from '../events/call-events.ts'
import type { EntryId, SessionId, ToolCallId, TurnId } from '../ids.ts'
import type { JsonObject } from '../json.ts'
import {
  describeAccess,
  describeApprovalReason,
  parseApprovalReason,
  type ApprovalReason,
} from '../permission/approval-reason.ts'
import type { CallFacts, CallPreview } from '../events/call-facts.ts'
import type { EventStore } from '../ports/event-store.ts'
import {
  isChild,
  isWaitingForAnswer,
  loopsOf,
  type ActiveStep,
  type AnyLoop,
  type OpenCall,
  type SessionState,
} from '../state/session-state.ts'
import { spellOutLine } from '../spell-out.ts'

/** A call that a turn waits for, with everything that the person who answers it should see. */
export interface WaitingCall {
  readonly toolCallId: ToolCallId
  readonly turnId: TurnId
  readonly name: string
  /** Exactly what runs if the call is approved. */
  readonly input: JsonObject
  /** `client`: only the client that declared the tool can send its result. */
  readonly waitsFor: 'approval' | 'answer' | 'client'
  /** Who wants what, and why an answer is needed. */
  readonly sentence: string
  /** Absent for calls of the session's own agent. */
  readonly subAgent?: SubAgent
  readonly facts?: CallFacts
  readonly preview?: CallPreview
  readonly approval?: WaitingApproval
}

export interface WaitingApproval {
  readonly reason: ApprovalReason
  /** Hash of exactly what will run. */
  readonly callHash: string
  /** Whether *always allow in this session* may answer it. */
  readonly isCoverable: boolean
  /** What *always allow* can cover, narrowest first. */
  readonly offers: readonly CoverOffer[]
  /** What that would cover, if not every call of the tool. */
  readonly covers?: string
  /** What the call gets besides its sandbox, as sentences. */
  readonly access?: string
  readonly requestedAt: number
}

export interface SubAgent {
  readonly agent: string
  readonly description: string
}

const PAGE = 500

/** Lists the agent's own calls first. Reads the log from the oldest step that has a waiting call. */
export async function readWaitingCalls(
  state: SessionState,
  store: Pick<EventStore, 'readEvents'>,
): Promise<readonly WaitingCall[]> {
  const { turn, sessionId } = state
  if (turn === undefined) return []
  const found: WaitingCall[] = []
  const loops = loopsOf(turn).flatMap((loop) => {
    const calls = loop.step?.calls.filter(isWaitingForAnswer) ?? []
    return loop.step === undefined || calls.length === 0 ? [] : [{ loop, step: loop.step, calls }]
  })
  const records = await readRecords(sessionId, loops, store)
  for (const { loop, step, calls } of loops) {
    const subAgent = await readSubAgent(sessionId, loop, store)
    for (const call of calls) found.push(toWaitingCall(call, { turnId: turn.turnId, step, subAgent, records }))
  }
  return found
}

interface WaitingLoop {
  readonly loop: AnyLoop
  readonly step: ActiveStep
  readonly calls: readonly OpenCall[]
}

/** Collects what the log says about the waiting calls. */
interface Records {
  readonly answers: ReadonlyMap<EntryId, EventOf<'step.answered'>>
  readonly requests: ReadonlyMap<ToolCallId, Request>
}

interface Request {
  readonly at: number
  readonly event: EventOf<'approval.requested'>
}

async function readRecords(
  sessionId: SessionId,
  loops: readonly WaitingLoop[],
  store: Pick<EventStore, 'readEvents'>,
): Promise<Records> {
  const steps = new Set(loops.map(({ step }) => step.stepId))
  // An approval may be requested twice if the rules changed in between. The state has the hash of the open request.
  const hashes = new Map(
    loops.flatMap(({ calls }) => calls.map(({ toolCallId, approval }) => [toolCallId, approval?.callHash] as const)),
  )
  const wanted = steps.size + loops.flatMap(({ calls }) => calls).filter(isAwaitingApproval).length
  const answers = new Map<EntryId, EventOf<'step.answered'>>()
  const requests = new Map<ToolCallId, Request>()
  let after = Math.min(...loops.map(({ step }) => step.stepSeq)) - 1
  while (answers.size + requests.size < wanted) {
    const page: readonly Recorded[] = await store.readEvents(sessionId, after, PAGE)
    for (const { at, event } of page) {
      if (event.type === 'step.answered' && steps.has(event.stepId)) answers.set(event.stepId, event)
      if (event.type !== 'approval.requested' || hashes.get(event.toolCallId) !== event.callHash) continue
      requests.set(event.toolCallId, { at, event })
    }
    after = page.at(-1)?.seq ?? after
    // The seeded calls of a turn have no step in the log.
    if (page.length === 0) break
  }
  return { answers, requests }
}

async function readSubAgent(
  sessionId: SessionId,
  loop: AnyLoop,
  store: Pick<EventStore, 'readEvents'>,
): Promise<SubAgent | undefined> {
  if (!isChild(loop)) return undefined
  const [started] = await store.readEvents(sessionId, loop.startSeq - 1, 1)
  const description = started?.event.type === 'loop.started' ? started.event.description : ''
  return { agent: loop.agent, description }
}

interface CallContext {
  readonly turnId: TurnId
  readonly step: ActiveStep
  readonly subAgent: SubAgent | undefined
  readonly records: Records
}

function toWaitingCall(call: OpenCall, { turnId, step, subAgent, records }: CallContext): WaitingCall {
  const { toolCallId, name, input } = call
  const inspection = records.answers.get(step.stepId)?.inspections?.[toolCallId]
  const request = isAwaitingApproval(call) ? records.requests.get(toolCallId) : undefined
  const approval = request && toApproval(request)
  return {
    toolCallId,
    turnId,
    name,
    input,
    waitsFor: isAwaitingApproval(call) ? 'approval' : call.phase === 'awaiting-client' ? 'client' : 'answer',
    sentence: describeWaiting(call, whoAsks(step, subAgent), approval),
    ...(subAgent && { subAgent }),
    ...(inspection && { facts: inspection.facts }),
    ...(inspection?.preview && { preview: inspection.preview }),
    ...(approval && { approval }),
  }
}

function toApproval({ at, event }: Request): WaitingApproval {
  const { callHash, isCoverable = true, covers, offers = [] } = event
  const access = describeAccess(event)
  return {
    reason: parseApprovalReason(event.reason),
    callHash,
    isCoverable,
    offers,
    ...(covers !== undefined && { covers }),
    ...(access !== '' && { access }),
    requestedAt: at,
  }
}

const isAwaitingApproval = ({ phase }: OpenCall): boolean => phase === 'awaiting-approval'

function describeWaiting(call: OpenCall, who: string, approval: WaitingApproval | undefined): string {
  const name = spellOutLine(call.name)
  if (call.phase === 'awaiting-client') return `${name} waits for a result from the client that brought the tool.`
  if (call.phase === 'awaiting-user') return `${who} has a question for you.`
  const reason = approval?.reason ?? parseApprovalReason()
  const again = reason.type === 'run-outside' ? ' again, outside of the sandbox' : ''
  const asks = `${who} asks to run ${name}${again}.`
  return [asks, approval?.access ?? '', describeApprovalReason(reason)].filter((text) => text !== '').join(' ')
}

function whoAsks(step: ActiveStep, subAgent: SubAgent | undefined): string {
  if (step.by === 'engine') return 'The server'
  if (subAgent === undefined) return 'The agent'
  const { description, agent } = subAgent
  return `The sub-agent “${spellOutLine(description === '' ? agent : description)}”`
}
