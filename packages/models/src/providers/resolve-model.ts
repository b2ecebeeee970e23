import type { Clock, LogEntry } from '@polylogue/engine'
import { findProvider } from './find-provider.ts'
import { ModelChoiceError } from './model-choice-error.ts'
import { findMissingPackage, installCommand } from './optional-packages.ts'
import { parseModelName } from './parse-model-name.ts'
import type { Environment, ModelSettings, ProviderConfigs } from './provider-config.ts'
import { createProviderModel, type NamedModel } from './provider-model.ts'
import type { Fetch } from './watched-fetch.ts'

export interface ModelDeps {
  readonly clock: Clock
  readonly env: Environment
  /** `providers` of the configuration. */
  readonly providers?: ProviderConfigs
  readonly fetch?: Fetch
  /** In [0, 1). */
  readonly random?: () => number
  /** Details for the log, with keys removed. */
  readonly log?: (entry: LogEntry) => void
}

/**
 * Finds the model named `provider/model`. Throws `ModelChoiceError`. A missing key is not an error yet, because a session may
 * bring its own. `settings` override the provider's.
 */
export function resolveModel(name: string, deps: ModelDeps, settings: ModelSettings = {}): NamedModel {
  const { provider: providerName, model } = parseModelName(name)
  const provider = findProvider(providerName, deps.providers ?? {}, deps.env)
  const missing = findMissingPackage(provider.kind)
  if (missing !== undefined) {
    throw new ModelChoiceError(`${provider.title} needs a package that is not installed: ${installCommand(missing)}`)
  }
  const { thinking, maxOutputTokens, images } = provider.config
  return createProviderModel({
    provider,
    model,
    modelName: `${providerName}/${model}`,
    settings: { thinking, maxOutputTokens, images, ...settings },
    clock: deps.clock,
    fetch: deps.fetch ?? globalThis.fetch,
    random: deps.random ?? Math.random,
    log: deps.log ?? (() => undefined),
  })
}
