import type { Usage } from '../content.ts'
import { withCost } from '../cost/price.ts'
import type { CompactionEnded } from '../events/loop-events.ts'
import type { Failure } from '../events/recorded-event.ts'
import type { AgentDefinition } from '../ports/agent.ts'
import type { ModelMessage, ModelOutput, ModelRequest } from '../ports/model.ts'
import type { ModelContext } from '../views/model-context.ts'
import { buildModelRequest } from './build-model-request.ts'
import { countMessages, countTokens } from './estimate-tokens.ts'
import type { LoopRound } from './loop-place.ts'
import type { ExchangeRecorder } from './model-exchange.ts'
import { isPassing, watchReads, type WatchedReads } from './passing-fault.ts'
import type { CompactionPlan } from './plan-compaction.ts'
import type { RunDeps } from './turn-deps.ts'

const INSTRUCTIONS =
  'Summarise the conversation for yourself, so that you can go on without it. Keep what the user wants and has decided, ' +
  'what was done and found, names, numbers, paths and open questions. Leave out what no longer matters. Write nothing but ' +
  'the summary.'

const NO_SHORTER: Failure = {
  code: 'summary-too-long',
  message: 'The summary is not shorter than the text that it replaces.',
}

export type CompactionResult = Pick<
  CompactionEnded,
  'outcome' | 'summary' | 'throughSeq' | 'tokensAfter' | 'usage' | 'error'
>

interface Compacting {
  readonly plan: CompactionPlan
  readonly tokensBefore: number
  readonly exchange: ExchangeRecorder
}

/** Asks the model for a summary of the planned part. */
export async function summarise(
  { plan, tokensBefore, exchange }: Compacting,
  round: LoopRound,
  deps: RunDeps,
): Promise<CompactionResult> {
  const [agent] = round.line
  const request: ModelRequest = {
    ...(await buildModelRequest(round, deps)),
    system: INSTRUCTIONS,
    messages: plan.messages,
    tools: [],
    purpose: 'summary',
  }
  exchange.begin(request)
  const watched = watchReads(request)
  const asked = { ...watched, take: (output: ModelOutput) => exchange.take(output) }
  const answer = await askForText(asked, agent, deps)
  const usage = answer.usage && { usage: withCost(answer.usage, agent.modelName, deps.prices) }
  if (answer.error !== undefined) return { outcome: 'failed', error: answer.error, ...usage }
  const context = await deps.session.context(round.loop)
  const share = await shareLeft(context, context.messagesWith(answer.text, plan.throughSeq), agent)
  if (share >= 1) return { outcome: 'failed', error: NO_SHORTER, ...usage }
  return {
    outcome: 'completed',
    summary: answer.text,
    throughSeq: plan.throughSeq,
    tokensAfter: Math.round(tokensBefore * share),
    ...usage,
  }
}

/** The share of the context that remains. Both sizes are our own estimates, so that they are comparable. */
async function shareLeft(
  context: ModelContext,
  left: readonly ModelMessage[],
  { instructions, model }: AgentDefinition,
): Promise<number> {
  const around = await countTokens(instructions, model)
  const before = await countMessages(context.messages(), model)
  const after = await countMessages(left, model)
  return (around + after) / (around + before)
}

interface TextAnswer {
  readonly text: string
  readonly usage?: Usage
  readonly error?: Failure
}

/** A summary is not streamed. */
async function askForText(
  { request, check, take }: WatchedReads<ModelRequest> & { take(output: ModelOutput): void },
  { model }: AgentDefinition,
  { signal, log, session }: RunDeps,
): Promise<TextAnswer> {
  const failed = (message: string): TextAnswer => ({ text: '', error: { code: 'no-summary', message } })
  let text = ''
  try {
    for await (const output of model.stream(request, signal)) {
      if (signal.aborted) return failed('The summary was cancelled.')
      check()
      take(output)
      if (output.type === 'text') text += output.text
      if (output.type === 'failed')
        return { text: '', error: output.error, ...(output.usage && { usage: output.usage }) }
      if (output.type === 'finished')
        return {
          ...(text.trim() === '' ? failed('The model gave no summary.') : { text: text.trim() }),
          usage: output.usage,
        }
    }
  } catch (error) {
    if (isPassing(error)) throw error
    log({ level: 'error', message: 'a summary failed', sessionId: session.id, error })
  }
  return failed('The model gave no summary.')
}
