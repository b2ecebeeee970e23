import type { Provider } from '../providers/find-provider.ts'
import { THINKING_EFFORTS, type ThinkingEffort } from '../providers/provider-config.ts'
import { findKnownModel } from './find-known-model.ts'

/** How much a model can be told to think, the least first. Empty: it does not think, cannot be told, or is not known. */
export function thinkingLevelsOf(provider: Provider, model: string): readonly ThinkingEffort[] {
  const known = findKnownModel(provider, model)?.thinking ?? []
  return THINKING_EFFORTS.filter((effort) => known.includes(effort))
}
