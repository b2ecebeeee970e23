import type { Clock, Model, ModelRequest } from '@polylogue/engine'
import { estimateInputTokens } from '../input-tokens.ts'
import { wait } from '../wait.ts'
import { toPieces } from './to-pieces.ts'

/** About thirty words a second: one sees that it streams, and does not wait for it. */
const MS_PER_PIECE = 33
/** Time enough to stop an answer, or to kill the server, in the middle of it. */
const SLOW_TEXT_MS = 28_000
const FACTORS: { readonly [pace: string]: number } = { slow: 3, fast: 0.1 }

/** A guide for the first minutes: prepared answers to words that it knows, streamed like those of a real model. */
export function createDemoModel({ clock }: { readonly clock: Clock }): Model {
  return {
    async *stream(request, signal) {
      const { answerOf } = await import('./demo-answer.ts')
      const { thinking, text, slowText, calls } = answerOf(request)
      const pace = paceOf(request)
      let outputTokens = 0
      const slowPieces = toPieces(slowText)
      for (const [type, pieces, msPerPiece] of [
        ['thinking', toPieces(thinking), MS_PER_PIECE],
        ['text', toPieces(text), MS_PER_PIECE],
        ['text', slowPieces, SLOW_TEXT_MS / slowPieces.length],
      ] as const) {
        for (const piece of pieces) {
          if (signal.aborted) return
          yield { type, text: piece }
          outputTokens++
          await wait(clock, msPerPiece * pace, signal)
        }
      }
      if (signal.aborted) return
      for (const [index, { tool, input }] of calls.entries()) {
        const id = `demo_${request.messages.length}${index === 0 ? '' : `_${index + 1}`}`
        yield { type: 'tool-call', id, name: tool, input }
      }
      yield {
        type: 'finished',
        finish: calls.length > 0 ? 'tool-calls' : 'stop',
        usage: { inputTokens: estimateInputTokens(request), outputTokens },
      }
    },
  }
}

function paceOf({ options }: ModelRequest): number {
  return FACTORS[options['pace'] ?? ''] ?? 1
}
