import type { PermissionRule } from '../ports/rule-store.ts'
import type { Preset, ToolAccess } from '../events/session-settings.ts'

/** Everything that a call is judged by, except what the session's own user has always allowed. */
export interface Policy {
  readonly preset: Preset
  readonly access: ToolAccess
  /** The operator's rules. They come before everything except the hardline floor, and only their denials count. */
  readonly denyRules: readonly PermissionRule[]
  /** The rules of the session's user. */
  readonly userRules: readonly PermissionRule[]
  /** Hosts that the operator adds to the built-in lists. */
  readonly hosts: HostLists
  /** The session belongs to the user who runs the server. */
  readonly isOwn: boolean
  /** Whether its user may use tools that run programs with all rights of the server. */
  readonly mayRunUnconfined: boolean
  /** Whether approved commands of its user may use the network. */
  readonly mayUseNetwork: boolean
}

export interface HostLists {
  readonly allow: readonly string[]
  readonly block: readonly string[]
}

/** The decision about a call, and what made it: `hardline:…`, `mode-preset:…`, `user-rule:…`, `path-policy`, … */
export interface Verdict {
  /** `disabled`: the session does not have this tool. */
  readonly decision: 'allow' | 'ask' | 'deny' | 'disabled'
  readonly reason: string
  /** Whether *always allow in this session* may answer an `ask`. */
  readonly isCoverable: boolean
  /** Only a person may answer the `ask`. In an unattended turn the call is denied. */
  readonly needsPerson?: true
}
