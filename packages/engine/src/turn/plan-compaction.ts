import type { Model, ModelMessage } from '../ports/model.ts'
import type { ModelContext } from '../views/model-context.ts'
import { sizeOfMessage } from './estimate-tokens.ts'

/** A context that fills this much of the window is compacted before the next model call. */
export const COMPACT_AT = 0.8
/** A guess below this much of that is believed; above it, the model's tokenizer counts. */
export const BELIEVED_BELOW = 0.8
/** How much of the window the newest messages may keep. */
export const KEPT_SHARE = 0.3
/** A summary of less is not worth a model call. */
const FEWEST_MESSAGES = 2
/** Who asks for it wants it as short as it gets. */
export const ASKED_FOR: CompactionAim = { kept: 0, fewestNew: FEWEST_MESSAGES }
/** Of one message, in the request for the summary. */
const LONGEST_TEXT = 4_000

export interface CompactionAim {
  /** About how many tokens stay as they are. */
  readonly kept: number
  /** How many messages it must sum up that no summary stands for yet. */
  readonly fewestNew: number
}

export interface CompactionPlan {
  /** What the summary is made of. */
  readonly messages: readonly ModelMessage[]
  /** The last event that it stands for. */
  readonly throughSeq: number
}

/**
 * Which messages a summary replaces: the oldest ones, and with them the summary before. The cut is never between a call
 * and its result. `undefined`: there is nothing worth it.
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
  // A summary stands for whole events, and one event may have brought several messages, the last ones with open calls.
  while (cut < messages.length && (context.seqOf(cut) === context.seqOf(cut - 1) || messages[cut]?.role === 'tool'))
    cut += 1
  const old = messages.slice(0, cut)
  const isNew = (_: ModelMessage, index: number): boolean => context.seqOf(index) > context.summedThrough
  if (old.length < FEWEST_MESSAGES || old.filter(isNew).length < aim.fewestNew) return undefined
  return { messages: old.map(shorten), throughSeq: context.seqOf(cut - 1) }
}

/** A summary does not need all of a long output, and the request for it must fit the window too. */
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
