// What the guide does with tools: the calls that show a topic, those that it is told to make, and what it says when
// their results have come back.
import { type JsonObject, type OfferedTool, textOf } from '@polylogue/engine'
import { findTimeZone } from './find-time-zone.ts'
import type { GuideTexts, ResultTexts } from './guide-texts.ts'
import { quote } from './quote.ts'
import { type Outcome, outcomeOf } from './outcome.ts'
import type { Conversation } from './read-conversation.ts'
import type { Call, Telling } from './telling.ts'
import type { ToolTopic, Topic } from './topic.ts'

const ZONES = ['Asia/Shanghai', 'Europe/Berlin', 'America/New_York']
const LONGEST_NOTE = 500

export function isToolTopic(topic: Topic): topic is ToolTopic {
  return topic === 'reading-tool' || topic === 'asking-tool' || topic === 'side-by-side'
}

/** `detail`: what the user said, or the text of the note. */
export function callForTopic(
  topic: ToolTopic,
  detail: string | undefined,
  { tools, texts }: { readonly tools: readonly OfferedTool[]; readonly texts: GuideTexts },
): Omit<Telling, 'thinking'> {
  const calls = callsOf(topic, detail, texts)
  const missing = calls.find(({ tool }) => !tools.some(({ name }) => name === tool))
  return missing ? { text: texts.missing(missing.tool) } : { text: texts.calls[topic], calls }
}

function callsOf(topic: ToolTopic, detail: string | undefined, texts: GuideTexts): readonly Call[] {
  switch (topic) {
    case 'reading-tool': {
      const timeZone = detail === undefined ? undefined : findTimeZone(detail)
      return [{ tool: 'CurrentTime', input: timeZone === undefined ? {} : { timeZone } }]
    }
    case 'asking-tool':
      return [{ tool: 'KeepNote', input: { text: detail?.slice(0, LONGEST_NOTE) ?? texts.note } }]
    case 'side-by-side':
      return ZONES.map((timeZone) => ({ tool: 'CurrentTime', input: { timeZone } }))
  }
}

export function useTool(
  { tool, json }: { readonly tool: string; readonly json: string },
  tools: readonly OfferedTool[],
  { use }: GuideTexts,
): Telling {
  const thinking = use.thinking(tool)
  if (!tools.some(({ name }) => name === tool)) return { thinking, text: use.unknown(tool), isWhole: true }
  const input = parseObject(json)
  if (!input) return { thinking, text: use.badInput(tool), isWhole: true }
  return { thinking, text: use.calling(tool), calls: [{ tool, input }] }
}

export function answerResults(conversation: Conversation, texts: GuideTexts): Omit<Telling, 'thinking'> {
  const { wish, results } = conversation
  const said = results.map((result) => texts.results.answered(result.name, quote(textOf(result.content)))).join('\n')
  if (wish.type !== 'topic') return { text: said, isWhole: true }
  const { lesson, tellsResult = false } = lessonOf(wish.topic, conversation, texts.results)
  return { text: tellsResult ? lesson : `${said}\n\n${lesson}`.trimEnd() }
}

/** What there is to learn from the results; a no needs no other words than that. */
function lessonOf(
  topic: Topic,
  conversation: Conversation,
  texts: ResultTexts,
): { readonly lesson: string; readonly tellsResult?: boolean } {
  const [result] = conversation.results
  if (topic === 'side-by-side') return { lesson: texts.sideBySide }
  if (result === undefined || !isToolTopic(topic)) return { lesson: '' }
  const outcome = outcomeOf(result)
  if (outcome.type === 'unknown') return { lesson: texts.outcomeUnknown(result.name), tellsResult: true }
  if (outcome.type === 'failed' || outcome.type === 'refused') return { lesson: texts.failed }
  const tellsResult = outcome.type === 'denied'
  if (topic === 'asking-tool') return { lesson: lessonOfNote(outcome, conversation, texts), tellsResult }
  return { lesson: tellsResult ? texts.timeDenied : texts.time, tellsResult }
}

/** Both answers are worth seeing, so the other one is suggested until it was given. */
function lessonOfNote(outcome: Outcome, { earlierResults }: Conversation, texts: ResultTexts): string {
  const seen = earlierResults.filter(({ name }) => name === 'KeepNote').map((result) => outcomeOf(result).type)
  const isDenied = outcome.type === 'denied'
  const lesson = isDenied ? texts.noteDenied(outcome.reason) : texts.noteKept
  if (seen.includes(isDenied ? 'done' : 'denied')) return lesson
  return `${lesson} ${isDenied ? texts.tryAllowing : texts.tryDenying}`
}

function parseObject(json: string): JsonObject | undefined {
  if (json.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(json)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
