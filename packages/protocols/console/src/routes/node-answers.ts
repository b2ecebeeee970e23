import type { nodeOperations } from '../contract/nodes.ts'
import type { Answers } from './answer-operations.ts'
import type { ConsoleDeps } from './deps.ts'
import { Refusal } from './refusal.ts'

type NodeDeps = Pick<ConsoleDeps, 'nodes' | 'isOperator'>

export function answerNodes({ nodes, isOperator }: NodeDeps): Answers<typeof nodeOperations> {
  return {
    async readNodes({ caller }) {
      // Leases name the sessions of all users.
      if (!isOperator(caller.userId)) throw new Refusal(403, 'Only the operator can read the nodes.')
      return nodes()
    },
  }
}
