import type { Clock } from '@polylogue/engine'
import type { Provider } from '../providers/find-provider.ts'
import { readOllamaWindow } from '../providers/list-models.ts'
import type { Fetch } from '../providers/watched-fetch.ts'
import { findKnownModel } from './find-known-model.ts'

/** How many tokens of input a model takes, as far as that is known by now. */
export interface Window {
  tokens(): number | undefined
  /** Called after each answer. Asks the server in the background, where one is asked. */
  learn(): void
}

/**
 * An Ollama gives a model the room that it was started with, whatever the model could take, and silently forgets the
 * beginning of what is longer. It tells how much that is only while the model is loaded: after an answer it is.
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
