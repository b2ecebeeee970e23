import type { Model } from './model.ts'

/** The models that a session may have instead of its agent's. */
export interface ModelCatalog {
  /** By `provider/model`. `undefined`: there is no such provider here, or it has no key. Contract: cheap, never throws. */
  find(name: string): NamedModel | undefined
  /** Those worth offering, the default first. */
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
}
