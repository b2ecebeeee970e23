import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { Clock, ModelOutput } from '@polylogue/engine'
import type { AnswerEnd, OutputTranslator } from './output-translator.ts'
import type { Deadlines } from './provider-config.ts'
import { type Stall, watchForStalls } from './stall-watch.ts'
import { type Fetch, watchFetch } from './watched-fetch.ts'

export type AttemptEnd =
  | { readonly type: 'complete'; readonly end: AnswerEnd }
  /** The stream ended without a finish part. */
  | { readonly type: 'unfinished' }
  | { readonly type: 'stalled'; readonly stall: Stall }
  | { readonly type: 'broken'; readonly error: unknown }
  /** The signal aborted. */
  | { readonly type: 'stopped' }

export interface AttemptParts {
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly fetch: Fetch
  readonly options: LanguageModelV4CallOptions
  readonly translator: OutputTranslator
  /** Uses this attempt's own fetch. */
  connect(fetch: Fetch): LanguageModelV4
}

/**
 * Asks once. Never throws. Always closes the connection, also when the reader stops early.
 */
export async function* attempt(parts: AttemptParts, signal: AbortSignal): AsyncGenerator<ModelOutput, AttemptEnd> {
  const { clock, deadlines, translator } = parts
  const hangUp = new AbortController()
  let stall: Stall | undefined
  const watch = watchForStalls({
    clock,
    ...deadlines,
    onStall(which) {
      stall = which
      hangUp.abort()
    },
  })
  const onStop = (): void => hangUp.abort()
  signal.addEventListener('abort', onStop)
  if (signal.aborted) hangUp.abort()
  try {
    const stream = await openStream(parts, watchFetch(parts.fetch, watch.touch), hangUp.signal)
    for (;;) {
      watch.resume()
      const part = await stream.read()
      watch.hold()
      if (part === undefined) break
      const output = translator.take(part)
      if (output !== undefined) yield output
    }
  } catch (error) {
    if (!hangUp.signal.aborted) return { type: 'broken', error }
  } finally {
    watch.stop()
    signal.removeEventListener('abort', onStop)
    hangUp.abort()
  }
  if (stall !== undefined) return { type: 'stalled', stall }
  if (signal.aborted) return { type: 'stopped' }
  return translator.end === undefined ? { type: 'unfinished' } : { type: 'complete', end: translator.end }
}

interface PartReader {
  /** The next part; `undefined` at the end or after hanging up. */
  read(): Promise<LanguageModelV4StreamPart | undefined>
}

async function openStream({ connect, options }: AttemptParts, fetch: Fetch, hungUp: AbortSignal): Promise<PartReader> {
  const asked = Promise.resolve(connect(fetch).doStream({ ...options, abortSignal: hungUp }))
  const opened = await unlessAborted(asked, hungUp)
  if (opened === undefined) {
    asked.then(({ stream }) => stream.cancel().catch(ignore), ignore)
    return { read: () => Promise.resolve(undefined) }
  }
  const reader = opened.stream.getReader()
  // Ends a pending read at once, even if the layers below are slow to stop.
  const leave = (): void => void reader.cancel().catch(ignore)
  hungUp.addEventListener('abort', leave, { once: true })
  if (hungUp.aborted) leave()
  return {
    async read() {
      const { done, value } = await reader.read()
      return done ? undefined : value
    },
  }
}

/** `undefined` if the signal aborts first. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => resolve(undefined)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

/** Ignores what a stream reports after we left it. */
function ignore(): void {}
