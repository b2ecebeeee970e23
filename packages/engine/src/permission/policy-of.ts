import type { SessionState } from '../session/state.ts'
import type { Policy } from './policy.ts'

export function policyOf({ access, preset }: SessionState): Policy {
  return { access, preset, denyRules: [], userRules: [], hosts: { allow: [], block: [] } }
}
