import { asSessionId, type UserId } from '@polylogue/engine'
import type { CommandedSession } from '@polylogue/kit'
import type { commandOperations } from '../contract/commands.ts'
import type { Answers } from './answer-operations.ts'
import type { ConsoleDeps } from './deps.ts'
import { Refusal } from './refusal.ts'

export function answerCommands({
  engine,
  commands,
}: Pick<ConsoleDeps, 'engine' | 'commands'>): Answers<typeof commandOperations> {
  const find = async (userId: UserId, id: string): Promise<CommandedSession> => {
    const { sessionId, agent } = await engine.readSession(userId, asSessionId(id))
    return { userId, sessionId, agent }
  }
  return {
    async listCommands({ caller, params }) {
      const listed = commands.list(await find(caller.userId, params.id))
      return { commands: listed.map(({ name, description, hint }) => ({ name, description, hint })) }
    },
    async runCommand({ caller, params, body: { name, rest } }) {
      const session = await find(caller.userId, params.id)
      const answer = await commands.run(session, { name, rest: rest.trim() }, caller.revoked)
      if (answer === undefined) throw new Refusal(404, `There is no command /${name}.`)
      return { type: answer.type, text: answer.text }
    },
  }
}
