import { asToolCallId, type JsonObject, type ConversationMessage } from '@polylogue/engine'
import type { Hono } from 'hono'
import { ownerOperations, type ImportedMessage } from '../contract/import-session.ts'
import { answerOperations, type NodeEnv } from './answer-operations.ts'
import { checkDirectory } from './check-directory.ts'
import type { ConsoleDeps, RequestDeps } from './deps.ts'
import { refuseUnknownAgent } from './session-answers.ts'

export type OwnerDeps = RequestDeps & Pick<ConsoleDeps, 'engine' | 'agents'>

/** What only the owner socket offers, beside the rest; mounted at `BASE_PATH`. */
export function createOwnerRoutes(deps: OwnerDeps): Hono<NodeEnv> {
  const { engine, agents } = deps
  return answerOperations(
    ownerOperations,
    {
      async importSession({ caller: { userId }, body: { agent = agents.defaultName, directory, title, messages } }) {
        refuseUnknownAgent(agent, agents)
        const { sessionId } = await engine.execute({
          type: 'create-session',
          userId,
          agent,
          access: { type: 'preset' },
          seed: messages.map(toSeedMessage),
          ...(directory !== undefined && { directories: [await checkDirectory(directory)] }),
          ...(title !== undefined && { title }),
        })
        return { sessionId }
      },
    },
    deps,
  )
}

function toSeedMessage(given: ImportedMessage): ConversationMessage {
  switch (given.role) {
    case 'user':
      return given
    case 'tool':
      return { ...given, toolCallId: asToolCallId(given.toolCallId) }
    case 'assistant':
      return {
        role: given.role,
        content: given.content.map((piece) =>
          piece.type === 'tool-call'
            ? { ...piece, toolCallId: asToolCallId(piece.toolCallId), input: piece.input as JsonObject }
            : piece,
        ),
      }
  }
}
