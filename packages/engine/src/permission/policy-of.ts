import { canonicalJson } from '../canonical-json.ts'
import type { JsonValue } from '../json.ts'
import type { Digest } from '../ports/ids.ts'
import type { HostLists, Policy } from './policy.ts'
import type { PermissionRule } from '../ports/rule-store.ts'

/** What the operator says about permissions, for all users. */
export interface OperatorPolicy {
  readonly denyRules: readonly PermissionRule[]
  readonly hosts: HostLists
}

export function policyOf(
  { access, preset }: Pick<Policy, 'access' | 'preset'>,
  operator: OperatorPolicy,
  userRules: readonly PermissionRule[],
): Policy {
  return { access, preset, ...operator, userRules }
}

/** Part of what an approval is bound to. */
export function hashPolicy({ access, preset, denyRules, userRules, hosts }: Policy, digest: Digest): string {
  // Through JSON, so that what is absent and what is undefined are the same.
  const plain = JSON.parse(JSON.stringify({ access, preset, denyRules, userRules, hosts })) as JsonValue
  return digest(canonicalJson(plain))
}
