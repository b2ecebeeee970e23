import { asEntryId, asSessionId, type QueuedInput as EngineInput } from '@polylogue/engine'
import type { QueuedInput, queueOperations } from '../contract/queue.ts'
import type { Answers } from './answer-operations.ts'
import type { ConsoleDeps } from './deps.ts'
import { Refusal } from './refusal.ts'

export function answerQueue({ engine }: Pick<ConsoleDeps, 'engine'>): Answers<typeof queueOperations> {
  return {
    async readQueue({ caller: { userId }, params }) {
      return { inputs: (await engine.readQueue(userId, asSessionId(params.id))).map(toQueuedJson) }
    },

    async changeInput({ caller: { userId }, params, body: { text } }) {
      const sessionId = asSessionId(params.id)
      const inputId = asEntryId(params.input)
      const { changed } = await engine.execute({ type: 'change-input', userId, sessionId, inputId, text })
      const input = (await engine.readQueue(userId, sessionId)).find((queued) => queued.inputId === inputId)
      // It may have started in between, with the new words.
      if (!changed) throw new Refusal(404, 'No such message waits.')
      return input === undefined ? { inputId, turnId: '', text, attachments: 0 } : toQueuedJson(input)
    },

    async dropInput({ caller: { userId }, params }) {
      const sessionId = asSessionId(params.id)
      const queue = await engine.readQueue(userId, sessionId)
      const turnId = queue.find(({ inputId }) => inputId === params.input)?.turnId
      if (turnId === undefined) throw new Refusal(404, 'No such message waits.')
      await engine.execute({ type: 'cancel-turn', userId, sessionId, turnId, reason: 'dropped', dropQueue: false })
    },
  }
}

function toQueuedJson({ inputId, turnId, content }: EngineInput): QueuedInput {
  if (typeof content === 'string') return { inputId, turnId, text: content, attachments: 0 }
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return { inputId, turnId, text: texts.join('\n'), attachments: content.length - texts.length }
}
