import type { Tool, Workspace } from '@polylogue/engine'
import type { Skill } from '@polylogue/tools'

/**
 * The same tool, which also reaches the folders of skills. Only for tools that read: for the others these folders stay
 * outside, and where they lie in a workspace, out of reach.
 */
export function readSkillFiles(tool: Tool, skills: readonly Skill[]): Tool {
  if (skills.length === 0) return tool
  const folders = skills.map(({ directory }) => directory)
  const widen = (workspace: Workspace): Workspace => ({ ...workspace, roots: [...workspace.roots, ...folders] })
  const { inspect } = tool
  return {
    ...tool,
    ...(inspect && { inspect: (input: unknown, workspace: Workspace) => inspect(input, widen(workspace)) }),
    run: (invocation) => tool.run({ ...invocation, workspace: widen(invocation.workspace) }),
  }
}
