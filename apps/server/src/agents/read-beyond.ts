import type { Tool, ToolInvocation, Workspace } from '@polylogue/engine'

/**
 * Changes the tool: it also reaches these folders and what the session may read besides its workspace. Only for tools that
 * read: for the others all that stays outside, and where it lies in a workspace, out of reach.
 */
export function readBeyond(tool: Tool, folders: readonly string[]): Tool {
  const widen = (workspace: Workspace): Workspace => ({
    ...workspace,
    roots: [...workspace.roots, ...(workspace.readable ?? []), ...folders],
  })
  const { inspect, run } = tool
  // A copy would read the parameters, which are described on first use.
  return Object.assign(tool, {
    ...(inspect && { inspect: (input: unknown, workspace: Workspace) => inspect(input, widen(workspace)) }),
    run: (invocation: ToolInvocation) => run({ ...invocation, workspace: widen(invocation.workspace) }),
  })
}
