import type { CallFacts, JsonObject, PermissionRule, Policy, Tool, ToolEffect } from '@polylogue/engine'
import { createFakeTool } from '@polylogue/testkit'
import fc from 'fast-check'

/** A call, the policy it is judged by, and more of both to try laws with. */
export interface JudgedCase {
  readonly tool: {
    readonly name: string
    readonly effect: ToolEffect
    readonly exposed: boolean
    readonly isUnconfined: true | undefined
  }
  /** Whether the tool says what sort of facts it tells. */
  readonly isNatured: boolean
  readonly input: JsonObject
  readonly facts: CallFacts
  readonly policy: Policy
  /** Of the agents above. */
  readonly above: readonly Policy[]
  readonly extra: PermissionRule
  readonly place: number
}

/** A tool of whose calls this is one. */
export function toTool({ tool, facts, isNatured }: JudgedCase): Tool {
  const { name, effect, exposed, isUnconfined } = tool
  const fake = { ...createFakeTool(name, { effect, exposed }), ...(isUnconfined && { isUnconfined }) }
  if (facts.type === 'plain' && !isNatured) return fake
  return { ...fake, ...(isNatured && { nature: facts.type }), inspect: async () => ({ facts }) }
}

const HOSTS = ['github.com', 'api.github.com', 'example.com', 'localhost', 'a.internal', '10.0.0.1', 'corp.example']
const PRESETS = ['read-only', 'workspace-write', 'full-access', 'plan'] as const
const NAMES = ['Bash', 'Write', 'WebFetch', 'act']
const COMMANDS = ['ls', 'npm test', 'npm test; rm x', 'sudo rm -rf build', 'f(', '']

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 })
const flag = fc.boolean()

const facts: fc.Arbitrary<CallFacts> = fc.oneof(
  fc.constantFrom<CallFacts>(
    { type: 'plain' },
    { type: 'notes' },
    { type: 'notes', isFromTool: true },
    { type: 'notes', isFromTool: true, sourceTool: 'WebFetch' },
    { type: 'skill' },
    { type: 'question' },
    { type: 'agent' },
    { type: 'read-files' },
    { type: 'write-files' },
    { type: 'read-files', outside: '/etc/passwd' },
    { type: 'write-files', outside: '/etc/passwd' },
    { type: 'read-files', guarded: ['/home/u/.netrc'] },
    { type: 'write-files', guarded: ['/w/.git/config', '/w/.git/hooks'] },
    { type: 'write-files', guarded: [] },
  ),
  fc
    .record({
      risk: fc.constantFrom('safe' as const, 'other' as const, 'sensitive' as const, 'dangerous' as const),
      isUnderstood: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: flag }),
      hasWrapper: flag,
      hardline: fc.option(fc.constant('mkfs'), { nil: undefined, freq: 8 }),
      exceeds: fc.option(fc.constant('64 KiB'), { nil: undefined, freq: 8 }),
      outside: fc.option(fc.constant('/data/local.key'), { nil: undefined, freq: 8 }),
      guarded: fc.option(fc.constant(['/home/u/.netrc']), { nil: undefined, freq: 4 }),
      network: fc.option(fc.constant(['a.example']), { nil: undefined, freq: 4 }),
      writes: fc.option(fc.constant(['/srv/out']), { nil: undefined, freq: 4 }),
    })
    .map(({ hardline, exceeds, outside, guarded, network, writes, ...shell }) => ({
      type: 'shell' as const,
      ...shell,
      ...(outside !== undefined && { outside }),
      ...(guarded !== undefined && { guarded }),
      ...(hardline !== undefined && { hardline }),
      ...(exceeds !== undefined && { exceeds }),
      ...(network !== undefined && { network }),
      ...(writes !== undefined && { writes }),
    })),
  fc
    .record({ host: maybe(fc.constantFrom(...HOSTS)), isPrivateAddress: flag, carriesData: flag })
    .map(({ host, isPrivateAddress, carriesData }) => ({
      type: 'fetch' as const,
      ...(host !== undefined && { host }),
      isPrivateAddress,
      ...(carriesData && { carriesData }),
    })),
)

const hostList = fc.uniqueArray(fc.constantFrom(...HOSTS, '.example', '.com', '.internal'), { maxLength: 2 })

const rule: fc.Arbitrary<PermissionRule> = fc
  .record({
    tool: fc.constantFrom('*', ...NAMES, 'Ba.*', 'Write|act', '(?i)BASH', '(', '.*h'),
    args: maybe(
      fc.dictionary(
        fc.constantFrom('command', 'url', 'none'),
        fc.constantFrom('^npm test$', 'npm', 'rm', 'f(', '(?=x)', '.*', '^$', 'github'),
        { minKeys: 1, maxKeys: 2 },
      ),
    ),
    domain: maybe(fc.record({ allowlist: hostList })),
    action: fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const),
  })
  .map(({ tool, args, domain, action }) => ({ tool, ...(args && { args }), ...(domain && { domain }), action }))

const access: fc.Arbitrary<Policy['access']> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ type: 'preset' as const }) },
  {
    weight: 1,
    arbitrary: fc
      .uniqueArray(fc.record({ name: fc.constantFrom(...NAMES), trust: flag }), {
        selector: ({ name }) => name,
        maxLength: 4,
      })
      .map((tools) => ({ type: 'listed' as const, tools })),
  },
)

const policy: fc.Arbitrary<Policy> = fc.record({
  preset: fc.constantFrom(...PRESETS),
  access,
  denyRules: fc.array(rule, { maxLength: 2 }),
  isOwn: fc.boolean(),
  mayRunUnconfined: fc.boolean(),
  mayUseNetwork: fc.boolean(),
  userRules: fc.array(rule, { maxLength: 4 }),
  hosts: fc.record({ allow: hostList, block: hostList }),
})

export const judgedCase: fc.Arbitrary<JudgedCase> = fc.record({
  tool: fc.record({
    name: fc.constantFrom(...NAMES),
    effect: fc.constantFrom('readonly' as const, 'idempotent' as const, 'unsafe' as const),
    isUnconfined: fc.option(fc.constant(true as const), { nil: undefined, freq: 3 }),
    exposed: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: flag }),
  }),
  isNatured: flag,
  input: fc.record(
    {
      command: fc.constantFrom(...COMMANDS),
      url: fc.constantFrom('https://api.github.com/x', 'https://example.com', 'http://localhost:1', 'nonsense'),
    },
    { requiredKeys: [] },
  ),
  facts,
  policy,
  above: fc.array(policy, { maxLength: 3 }),
  extra: rule,
  place: fc.nat({ max: 4 }),
})
