import type { LanguageModelV4Usage } from '@ai-sdk/provider'
import type { ModelOutput, ModelRequest, StepFinish, Usage } from '@polylogue/engine'
import { estimateInputTokens } from '../input-tokens.ts'
import type { AnswerEnd, OutputTranslator } from './output-translator.ts'
import { cutOff, failed, type Problem } from './problem.ts'

const CHARACTERS_PER_TOKEN = 4

export type Finished = ModelOutput & { readonly type: 'finished' }

/** Translates the provider's finish reason; a problem if the answer did not end properly. */
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
      return { ...cutOff(title), ...told(usage) }
    case 'other':
      if (answer.hasCalls) return finished('tool-calls')
      if (answer.hasOutput) return finished('stop')
      return { ...failed('model-error', `${title} ended without an answer.`), ...told(usage) }
    case 'error':
      return { ...failed('model-error', `${title} could not complete its answer.`), ...told(usage) }
  }
}

/** Usage of a call without an answer; never estimated. */
function told(usage: LanguageModelV4Usage): { usage?: Usage } {
  const inputTokens = toCount(usage.inputTokens.total)
  const outputTokens = toCount(usage.outputTokens.total)
  if (inputTokens === undefined && outputTokens === undefined) return {}
  return { usage: { inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0, ...partsOf(usage) } }
}

/** Local servers often report no usage; an estimate is better than zero. */
function toUsage(usage: LanguageModelV4Usage, request: ModelRequest, characters: number): Usage {
  return {
    inputTokens: toCount(usage.inputTokens.total) ?? estimateInputTokens(request),
    outputTokens: toCount(usage.outputTokens.total) ?? Math.ceil(characters / CHARACTERS_PER_TOKEN),
    ...partsOf(usage),
  }
}

/** The fields that are present; most calls have none. */
function partsOf({ inputTokens, outputTokens }: LanguageModelV4Usage): Partial<Usage> {
  const parts = {
    cachedInputTokens: toCount(inputTokens.cacheRead),
    cacheWriteTokens: toCount(inputTokens.cacheWrite),
    reasoningTokens: toCount(outputTokens.reasoning),
  }
  return Object.fromEntries(Object.entries(parts).filter(([, count]) => count !== undefined && count > 0))
}

function toCount(value: number | undefined): number | undefined {
  return value !== undefined && Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined
}
