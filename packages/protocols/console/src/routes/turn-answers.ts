import { asSessionId } from '@polylogue/engine'
import type { turnOperations } from '../contract/turns.ts'
import type { Answers } from './answer-operations.ts'
import type { ConsoleDeps } from './deps.ts'
import { StreamedAnswer } from './streamed-answer.ts'

export function answerTurns({
  engine,
  readRows,
}: Pick<ConsoleDeps, 'engine' | 'readRows'>): Answers<typeof turnOperations> {
  return {
    async readTurns({ caller: { userId }, params, query }) {
      const sessionId = asSessionId(params.id)
      const { lastSeq } = await engine.readSession(userId, sessionId, 'guest')
      const { rows, ...page } = await readRows({ userId, sessionId, ...query })
      return new StreamedAnswer({ ...page, last: Math.max(lastSeq, page.seq) }, 'rows', rows)
    },
  }
}
