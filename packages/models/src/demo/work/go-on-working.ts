// A whole piece of work, step by step. Which step comes next is read from the calls that were made and how they ended,
// so that a no, an error, a restart or a changed mode only changes what is left to do.
import type { OfferedTool } from '@polylogue/engine'
import { quote } from '../quote.ts'
import type { Conversation } from '../read-conversation.ts'
import type { Call, Telling } from '../telling.ts'
import { tellEnd } from './tell-end.ts'
import { type Progress, type StageState, readProgress } from './read-progress.ts'
import { STAGES, type StageName, callsOf } from './stage.ts'
import type { WorkTexts } from './work-texts.ts'

/** Where the plan is shown anew; in between it would only be noise. */
const PLANNED_AT: ReadonlySet<StageName> = new Set(['question', 'write', 'list'])

export function goOnWorking(
  { sinceUser }: Conversation,
  tools: readonly OfferedTool[],
  texts: WorkTexts,
): Omit<Telling, 'thinking'> {
  const progress = readProgress(sinceUser, tools, texts)
  const next = STAGES.find((stage) => progress.states.get(stage) === 'open')
  const said = tellNews(progress, texts)
  if (progress.last === undefined && next === undefined) return { text: said.join('\n\n') }
  if (next !== undefined) {
    const calls = [...planCalls(next, progress, texts), ...offeredOf(callsOf(next, progress.subject, texts), tools)]
    return { text: [...said, texts.before[next]].join('\n\n'), calls }
  }
  if (progress.plan === 'kept') {
    return {
      text: said.join('\n\n'),
      calls: [{ tool: 'TodoWrite', input: { todos: todosOf(undefined, progress, texts) } }],
    }
  }
  return { text: [...said, tellEnd(progress, texts)].join('\n\n') }
}

function tellNews(progress: Progress, texts: WorkTexts): readonly string[] {
  if (progress.last === undefined) return tellOpening(progress, texts)
  return progress.isNews ? [tellStage(progress.last, progress, texts)] : []
}

function tellOpening({ states }: Progress, texts: WorkTexts): readonly string[] {
  const missing = STAGES.filter((stage) => states.get(stage) === 'missing').map((stage) => toolOf(stage, texts))
  const isAll = STAGES.every((stage) => states.get(stage) !== 'open')
  if (missing.length === 0) return [texts.opening]
  const told = texts.missing([...new Set(missing)], isAll)
  return isAll ? [told] : [texts.opening, told]
}

function tellStage(stage: StageName, { states, words, subject, isChosen }: Progress, texts: WorkTexts): string {
  if (stage === 'question') return isChosen ? texts.chosen(subject) : texts.notChosen(subject)
  const tool = toolOf(stage, texts)
  const told = quote(words.get(stage) ?? '')
  switch (states.get(stage)) {
    case 'denied':
      return texts.denied(tool)
    case 'refused':
      return texts.refused(tool, told)
    case 'failed':
      return texts.failed(tool, told)
    case 'unknown':
      return texts.unknown(tool)
    default:
      return texts.done[stage]
  }
}

function planCalls(next: StageName, progress: Progress, texts: WorkTexts): readonly Call[] {
  const isFirst = progress.last === undefined
  if (progress.plan !== 'kept' || !(isFirst || PLANNED_AT.has(next))) return []
  return [{ tool: 'TodoWrite', input: { todos: todosOf(next, progress, texts) } }]
}

/** Without `current`: the work is over. What could not be done is no longer on the plan. */
function todosOf(current: StageName | undefined, { states }: Progress, { plan }: WorkTexts) {
  return STAGES.filter((stage) => isPlanned(states.get(stage))).map((stage) => ({
    content: plan[stage],
    status: stage === current ? 'in_progress' : states.get(stage) === 'open' ? 'pending' : 'completed',
  }))
}

const isPlanned = (state: StageState | undefined): boolean => state === 'open' || state === 'done'

const offeredOf = (calls: readonly Call[], tools: readonly OfferedTool[]): readonly Call[] =>
  calls.filter(({ tool }) => tools.some(({ name }) => name === tool))

export const toolOf = (stage: StageName, texts: WorkTexts): string => callsOf(stage, '', texts)[0].tool
