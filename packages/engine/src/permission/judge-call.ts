import type { Preset, ToolAccess } from '../events/recorded-event.ts'
import type { Tool } from '../ports/tool.ts'

/** `disabled`: the session does not have this tool; it is neither offered nor run. */
export type Judgement = 'allow' | 'ask' | 'deny' | 'disabled'

/** The one place that decides whether a tool of the agent may run. */
export function judgeTool(tool: Tool, access: ToolAccess, preset: Preset): Judgement {
  const verdict = presetVerdict(tool, preset)
  if (access.type === 'preset') return verdict
  if (!tool.exposed) return verdict === 'ask' ? 'allow' : verdict
  const grant = access.tools.find((listed) => listed.name === tool.name)
  if (grant === undefined) return 'disabled'
  if (verdict === 'deny') return 'deny'
  return grant.trust === true ? 'allow' : 'ask'
}

function presetVerdict(tool: Tool, preset: Preset): 'allow' | 'ask' | 'deny' {
  if (tool.effect === 'readonly') return 'allow'
  switch (preset) {
    case 'read-only':
    case 'plan':
      return 'deny'
    case 'workspace-write':
      return 'ask'
    case 'full-access':
      return 'allow'
  }
}
