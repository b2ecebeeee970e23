import { asSessionId, type QueuedInput as EngineInput } from '@polylogue/engine'
import type { QueuedInput, queueOperations } from '../contract/queue.ts'
import type { Answers } from './answer-operations.ts'
import type { ConsoleDeps } from './deps.ts'
import { Refusal } from './refusal.ts'

export function answerQueue({ engine }: Pick<ConsoleDeps, 'engine'>): Answers<typeof queueOperations> {
  return {
    async readQueue({ caller: { userId }, params }) {
      return { inputs: (await engine.readQueue(userId, asSessionId(params.id))).map(toQueuedJson) }
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
