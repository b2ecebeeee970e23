import type { Describe } from '@polylogue/blade'
import { asSessionId } from '@polylogue/engine'
import type { Parts } from '../compose.ts'

/** What the log of a session does not say of its agent. */
export function describeSessions({
  agents,
  models,
  workspaces,
}: Pick<Parts, 'agents' | 'models' | 'workspaces'>): Describe {
  return {
    toolTitle: (agent, tool) => agents.find(agent)?.tools.find(({ name }) => name === tool)?.title,
    contextWindow(agent, model) {
      const found = agents.find(agent)
      const isOwn = model === undefined || model === found?.modelName
      const own = found?.contextWindow ?? found?.model.contextWindow
      return isOwn ? own : models.find(model)?.model.contextWindow
    },
    directoryOf: ({ sessionId, agent, directories }) =>
      workspaces.locate({ sessionId: asSessionId(sessionId), agent, directories }).cwd,
  }
}
