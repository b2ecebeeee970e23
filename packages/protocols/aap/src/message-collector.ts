import type { ConversationMessage, Cursor, EventOf, SegmentEnd, SegmentPresenter, ShownCall } from '@polylogue/engine'
import { toTurnStop } from './turn-stop.ts'
import type { TurnStop } from './wire.ts'

/** What the agent produced in one segment, for the answer to a request that does not stream. */
export class MessageCollector implements SegmentPresenter {
  readonly messages: ConversationMessage[] = []
  stop: TurnStop | undefined

  segmentStarted(): void {
    // The answer is one piece.
  }

  stepStarted(): void {
    // Likewise.
  }

  delta(): void {
    // Likewise.
  }

  stepAnswered(_seq: number, { blocks }: EventOf<'step.answered'>): void {
    if (blocks.length > 0) this.messages.push({ role: 'assistant', content: blocks })
  }

  /** An unfinished step keeps its text and loses its calls. */
  stepEnded(_seq: number, { partial = [] }: EventOf<'step.ended'>): void {
    const content = partial.filter((block) => block.type === 'text')
    if (content.length > 0) this.messages.push({ role: 'assistant', content })
  }

  callsWaiting(calls: readonly ShownCall[], isSameMessage: boolean): void {
    const blocks = calls.map(({ call }) => call)
    const last = isSameMessage ? this.messages.at(-1) : undefined
    if (last?.role !== 'assistant' || typeof last.content === 'string') {
      this.messages.push({ role: 'assistant', content: blocks })
    } else this.messages[this.messages.length - 1] = { role: 'assistant', content: [...last.content, ...blocks] }
  }

  callSettled(_at: Cursor, { toolCallId, output }: EventOf<'tool-call.settled'>): void {
    this.messages.push({ role: 'tool', toolCallId, content: output })
  }

  segmentEnded(_seq: number, end: SegmentEnd): void {
    this.stop = toTurnStop(end)
  }
}
