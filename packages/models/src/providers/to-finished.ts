import type { LanguageModelV4Usage } from '@ai-sdk/provider'
import type { ModelOutput, ModelRequest, StepFinish, Usage } from '@polylogue/engine'
import { estimateInputTokens } from '../input-tokens.ts'
import type { AnswerEnd, OutputTranslator } from './output-translator.ts'
import { cutOff, failed, type Problem } from './problem.ts'

const CHARACTERS_PER_TOKEN = 4

export type Finished = ModelOutput & { readonly type: 'finished' }

/** How a provider says that an answer ended, in the engine's words; a problem if it is no proper end. */
export function toFinished(
  { finish, usage }: AnswerEnd,
  answer: Pick<OutputTranslator, 'hasCalls' | 'hasOutput' | 'characters'>,
  { request, title }: { readonly request: ModelRequest; readonly title: string },
): Finished | Problem {
  const finished = (reason: StepFinish): Finished => ({
    type: 'finished',
    finish: reason,
    usage: toUsage(usage, request, answer.characters),
  })
  switch (finish.unified) {
    case 'stop':
    case 'tool-calls':
      return finished(answer.hasCalls ? 'tool-calls' : 'stop')
    case 'length':
      return finished('token-limit')
    case 'content-filter':
      return finished('refused')
    case 'interrupted':
      return cutOff(title)
    case 'other':
      if (answer.hasCalls) return finished('tool-calls')
      return answer.hasOutput ? finished('stop') : failed('model-error', `${title} ended without an answer.`)
    case 'error':
      return failed('model-error', `${title} could not complete its answer.`)
  }
}

/** Local servers often count nothing; an estimate is better than free. */
function toUsage(
  { inputTokens, outputTokens }: LanguageModelV4Usage,
  request: ModelRequest,
  characters: number,
): Usage {
  return {
    inputTokens: toCount(inputTokens.total) ?? estimateInputTokens(request),
    outputTokens: toCount(outputTokens.total) ?? Math.ceil(characters / CHARACTERS_PER_TOKEN),
  }
}

function toCount(value: number | undefined): number | undefined {
  return value !== undefined && Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined
}
