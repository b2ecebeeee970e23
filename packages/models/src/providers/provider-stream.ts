import type { Model, ModelOutput, ModelRequest } from '@polylogue/engine'
import type { Window } from '../known/window.ts'
import { wait } from '../wait.ts'
import { attempt, type AttemptEnd } from './attempt.ts'
import { delayBeforeRetry } from './backoff.ts'
import { readError } from './error-facts.ts'
import { loadLanguageModel } from './load-language-model.ts'
import { OutputTranslator } from './output-translator.ts'
import { cutOff, failed, inSentence, inWords, toProblem, type Problem } from './problem.ts'
import type { Provider } from './find-provider.ts'
import type { Deadlines, ThinkingEffort } from './provider-config.ts'
import type { ProviderModelParts } from './provider-model.ts'
import { redact } from './redact.ts'
import { toCallOptions } from './to-call-options.ts'
import { toFinished } from './to-finished.ts'
import { traitsOf } from './traits.ts'

/** Which parts of a request are sent. Shrinks when the provider rejects a part. */
interface Extent {
  withImages: boolean
  withTools: boolean
}

export interface ProviderStreamParts extends ProviderModelParts {
  readonly window: Window
  readonly thinkingLevels: readonly ThinkingEffort[]
}

/** Asks the provider. Contract: that of `Model.stream`. */
export function createProviderStream(parts: ProviderStreamParts): Model['stream'] {
  const { provider, model, modelName, settings, clock, random, window, thinkingLevels } = parts
  const { title, kind } = provider
  const traits = traitsOf(provider, model)
  const deadlines: Deadlines = { ...provider.deadlines, ...settings.deadlines }
  /** Remembered per model. Images are not: one may be broken and the next fine. */
  let takesTools = true

  return async function* stream(request, signal) {
    const apiKey = request.options['apiKey']?.trim() || provider.apiKey
    if (apiKey === undefined && provider.needsKey) {
      yield failedWith(missingKey(provider))
      return
    }
    if (apiKey !== undefined && !/^[!-~]+$/.test(apiKey)) {
      yield failedWith(failed('model-auth', `What was given as API key for ${inSentence(title)} cannot be one.`))
      return
    }
    const stop = new AbortController()
    const onStop = (): void => stop.abort()
    signal.addEventListener('abort', onStop)
    if (signal.aborted) stop.abort()
    const timer = clock.setTimer(deadlines.totalMs, onStop)
    try {
      yield* ask(request, apiKey, stop.signal)
      if (!stop.signal.aborted) window.learn()
      if (stop.signal.aborted && !signal.aborted) yield failedWith(tooLong(title, deadlines))
    } catch (error) {
      note({ problem: unexpected, error, apiKey })
      yield failedWith(unexpected)
    } finally {
      timer.cancel()
      signal.removeEventListener('abort', onStop)
      stop.abort()
    }
  }

  /** Retries until there is an answer, a final failure or an abort. Always ends with a last output unless aborted. */
  async function* ask(
    request: ModelRequest,
    apiKey: string | undefined,
    stop: AbortSignal,
  ): AsyncGenerator<ModelOutput, void> {
    const connect = await loadLanguageModel(provider, model)
    const extent: Extent = { withImages: settings.images ?? true, withTools: takesTools }
    const wanted = thinkingLevels.find((level) => level === request.thinking)
    const takesThinking = thinkingLevels.length > 0
    const asked = { ...settings, ...(wanted !== undefined && { thinking: wanted }) }
    for (let retries = 0; !stop.aborted;) {
      const call = await toCallOptions(request, { modelName, kind, traits, settings: asked, takesThinking, ...extent })
      const translator = new OutputTranslator(modelName, call.names)
      const end = yield* attempt(
        {
          clock,
          deadlines,
          fetch: parts.fetch,
          options: call.options,
          translator,
          connect: (fetch) => connect({ fetch, ...(apiKey !== undefined && { apiKey }) }),
        },
        stop,
      )
      if (end.type === 'stopped') return
      const result = end.type === 'complete' ? toFinished(end.end, translator, { request, title }) : problemOf(end)
      if ('type' in result) {
        yield result
        return
      }
      const canRepeat = !translator.hasOutput
      const isLess = canRepeat && lower(extent, result, call)
      const delay = canRepeat && !isLess ? delayBeforeRetry(result, retries, random) : undefined
      note({ problem: result, apiKey, ...(end.type === 'broken' && { error: end.error }), ...(delay && { delay }) })
      if (isLess) continue
      if (delay === undefined) {
        yield failedWith(result)
        return
      }
      retries++
      yield { type: 'retry', error: result.failure, delayMs: Math.round(delay) }
      await wait(clock, delay, stop)
    }
  }

  function problemOf(end: Exclude<AttemptEnd, { readonly type: 'complete' | 'stopped' }>): Problem {
    switch (end.type) {
      case 'unfinished':
        return cutOff(title)
      case 'stalled':
        return end.stall === 'first-byte'
          ? failed('model-stalled', `${title} did not begin to answer within ${inWords(deadlines.firstByteMs)}.`)
          : failed('model-stalled', `${title} sent nothing more for ${inWords(deadlines.idleMs)}.`)
      case 'broken':
        return toProblem(readError(end.error), { title, model, now: clock.now() })
    }
  }

  /** Whether to retry the request with fewer parts. */
  function lower(
    extent: Extent,
    { refused }: Problem,
    call: { readonly hasImages: boolean; readonly hasTools: boolean },
  ): boolean {
    if (refused === 'images' && extent.withImages && call.hasImages) {
      extent.withImages = false
      return true
    }
    if (refused === 'tools' && extent.withTools && call.hasTools) {
      extent.withTools = takesTools = false
      return true
    }
    return false
  }

  function note(event: {
    readonly problem: Problem
    readonly error?: unknown
    readonly apiKey: string | undefined
    readonly delay?: number
  }): void {
    const { problem, error, apiKey, delay } = event
    const facts = error === undefined ? undefined : readError(error)
    parts.log({
      level: 'warn',
      message: 'model call failed',
      model: modelName,
      code: problem.failure.code,
      ...(facts?.status !== undefined && { status: facts.status }),
      ...(facts && { detail: redact(facts.said, [apiKey ?? '', provider.apiKey ?? '']) }),
      ...(delay !== undefined && { retryInMs: Math.round(delay) }),
    })
  }
}

const unexpected = failed('model-error', 'The model call failed unexpectedly.')

function missingKey({ title, apiKeyFrom }: Provider): Problem {
  const sentence = `There is no API key for ${inSentence(title)}: set ${apiKeyFrom}, or the option apiKey of the session.`
  return failed('model-auth', sentence)
}

function tooLong(title: string, { totalMs }: Deadlines): Problem {
  return failed('model-stalled', `The answer of ${inSentence(title)} took longer than ${inWords(totalMs)}.`)
}

function failedWith({ failure, usage }: Problem): ModelOutput {
  return { type: 'failed', error: failure, ...(usage && { usage }) }
}
