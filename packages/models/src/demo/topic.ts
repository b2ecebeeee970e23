/** What the guide can show, in the order of its tour: the first is number 1. */
export const TOUR = [
  'streaming',
  'reading-tool',
  'asking-tool',
  'side-by-side',
  'long-answer',
  'crash',
  'shell',
  'model',
  'agent',
  'work',
] as const

export type Topic = (typeof TOUR)[number]

/** Topics that are shown by calling tools. */
export type ToolTopic = 'reading-tool' | 'asking-tool' | 'side-by-side'

/** Topics that are told, all at once. */
export type ToldTopic = Exclude<Topic, ToolTopic | 'work'>

export type Language = 'en' | 'zh'

export type PlainWish = 'greeting' | 'about' | 'menu' | 'next' | 'tools' | 'options' | 'thanks' | 'farewell'

/** What a message of the user is understood as. `word`: what it was recognised by, where that was a word. */
export type Wish =
  | { readonly type: 'topic'; readonly topic: Topic; readonly word?: string; readonly detail?: string }
  | { readonly type: 'use'; readonly tool: string; readonly json: string }
  /** What a sub-agent of the guide is told: to look into a file. */
  | { readonly type: 'errand'; readonly path: string }
  | { readonly type: PlainWish; readonly word?: string }
  | { readonly type: 'unknown'; readonly text: string }

export function numberOf(topic: Topic): number {
  return TOUR.indexOf(topic) + 1
}

/** What the tour goes on with: the first behind `last` that has not been shown, then the first of those before it. */
export function firstUnseen(shown: ReadonlySet<Topic>, last?: Topic): Topic | undefined {
  const start = last === undefined ? 0 : numberOf(last)
  return [...TOUR.slice(start), ...TOUR.slice(0, start)].find((topic) => !shown.has(topic))
}
