import type { JsonObject } from '../json.ts'
import type { Tool } from '../ports/tool.ts'
import type { CallFacts } from './call-facts.ts'
import type { Policy, Verdict } from './policy.ts'

/** The one place that decides whether a call of one of the agent's tools may run. Pure. */
export function judgeCall(tool: Tool, _input: JsonObject, _facts: CallFacts, policy: Policy): Verdict {
  const decision = judge(tool, policy)
  return { decision, reason: `mode-preset:${tool.name}`, isCoverable: true }
}

/** Whether the model is offered the tool at all: not when it is disabled, nor when every call of it would be denied. */
export function isOffered(tool: Tool, policy: Policy): boolean {
  const decision = judge(tool, policy)
  return decision === 'allow' || decision === 'ask'
}

function judge(tool: Tool, { access, preset }: Policy): Verdict['decision'] {
  const verdict = presetVerdict(tool, preset)
  if (access.type === 'preset') return verdict
  if (!tool.exposed) return verdict === 'ask' ? 'allow' : verdict
  const grant = access.tools.find((listed) => listed.name === tool.name)
  if (grant === undefined) return 'disabled'
  if (verdict === 'deny') return 'deny'
  return grant.trust === true ? 'allow' : 'ask'
}

function presetVerdict(tool: Tool, preset: Policy['preset']): 'allow' | 'ask' | 'deny' {
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
