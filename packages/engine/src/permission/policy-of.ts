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
  /** Whose approved commands may use the network. Default: those of the user who runs the server. */
  readonly network?: 'everyone' | 'nobody'
}

export function policyOf(
  { access, preset, userId }: Pick<Policy, 'access' | 'preset'> & { readonly userId: string },
  { denyRules, hosts, ownUser, unconfined, network }: OperatorPolicy,
  userRules: readonly PermissionRule[],
): Policy {
  const isOwn = userId === ownUser
  const mayRunUnconfined = isOwn || unconfined === 'everyone'
  const mayUseNetwork = network === 'everyone' || (isOwn && network !== 'nobody')
  return { access, preset, denyRules, hosts, userRules, isOwn, mayRunUnconfined, mayUseNetwork }
}

interface HashedPolicy {
  readonly policy: Policy
  readonly digest: Digest
  readonly hash: string
}

/** The newest hash for each list of tools: the calls of a turn are judged several times by one policy. */
const hashed = new WeakMap<Policy['access'], HashedPolicy>()

/** A part of what an approval is bound to. */
export function hashPolicy(policy: Policy, digest: Digest): string {
  const known = hashed.get(policy.access)
  if (known !== undefined && known.digest === digest && isSame(known.policy, policy)) return known.hash
  const hash = hashAnew(policy, digest)
  hashed.set(policy.access, { policy, digest, hash })
  return hash
}

const isSame = (one: Policy, other: Policy): boolean =>
  one.preset === other.preset &&
  one.isOwn === other.isOwn &&
  one.denyRules === other.denyRules &&
  one.hosts === other.hosts &&
  (one.userRules === other.userRules || (one.userRules.length === 0 && other.userRules.length === 0))

function hashAnew({ access, preset, denyRules, userRules, hosts, isOwn }: Policy, digest: Digest): string {
  // A call is bound to its tool's definition by itself, so binding a rule does not change what was approved.
  const rules = userRules.filter(({ kept }) => kept === undefined).map(({ definitions: _, ...rule }) => rule)
  // Serializing to JSON makes absent and undefined fields equal.
  const plain = JSON.parse(JSON.stringify({ access, preset, denyRules, userRules: rules, hosts, isOwn })) as JsonValue
  return digest(canonicalJson(plain))
}
