import type { Model, ModelMessage } from '../ports/model.ts'
import type { ModelContext } from '../views/model-context.ts'
import { sizeOfMessage } from './estimate-tokens.ts'

/** A context that fills this share of the window is compacted before the next model call. */
export const COMPACT_AT = 0.8
/** An estimate below this share of the threshold is trusted. Above it, the model's tokenizer counts. */
export const BELIEVED_BELOW = 0.8
/** The share of the window that the newest messages may keep. */
export const KEPT_SHARE = 0.3
/** Fewer messages are not worth a model call. */
const FEWEST_MESSAGES = 2
/** A compaction on request makes the context as short as possible. */
export const ASKED_FOR: CompactionAim = { kept: 0, fewestNew: FEWEST_MESSAGES }
/** The longest text of one message in the summary request. */
const LONGEST_TEXT = 4_000

export interface CompactionAim {
  /** The approximate number of tokens to keep unchanged. */
  readonly kept: number
  /** The minimum number of messages that no summary covers yet. */
  readonly fewestNew: number
}

export interface CompactionPlan {
  /** The messages to summarize. */
  readonly messages: readonly ModelMessage[]
  /** The last event that the summary covers. */
  readonly throughSeq: number
}

/**
 * Chooses the messages that a summary replaces: the oldest ones, including the previous summary. The cut is never
 * between a call and its result. `undefined`: there is not enough to compact.
 */
export function planCompaction(context: ModelContext, aim: CompactionAim, model: Model): CompactionPlan | undefined {
  const messages = context.messages()
  let room = aim.kept
  let cut = messages.length
  for (let index = messages.length - 1; index > 0; index -= 1) {
    const message = messages[index]
    if (message === undefined) break
    room -= sizeOfMessage(message, model)
    if (room < 0 && cut < messages.length) break
    if (message.role !== 'tool') cut = index
    if (room < 0) break
  }
  // A summary covers whole events. One event may have produced several messages, the last of them with open calls.
  while (cut < messages.length && (context.seqOf(cut) === context.seqOf(cut - 1) || messages[cut]?.role === 'tool'))
    cut += 1
  const old = messages.slice(0, cut)
  const isNew = (_: ModelMessage, index: number): boolean => context.seqOf(index) > context.summedThrough
  if (old.length < FEWEST_MESSAGES || old.filter(isNew).length < aim.fewestNew) return undefined
  return { messages: old.map(shorten), throughSeq: context.seqOf(cut - 1) }
}

/** Cuts long outputs: a summary does not need all of them, and its request must fit the window too. */
function shorten(message: ModelMessage): ModelMessage {
  if (typeof message.content !== 'string') {
    const content = message.content.map((part) =>
      part.type === 'text' ? { ...part, text: cutMiddle(part.text) } : part,
    )
    return { ...message, content } as ModelMessage
  }
  return { ...message, content: cutMiddle(message.content) }
}

function cutMiddle(text: string): string {
  if (text.length <= LONGEST_TEXT) return text
  const half = LONGEST_TEXT / 2
  const left = text.length - LONGEST_TEXT
  return `${text.slice(0, half)}\n[… ${left} characters left out …]\n${text.slice(-half)}`
}
