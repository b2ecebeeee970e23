import type { StageName } from './stage.ts'

/** What the guide says while it does a whole piece of work. */
export interface WorkTexts {
  readonly opening: string
  /** Tools that the session does not have, and how to get them. `isAll`: there is nothing left to show. */
  readonly missing: (tools: readonly string[], isAll: boolean) => string
  readonly question: {
    readonly header: string
    readonly question: string
    readonly options: readonly { readonly label: string; readonly description: string }[]
  }
  /** Written about when nobody chose. */
  readonly usualSubject: string
  readonly file: { readonly text: (subject: string) => string; readonly draft: string; readonly final: string }
  readonly commandFor: { readonly list: string; readonly where: string; readonly stamp: string }
  /** Steps of the plan. */
  readonly plan: Readonly<Record<StageName, string>>
  /** Before the calls of a stage. */
  readonly before: Readonly<Record<StageName, string>>
  readonly chosen: (subject: string) => string
  readonly notChosen: (subject: string) => string
  readonly done: Readonly<Record<Exclude<StageName, 'question'>, string>>
  readonly denied: (stage: string) => string
  readonly refused: (stage: string, words: string) => string
  readonly failed: (stage: string, words: string) => string
  readonly unknown: (stage: string) => string
  readonly errand: {
    readonly description: string
    readonly prompt: (path: string) => string
    readonly looks: (path: string) => string
    readonly found: (path: string, lines: number, first: string) => string
    readonly failed: (path: string, words: string) => string
    readonly cannotRead: string
  }
  readonly end: {
    readonly head: string
    readonly marks: Readonly<Record<'done' | 'denied' | 'refused' | 'failed' | 'unknown' | 'left', string>>
    /** `directory` is absolute, where the command told it. */
    readonly file: (path: string, directory: string | undefined) => string
    readonly noFile: string
    readonly asked: string
    readonly planning: string
    readonly again: string
  }
}
