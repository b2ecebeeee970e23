import type { Clock, Model } from '@polylogue/engine'
import { estimateInputTokens } from '../input-tokens.ts'
import { wait } from '../wait.ts'
import { toWords } from '../words.ts'
import { answerOf } from './demo-answer.ts'

/** Slow enough to see that it streams, fast enough not to wait for it. */
const MS_PER_WORD = 12

/** A guide for the first minutes: prepared answers to a few words, streamed like those of a real model. */
export function createDemoModel({ clock }: { readonly clock: Clock }): Model {
  return {
    async *stream(request, signal) {
      const { thinking, text, call } = answerOf(request)
      let outputTokens = 0
      for (const [type, words] of [
        ['thinking', toWords(thinking)],
        ['text', toWords(text)],
      ] as const) {
        for (const word of words) {
          if (signal.aborted) return
          yield { type, text: word }
          outputTokens++
          await wait(clock, MS_PER_WORD, signal)
        }
      }
      if (signal.aborted) return
      if (call) yield { type: 'tool-call', id: `demo_${request.messages.length}`, name: call.tool, input: call.input }
      yield {
        type: 'finished',
        finish: call ? 'tool-calls' : 'stop',
        usage: { inputTokens: estimateInputTokens(request), outputTokens },
      }
    },
  }
}
