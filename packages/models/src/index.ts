export { createDemoModel } from './demo/demo-model.ts'
export type { GiveWay } from './give-way.ts'
export { createScriptedModel, type ScriptedModelParts } from './scripted/scripted-model.ts'
export { countTokens } from './tokenizer.ts'
export { describeProviders, type DescribedProvider } from './known/describe-providers.ts'
export { findListPrice } from './known/find-known-model.ts'
export { describeCatalogue, knownModelsOf, refreshedCatalogue, useRefreshedCatalogue } from './known/known-models.ts'
export type { KnownModels, RefreshedCatalogue } from './known/known-models.ts'
export { CATALOGUE_SOURCE, SOURCE_FILES, describeChanges, toCatalogue } from './known/to-catalogue.ts'
export { listServedModels, type ServedDeps } from './known/list-served-models.ts'
export { listUsableModels, type UsableModel } from './known/list-usable-models.ts'
export { chooseDefaultModel, type DefaultModel, type DefaultModelDeps } from './providers/choose-default-model.ts'
export { findKeyedProviders, findProvider, type Provider } from './providers/find-provider.ts'
export { ModelChoiceError } from './providers/model-choice-error.ts'
export {
  providersSchema,
  type Deadlines,
  type Environment,
  type ModelSettings,
  type ProviderConfig,
  type ProviderConfigs,
  type ProviderKind,
  type ThinkingEffort,
} from './providers/provider-config.ts'
export type { NamedModel } from './providers/provider-model.ts'
export { resolveModel, type ModelDeps } from './providers/resolve-model.ts'
