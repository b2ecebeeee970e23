import type { UserContent } from '../content.ts'
import type { EngineParts } from '../engine-parts.ts'
import { mergeSettings } from '../events/session-settings.ts'
import type { RecalledMemory } from '../events/turn-events.ts'
import type { Recorded, RecordedEvent } from '../events/recorded-event.ts'
import { LeaseHeld } from '../session/append-conflicts.ts'
import type { AdmittedTurn } from '../session/command.ts'
import type { TurnDecision } from '../session/decision.ts'
import type { Batch } from '../session/batch.ts'
import type { OpenSession } from '../session/open-session.ts'
import type { SessionState } from '../state/session-state.ts'
import { beginStep } from '../turn/begin-step.ts'
import type { Coordinator, PreparedRunner } from '../turn/coordinator.ts'
import { recallFor } from '../turn/recall-memories.ts'

export interface Admission {
  readonly decision: TurnDecision
  readonly batch: Batch
  /** The input of a turn that starts. Memories are recalled for it. */
  readonly input?: UserContent
}

export interface AdmissionDeps extends EngineParts {
  readonly coordinator: Coordinator
}

type Build = (state: SessionState) => Admission

/**
 * Records what a command decided, and starts or wakes a runner. If this process may run the turn, the claim joins the
 * append, and so does the start of the first model step if nothing has to happen before it.
 */
export async function recordAdmission(session: OpenSession, build: Build, deps: AdmissionDeps): Promise<AdmittedTurn> {
  try {
    return await record(session, build, { deps, prepare: () => deps.coordinator.prepare(session) })
  } catch (error) {
    if (!(error instanceof LeaseHeld)) throw error
    return record(session, build, { deps, prepare: () => undefined })
  }
}

interface Recording {
  readonly deps: AdmissionDeps
  prepare(): PreparedRunner | undefined
}

async function record(session: OpenSession, build: Build, { deps, prepare }: Recording): Promise<AdmittedTurn> {
  let decision: TurnDecision | undefined
  let runner: PreparedRunner | undefined
  // A batch that is built again after a conflict must not count its memories twice.
  let memories: Promise<readonly RecalledMemory[]> | undefined
  try {
    const { recorded, fence } = await session.commitBatch((state) => {
      const admission = build(state)
      decision = admission.decision
      if (!decision.queued) runner ??= prepare()
      if (runner === undefined) return admission.batch
      memories ??= recall(admission, state, deps)
      return withStart(admission, { session, runner, deps, memories })
    })
    if (decision === undefined) throw new Error('the commit made no decision')
    if (runner === undefined) deps.coordinator.wake(session)
    else if (fence === undefined) runner.dismiss()
    else runner.start(fence)
    return toAdmitted(decision, recorded)
  } catch (error) {
    runner?.dismiss()
    throw error
  }
}

interface Start {
  readonly session: OpenSession
  readonly runner: PreparedRunner
  readonly deps: AdmissionDeps
  readonly memories: Promise<readonly RecalledMemory[]>
}

async function withStart({ batch, decision: { turnId } }: Admission, start: Start): Promise<Batch> {
  const { session, runner, deps } = start
  const memories = await start.memories
  const events: readonly RecordedEvent[] =
    memories.length === 0 ? batch.events : [...batch.events, { type: 'memories.recalled', turnId, memories }]
  const { claim } = runner
  return { ...batch, events, claim, follow: (after) => beginStep(after, { parts: deps, session, added: events }) }
}

/** The settings that the command changes apply to its turn. */
async function recall(
  { batch, input }: Admission,
  state: SessionState,
  deps: AdmissionDeps,
): Promise<readonly RecalledMemory[]> {
  if (input === undefined) return []
  const { userId, sessionId } = state
  let { settings } = state
  for (const event of batch.events)
    if (event.type === 'session.configured') settings = mergeSettings(settings, event.settings)
  return recallFor(input, { userId, sessionId, settings }, deps)
}

export function toAdmitted(decision: TurnDecision, recorded: readonly Recorded[]): AdmittedTurn {
  const seq = recorded[decision.firstEvent]?.seq
  if (seq === undefined) throw new Error('a decision names an event it recorded')
  return { turnId: decision.turnId, seq, queued: decision.queued, repeated: false }
}
