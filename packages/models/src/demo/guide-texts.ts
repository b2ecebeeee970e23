import type { ToldTopic, ToolTopic, Topic } from './topic.ts'
import type { WorkTexts } from './work/work-texts.ts'

/** All that the guide says, in one language. It is a newcomer's documentation: all of it must stay true. */
export interface GuideTexts {
  readonly welcome: string
  readonly about: string
  /** Above and below the list of topics. */
  readonly menu: { readonly head: string; readonly titles: Readonly<Record<Topic, string>>; readonly foot: string }
  readonly topics: Readonly<Record<ToldTopic, string>>
  /** How topics go on that are meant to be disturbed meanwhile. */
  readonly slow: Readonly<Partial<Record<Topic, string>>>
  /** Said before the calls of a topic. */
  readonly calls: Readonly<Record<ToolTopic, string>>
  /** The session has no tool of this name. */
  readonly missing: (tool: string) => string
  readonly results: ResultTexts
  readonly work: WorkTexts
  readonly note: string
  readonly use: {
    readonly thinking: (tool: string) => string
    readonly calling: (tool: string) => string
    readonly unknown: (tool: string) => string
    readonly badInput: (tool: string) => string
  }
  readonly tools: { readonly some: string; readonly none: string; readonly foot: string }
  readonly options: { readonly some: string; readonly none: string; readonly secret: string; readonly foot: string }
  readonly next: (number: number, title: string) => string
  /** The tour is over. */
  readonly finished: string
  readonly thanks: string
  readonly farewell: string
  readonly unknown: (quoted: string) => string
  readonly wordless: string
  /** `said-in.ts` reads what the user said out of it again. */
  readonly summary: (count: number, said: string) => string
  readonly thinking: {
    readonly topic: (number: number, word: string | undefined) => string
    readonly word: (word: string) => string
    readonly unknown: string
    readonly results: (count: number) => string
    readonly tourIsOver: string
    readonly errand: string
  }
}

export interface ResultTexts {
  readonly answered: (tool: string, text: string) => string
  readonly time: string
  readonly timeDenied: string
  readonly noteKept: string
  readonly noteDenied: (reason: string | undefined) => string
  /** After one of the two, as long as the other has not been seen. */
  readonly tryDenying: string
  readonly tryAllowing: string
  readonly outcomeUnknown: (tool: string) => string
  readonly failed: string
  readonly sideBySide: string
}
