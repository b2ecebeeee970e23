import type { Clock, LogEntry, Model, ModelOutput, ModelRequest } from '@polylogue/engine'
import { createWindow } from '../known/window.ts'
import { thinkingLevelsOf } from '../known/thinking-levels.ts'
import { countTokens } from '../tokenizer.ts'
import type { Provider } from './find-provider.ts'
import type { ModelSettings } from './provider-config.ts'
import type { Fetch } from './watched-fetch.ts'

export interface ProviderModelParts {
  readonly provider: Provider
  /** The provider's own name for it. */
  readonly model: string
  /** `provider/model`: tags opaque parts that only this model understands. */
  readonly modelName: string
  readonly settings: ModelSettings
  readonly clock: Clock
  readonly fetch: Fetch
  /** In [0, 1). */
  random(): number
  log(entry: LogEntry): void
}

export interface NamedModel extends Model {
  /** `provider/model`, recorded with every step. Another model gets the history without opaque parts. */
  readonly modelName: string
  /** Loads the provider's package, so that the first request does not wait for it. */
  load(): Promise<void>
}

/** Tokens of the largest image that providers accept unscaled, according to their documentation. */
const TOKENS_PER_IMAGE = {
  anthropic: 1_600,
  openai: 1_500,
  google: 1_300,
  'openai-compatible': 1_500,
  bedrock: 1_600,
  vertex: 1_300,
} as const

/** What asks the provider is loaded with the first request. */
export function createProviderModel(parts: ProviderModelParts): NamedModel {
  const { provider, model, modelName, clock } = parts
  const window = createWindow(provider, model, { clock, fetch: parts.fetch })
  const thinkingLevels = thinkingLevelsOf(provider, model)
  let ask: Model['stream'] | undefined
  const prepare = async (): Promise<Model['stream']> => {
    const { createProviderStream } = await import('./provider-stream.ts')
    return (ask ??= createProviderStream({ ...parts, window, thinkingLevels }))
  }
  return {
    modelName,
    get contextWindow() {
      return window.tokens()
    },
    countTokens,
    ...(thinkingLevels.length > 0 && { thinkingLevels }),
    tokensPerImage: TOKENS_PER_IMAGE[provider.kind],
    async load() {
      const [{ loadLanguageModel }] = await Promise.all([import('./load-language-model.ts'), prepare()])
      await loadLanguageModel(provider, model)
    },
    stream: (request, signal) => ask?.(request, signal) ?? afterLoading(prepare, request, signal),
  }
}

async function* afterLoading(
  prepare: () => Promise<Model['stream']>,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelOutput> {
  const ask = await prepare()
  yield* ask(request, signal)
}
