import type { RecordedEvent } from '../events/recorded-event.ts'
import type { StepAnswered } from '../events/step-events.ts'
import type { LoopId } from '../ids.ts'
import { DAY_MS } from '../ports/usage-store.ts'
import type { EngineParts } from '../engine-parts.ts'
import { findLoop, type ActiveTurn, type SessionState } from '../state/session-state.ts'
import { stepStarted } from './step-started.ts'
import type { RunDeps } from './turn-deps.ts'
import { findSpentBudget, type Budgets } from '../cost/budget.ts'
import type { SpentBudget } from '../events/spent-budget.ts'
import type { Spending } from '../ports/usage-store.ts'
import { QUESTION_TOOL, questionAbout, describeSpentBudget } from '../cost/budget-question.ts'

/** The model name that the log shows for the engine's own questions. */
const ASKED_BY = 'polylogue/budget'
const NOBODY_ASKED = 'Nobody was asked: the turn ends here.'

/**
 * Called before each model call of a turn, including those of sub-agents. When a budget is used up, it asks the user in
 * a separate step that the model never sees, and returns true. The loop then waits as for any other question.
 */
export async function isOverBudget(turn: ActiveTurn, loopId: LoopId, deps: RunDeps): Promise<boolean> {
  const { session, budgets: book, clock } = deps
  if (book === undefined) return false
  const budgets = book.budgetsOf(session.state.agent, turn.settings.keyId)
  const key = await spentWithKey(budgets, turn, deps)
  const { spent, raised } = session.state
  const found = findSpentBudget({
    now: clock.now(),
    budgets,
    currency: book.currency,
    turn: session.state.turn?.budget ?? turn.budget,
    session: { spent, raised },
    ...(key && { key }),
  })
  if (found === undefined) return false
  await putQuestion(found, { turn, loopId, isAsking: isAsking(found, budgets, turn) }, deps)
  return true
}

/**
 * Whether a budget may be used up. Needs only the state, so it is also true for every key with a budget: what a key has
 * spent is in the store.
 */
export function mayAskAboutBudget(
  state: SessionState,
  turn: ActiveTurn,
  { budgets: book, clock }: Pick<EngineParts, 'budgets' | 'clock'>,
): boolean {
  if (book === undefined) return false
  const budgets = book.budgetsOf(state.agent, turn.settings.keyId)
  if (budgets.key !== undefined) return true
  const { spent, raised } = state
  const { currency } = book
  const session = { spent, raised }
  return findSpentBudget({ now: clock.now(), budgets, currency, turn: turn.budget, session }) !== undefined
}

function isAsking({ scope }: SpentBudget, budgets: Budgets, { settings }: ActiveTurn): boolean {
  return settings.isUnattended !== true && budgets[scope]?.whenSpent !== 'stop'
}

async function spentWithKey(
  { key }: Budgets,
  { settings: { keyId } }: ActiveTurn,
  { usage, clock }: RunDeps,
): Promise<Spending | undefined> {
  if (key === undefined || keyId === undefined || usage === undefined) return undefined
  const now = clock.now()
  const today = Math.floor(now / DAY_MS)
  const fromDay = key.per === 'day' ? today : today + 1 - new Date(now).getUTCDate()
  return usage.spentWithKey(keyId, fromDay)
}

interface Place {
  readonly turn: ActiveTurn
  readonly loopId: LoopId
  /** Otherwise the question is answered with no immediately, so that all loops of the turn end in order. */
  readonly isAsking: boolean
}

async function putQuestion(spent: SpentBudget, place: Place, deps: RunDeps): Promise<void> {
  const { session, fence, ids } = deps
  const { turnId } = place.turn
  const stepId = ids.entryId()
  await session.commit((state) => {
    const { turn } = state
    const loop = turn?.turnId === turnId ? findLoop(turn, place.loopId) : undefined
    // Another loop of the turn asked first, or the turn was cancelled.
    const isMoot =
      turn?.budget.asked !== undefined || turn?.budget.stopped !== undefined || turn?.cancelled !== undefined
    if (loop === undefined || isMoot) return { events: [] }
    // The id is created here, so that a retry gets a new one.
    const toolCallId = ids.toolCallId()
    const answered: StepAnswered = {
      type: 'step.answered',
      turnId,
      stepId,
      blocks: [{ type: 'tool-call', toolCallId, name: QUESTION_TOOL, input: questionAbout(spent) }],
      routes: { [toolCallId]: 'question' },
      kinds: { [toolCallId]: 'question' },
      finish: 'tool-calls',
      usage: { inputTokens: 0, outputTokens: 0 },
      inspections: { [toolCallId]: { facts: { type: 'question' }, preview: { title: describeSpentBudget(spent) } } },
      by: 'engine',
      budget: spent,
    }
    const refused: RecordedEvent[] = [
      { type: 'tool-call.settled', turnId, toolCallId, status: 'denied', output: NOBODY_ASKED, by: 'engine' },
      { type: 'step.ended', turnId, stepId, outcome: 'completed' },
    ]
    const started = stepStarted(state, { turnId, stepId, loop, model: ASKED_BY })
    return { events: [started, answered, ...(place.isAsking ? [] : refused)], names: [toolCallId] }
  }, fence)
}
