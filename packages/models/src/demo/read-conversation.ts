import type { ModelMessage, ModelRequest } from '@polylogue/engine'
import type { ToolMessage } from './outcome.ts'
import { recogniseWish } from './recognise-wish.ts'
import { saidIn } from './said-in.ts'
import { firstUnseen, type Language, type Topic, type Wish } from './topic.ts'

/** All that the guide knows, read anew from every request: it remembers nothing by itself. */
export interface Conversation {
  readonly language: Language
  /** What the newest message of the user asks for. A `next` that is left means that the tour is over. */
  readonly wish: Wish
  readonly isFirst: boolean
  /** Topics that were asked for, the newest included. */
  readonly shown: ReadonlySet<Topic>
  readonly next: Topic | undefined
  /** Results that came since the newest message of the user, those of the last step. */
  readonly results: readonly ToolMessage[]
  /** Results of earlier turns. */
  readonly earlierResults: readonly ToolMessage[]
  /** All that came since the newest message of the user. */
  readonly sinceUser: readonly ModelMessage[]
}

export function readConversation({ messages, tools, options }: ModelRequest): Conversation {
  const offered = tools.map(({ name }) => name)
  const shown = new Set<Topic>()
  let language: Language = 'en'
  let wish: Wish = { type: 'greeting' }
  let next = firstUnseen(shown)
  let count = 0
  for (const text of saidIn(messages)) {
    language = languageOf(text) ?? language
    wish = resolveNext(recogniseWish(text, offered), next)
    if (wish.type === 'topic') {
      shown.add(wish.topic)
      next = firstUnseen(shown, wish.topic)
    }
    count++
  }
  const newest = messages.findLastIndex(({ role }) => role === 'user')
  return {
    language: chosenLanguage(options['language']) ?? language,
    wish,
    isFirst: count <= 1,
    shown,
    next,
    results: messages.slice(messages.findLastIndex(({ role }) => role !== 'tool') + 1).filter(isResult),
    earlierResults: messages.slice(0, Math.max(newest, 0)).filter(isResult),
    sinceUser: messages.slice(newest + 1),
  }
}

function resolveNext(wish: Wish, topic: Topic | undefined): Wish {
  if (wish.type !== 'next' || topic === undefined) return wish
  return { type: 'topic', topic, ...(wish.word !== undefined && { word: wish.word }) }
}

/** `undefined`: neither, as in `3`, or as in the call of a tool. */
function languageOf(text: string): Language | undefined {
  if (/\p{Script=Hiragana}|\p{Script=Katakana}/u.test(text)) return 'en'
  if (/\p{Script=Han}/u.test(text)) return 'zh'
  return /^use\s|^[^\p{L}]*$/u.test(text) ? undefined : 'en'
}

function chosenLanguage(option: string | undefined): Language | undefined {
  if (option === '中文') return 'zh'
  return option === 'English' ? 'en' : undefined
}

function isResult(message: ModelMessage): message is ToolMessage {
  return message.role === 'tool'
}
