import type { EventOf, ConversationMessage, SegmentEnd, SegmentPresenter, ToolCallPart } from '@polylogue/engine'
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

  callsWaiting(_seq: number, calls: readonly ToolCallPart[]): void {
    this.messages.push({ role: 'assistant', content: calls })
  }

  callSettled(_seq: number, { toolCallId, output }: EventOf<'tool-call.settled'>): void {
    this.messages.push({ role: 'tool', toolCallId, content: output })
  }

  segmentEnded(_seq: number, end: SegmentEnd): void {
    this.stop = toTurnStop(end)
  }
}
