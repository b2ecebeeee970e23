import {
  ASK_IN_TEXT,
  type JsonObject,
  type JsonValue,
  type ModelMessage,
  type OfferedTool,
  textOf,
} from '@polylogue/engine'
import { type Outcome, type ToolMessage, outcomeOf } from '../outcome.ts'
import { NEEDS_FILE, STAGES, type StageName, WHERE, callsOf, stageOf } from './stage.ts'
import type { WorkTexts } from './work-texts.ts'

/**
 * `open`: to be done. `missing`: the session does not have its tool. `left`: the file that it needs was not written.
 * Otherwise how its first call ended.
 */
export type StageState = 'open' | 'missing' | 'left' | Outcome['type']

export interface Progress {
  readonly states: ReadonlyMap<StageName, StageState>
  /** The newest stage that has calls. */
  readonly last: StageName | undefined
  /** Whether the newest calls are those of a stage, and not of the plan alone. */
  readonly isNews: boolean
  /** The words of the result of a stage that did not go well. */
  readonly words: ReadonlyMap<StageName, string>
  readonly subject: string
  /** Whether the user gave the subject. */
  readonly isChosen: boolean
  readonly directory: string | undefined
  /** `no`: nobody can or wants to see a plan. `finished`: it was shown with every step completed. */
  readonly plan: 'no' | 'kept' | 'finished'
}

interface MadeCall {
  readonly name: string
  readonly input: JsonObject
  readonly result: ToolMessage | undefined
}

const LONGEST_SUBJECT = 60

/** What has been done since the user asked for it, read from the calls and their results. */
export function readProgress(
  messages: readonly ModelMessage[],
  tools: readonly OfferedTool[],
  texts: WorkTexts,
): Progress {
  const made = readCalls(messages)
  const offered = new Set(tools.map(({ name }) => name))
  const states = new Map<StageName, StageState>()
  const words = new Map<StageName, string>()
  for (const stage of STAGES) {
    const [first] = callsOf(stage, '', texts)
    const result = made.find(({ name, input }) => name === first.tool && stageOf(name, input) === stage)?.result
    if (result !== undefined) {
      states.set(stage, outcomeOf(result).type)
      words.set(stage, textOf(result.content))
    } else if (!offered.has(first.tool)) states.set(stage, 'missing')
    else states.set(stage, NEEDS_FILE.has(stage) && !mayBeThere(states.get('write')) ? 'left' : 'open')
  }
  const answer = states.get('question') === 'done' ? toSubject(words.get('question') ?? '') : undefined
  return {
    states,
    words,
    last: lastStageOf(made),
    isNews:
      lastStageOf(readCalls(messages.slice(messages.findLastIndex(({ role }) => role === 'assistant')))) !== undefined,
    subject: answer ?? texts.usualSubject,
    isChosen: answer !== undefined,
    directory: directoryIn(made),
    plan: planOf(made, offered),
  }
}

function readCalls(messages: readonly ModelMessage[]): readonly MadeCall[] {
  const results = new Map<string, ToolMessage>()
  for (const message of messages) if (message.role === 'tool') results.set(message.toolCallId, message)
  return messages
    .flatMap((message) => (message.role === 'assistant' && typeof message.content !== 'string' ? message.content : []))
    .filter((part) => part.type === 'tool-call')
    .map(({ toolCallId, name, input }) => ({ name, input, result: results.get(toolCallId) }))
}

function lastStageOf(made: readonly MadeCall[]): StageName | undefined {
  return made.map(({ name, input }) => stageOf(name, input)).findLast((stage) => stage !== undefined)
}

/** Where the outcome is unknown, one looks. */
function mayBeThere(state: StageState | undefined): boolean {
  return state === 'open' || state === 'done' || state === 'unknown'
}

/** The first line of an answer, without what would break a heading. */
function toSubject(answer: string): string | undefined {
  if (answer === '(user unavailable)' || answer === ASK_IN_TEXT || answer.startsWith('The user did not answer.')) {
    return undefined
  }
  const [line = ''] = answer
    .split('\n')
    .map((one) =>
      one
        .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
        .replace(/^[ #>*-]+/, '')
        .trim(),
    )
    .filter((one) => one !== '')
  return line === '' ? undefined : line.slice(0, LONGEST_SUBJECT).replace(/[\uD800-\uDBFF]$/, '')
}

function directoryIn(made: readonly MadeCall[]): string | undefined {
  const told = made.find(({ name, input }) => name === 'Bash' && input['command'] === WHERE)?.result
  if (told === undefined || told.isError) return undefined
  const text = textOf(told.content).trim()
  return /^\/[^\n]*$/.test(text) ? text : undefined
}

function planOf(made: readonly MadeCall[], offered: ReadonlySet<string>): Progress['plan'] {
  const plans = made.filter(({ name }) => name === 'TodoWrite')
  if (plans.some(({ result }) => result?.isError === true)) return 'no'
  if (plans.some(({ input }) => isFinished(input['todos']))) return 'finished'
  return offered.has('TodoWrite') ? 'kept' : 'no'
}

function isFinished(todos: JsonValue | undefined): boolean {
  return Array.isArray(todos) && todos.every((todo: JsonValue) => isObject(todo) && todo['status'] === 'completed')
}

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
