import { canonicalJson } from '../canonical-json.ts'
import type { JsonValue } from '../json.ts'
import type { Digest } from '../ports/ids.ts'
import type { HostLists, Policy } from './policy.ts'
import type { PermissionRule } from '../ports/rule-store.ts'

/** What the operator says about permissions, for all users. */
export interface OperatorPolicy {
  readonly denyRules: readonly PermissionRule[]
  readonly hosts: HostLists
  /** The user who runs the server. Absent: nobody is. */
  readonly ownUser?: string
}

export function policyOf(
  { access, preset, userId }: Pick<Policy, 'access' | 'preset'> & { readonly userId: string },
  { denyRules, hosts, ownUser }: OperatorPolicy,
  userRules: readonly PermissionRule[],
): Policy {
  return { access, preset, denyRules, hosts, userRules, isOwn: userId === ownUser }
}

/** Part of what an approval is bound to. */
export function hashPolicy({ access, preset, denyRules, userRules, hosts, isOwn }: Policy, digest: Digest): string {
  // Through JSON, so that what is absent and what is undefined are the same.
  const plain = JSON.parse(JSON.stringify({ access, preset, denyRules, userRules, hosts, isOwn })) as JsonValue
  return digest(canonicalJson(plain))
}
