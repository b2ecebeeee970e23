import { ModelChoiceError } from './model-choice-error.ts'

export interface ModelName {
  readonly provider: string
  /** As the provider names it; may contain `/` and `:`. */
  readonly model: string
}

/** Reads `provider/model`, split at the first `/`. Throws `ModelChoiceError`. */
export function parseModelName(name: string): ModelName {
  const slash = name.indexOf('/')
  const provider = name.slice(0, Math.max(slash, 0)).trim().toLowerCase()
  const model = name.slice(slash + 1).trim()
  if (provider === '' || model === '') {
    throw new ModelChoiceError(`${name} is no model: write provider/model, such as anthropic/claude-sonnet-5-5`)
  }
  return { provider, model }
}
