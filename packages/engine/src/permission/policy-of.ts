import { canonicalJson } from '../canonical-json.ts'
import type { JsonValue } from '../json.ts'
import type { Digest } from '../ports/ids.ts'
import type { HostLists, Policy } from './policy.ts'
import type { PermissionRule } from '../ports/rule-store.ts'

/** The operator's permission settings, which apply to all users. */
export interface OperatorPolicy {
  readonly denyRules: readonly PermissionRule[]
  readonly hosts: HostLists
  /** The user who runs the server. Absent: no user does. */
  readonly ownUser?: string
  /** Who besides that user may use tools that run programs with all rights of the server. Default: nobody. */
  readonly unconfined?: 'everyone'
}

export function policyOf(
  { access, preset, userId }: Pick<Policy, 'access' | 'preset'> & { readonly userId: string },
  { denyRules, hosts, ownUser, unconfined }: OperatorPolicy,
  userRules: readonly PermissionRule[],
): Policy {
  const isOwn = userId === ownUser
  return { access, preset, denyRules, hosts, userRules, isOwn, mayRunUnconfined: isOwn || unconfined === 'everyone' }
}

/** A part of what an approval is bound to. */
export function hashPolicy({ access, preset, denyRules, userRules, hosts, isOwn }: Policy, digest: Digest): string {
  // A call is bound to its tool's definition by itself, so binding a rule does not change what was approved.
  const rules = userRules.map(({ definitions: _, ...rule }) => rule)
  // Serializing to JSON makes absent and undefined fields equal.
  const plain = JSON.parse(JSON.stringify({ access, preset, denyRules, userRules: rules, hosts, isOwn })) as JsonValue
  return digest(canonicalJson(plain))
}
