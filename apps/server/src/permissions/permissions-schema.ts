import { isIP } from 'node:net'
import { parseRule, ruleProblems, type OperatorPolicy, type PermissionRule, type Preset } from '@polylogue/engine'
import { z } from 'zod'
import { LOCAL_USER } from '../auth/key-ring.ts'
import type { ToolSettings } from '../config/tool-settings.ts'

/** What the operator says about permissions, under `permissions` in the configuration. */
export interface PermissionSettings {
  /** Calls that nobody may make, whatever their mode and their own rules. */
  readonly deny: readonly DenyRule[]
  /** Hosts that `WebFetch` may read without asking, such as `docs.example` or `.docs.example` with its subdomains. */
  readonly allowHosts: readonly string[]
  /** Hosts that it may not read, except in mode `full-access`. */
  readonly blockHosts: readonly string[]
  /** The most that anybody but the user `local` may give a session. */
  readonly ceiling: Preset
}

export type DenyRule = Omit<PermissionRule, 'action'>

/** From the strictest to the mildest: in no row of the table does one allow less than the one before it. */
export const PRESETS = ['read-only', 'plan', 'workspace-write', 'full-access'] as const satisfies readonly Preset[]

const text = (longest: number) => z.string().min(1).max(longest)

const host = z
  .string()
  .max(255)
  .refine(
    (name) => isIP(name) !== 0 || /^\.?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i.test(name),
    'must be a host such as docs.example, or .docs.example for its subdomains too',
  )
const hosts = z.array(host).max(1_000)

const denyRule = z
  .strictObject({
    tool: text(1_000),
    args: z.record(text(200), text(1_000)).optional(),
    domain: z
      .strictObject({
        allowlist: hosts.optional(),
        blocklist: hosts.optional(),
        urlArgument: text(200).optional(),
      })
      .optional(),
  })
  .superRefine((rule, context) => {
    // Compared literally it would hardly ever match, and a denial that denies nothing helps nobody.
    for (const problem of ruleProblems(toDenial(rule))) context.addIssue(problem.replace(': compared literally', ''))
  })

export const permissionsSchema = z.strictObject({
  deny: z.array(denyRule).max(1_000).default([]),
  allowHosts: hosts.default([]),
  blockHosts: hosts.default([]),
  ceiling: z.enum(PRESETS).default('workspace-write'),
}) satisfies z.ZodType<PermissionSettings>

function toDenial(rule: object): PermissionRule {
  return parseRule({ ...rule, action: 'deny' })
}

/** As the engine takes it. `fetchable`: what WebFetch may reach besides the public network; such hosts are not asked for. */
export function toOperatorPolicy(
  { deny, allowHosts, blockHosts }: PermissionSettings,
  fetchable: readonly string[] = [],
  bash: Partial<Pick<ToolSettings['bash'], 'withoutSandbox' | 'network'>> = {},
): OperatorPolicy {
  const { withoutSandbox, network } = bash
  const hosts = fetchable.filter((entry) => !entry.includes('/')).map((entry) => entry.toLowerCase())
  return {
    denyRules: deny.map(toDenial),
    hosts: { allow: [...allowHosts, ...hosts], block: blockHosts },
    ownUser: LOCAL_USER,
    ...(withoutSandbox === 'everyone' && { unconfined: withoutSandbox }),
    ...((network === true || network === 'everyone') && { network: 'everyone' as const }),
    ...(network === false && { network: 'nobody' as const }),
  }
}
