import type { Clock } from '@polylogue/engine'
import type { Provider } from '../providers/find-provider.ts'
import { readOllamaWindow } from '../providers/list-models.ts'
import type { Fetch } from '../providers/watched-fetch.ts'
import { findKnownModel } from './find-known-model.ts'

/** How many input tokens a model takes, as far as known. */
export interface Window {
  tokens(): number | undefined
  /** Called after each answer. Queries an Ollama server in the background. */
  learn(): void
}

/**
 * Ollama limits a model to the context it was started with and silently drops the beginning of longer input. It reports that
 * limit only while the model is loaded, which is the case right after an answer.
 */
export function createWindow(
  provider: Provider,
  model: string,
  deps: { readonly clock: Clock; readonly fetch: Fetch },
): Window {
  let tokens = findKnownModel(provider, model)?.window
  let isAsking = false
  return {
    tokens: () => tokens,
    learn() {
      if (provider.name !== 'ollama' || isAsking) return
      isAsking = true
      void readOllamaWindow(provider.baseUrl, model, deps).then((told) => {
        tokens = told ?? tokens
        isAsking = false
      })
    },
  }
}
