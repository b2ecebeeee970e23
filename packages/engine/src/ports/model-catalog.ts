import type { Model } from './model.ts'

/** The models that a session can use instead of its agent's model. */
export interface ModelCatalog {
  /**
   * Finds a model by `provider/model`. `undefined`: the provider is not configured or has no key. Contract: cheap,
   * never throws.
   */
  find(name: string): NamedModel | undefined
  /** The models to offer to users, the default first. */
  list(): readonly OfferedModel[]
}

export interface NamedModel {
  readonly model: Model
  /** `provider/model`, as it is recorded. */
  readonly modelName: string
}

export interface OfferedModel {
  /** `provider/model` */
  readonly name: string
  readonly title: string
  /** The name of its provider for people. Models of one group are shown together. */
  readonly group?: string
  /** How much it can be told to think, the least first. Absent: it cannot be told, or nothing is known about it. */
  readonly thinkingLevels?: readonly string[]
}
