import type { modelOperations } from '../contract/models.ts'
import type { Answers } from './answer-operations.ts'
import type { ConsoleDeps } from './deps.ts'

export function answerModels({ listModels }: Pick<ConsoleDeps, 'listModels'>): Answers<typeof modelOperations> {
  return { listModels: () => listModels() }
}
