import type { JsonObject } from '@polylogue/engine'
import type { Call } from '../telling.ts'
import type { WorkTexts } from './work-texts.ts'

/** The parts of the work, in order. */
export const STAGES = ['question', 'write', 'edit', 'look', 'list', 'stamp', 'hand-over'] as const

export type StageName = (typeof STAGES)[number]

export const FILE = 'first-page.md'

/** Runs unasked. */
const LIST = 'ls -l'
export const WHERE = 'pwd'
/** Writes, so it is asked for. */
const STAMP = 'date > stamp.txt'

/** Stages that make no sense without the file. */
export const NEEDS_FILE: ReadonlySet<StageName> = new Set(['edit', 'look', 'hand-over'])

/** The first call is the one that the stage is about. */
export function callsOf(stage: StageName, subject: string, texts: WorkTexts): readonly [Call, ...Call[]] {
  switch (stage) {
    case 'question':
      return [{ tool: 'AskUserQuestion', input: { questions: [questionOf(texts)] } }]
    case 'write':
      return [{ tool: 'Write', input: { path: FILE, content: texts.file.text(subject) } }]
    case 'edit':
      return [{ tool: 'Edit', input: { path: FILE, oldText: texts.file.draft, newText: texts.file.final } }]
    case 'look':
      return [
        { tool: 'Read', input: { path: FILE } },
        { tool: 'Grep', input: { pattern: 'Polylogue', path: FILE } },
      ]
    case 'list':
      return [bash(LIST, texts.commandFor.list), bash(WHERE, texts.commandFor.where)]
    case 'stamp':
      return [bash(STAMP, texts.commandFor.stamp)]
    case 'hand-over': {
      const { description, prompt } = texts.errand
      return [{ tool: 'Agent', input: { description, prompt: prompt(FILE) } }]
    }
  }
}

/** Which stage a call belongs to. */
export function stageOf(tool: string, input: JsonObject): StageName | undefined {
  switch (tool) {
    case 'AskUserQuestion':
      return 'question'
    case 'Write':
      return 'write'
    case 'Edit':
      return 'edit'
    case 'Read':
    case 'Grep':
      return 'look'
    case 'Bash':
      return input['command'] === STAMP ? 'stamp' : 'list'
    case 'Agent':
      return 'hand-over'
    default:
      return undefined
  }
}

function bash(command: string, description: string): Call {
  return { tool: 'Bash', input: { command, description } }
}

function questionOf({ question: { header, question, options } }: WorkTexts): JsonObject {
  return { header, question, options: options.map((option) => ({ ...option })) }
}
