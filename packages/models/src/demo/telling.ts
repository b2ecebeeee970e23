import type { JsonObject } from '@polylogue/engine'

/** What the guide says and calls in one step, before a suggestion is added. */
export interface Telling {
  readonly thinking: string
  readonly text: string
  readonly slowText?: string | undefined
  readonly calls?: readonly Call[]
  /** Nothing is to be suggested after it. */
  readonly isWhole?: boolean
}

export interface Call {
  readonly tool: string
  readonly input: JsonObject
}
