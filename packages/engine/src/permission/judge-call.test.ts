import { RE2JS } from 're2js'
import { describe, expect, it, vi } from 'vitest'
import { createFakeTool } from '@polylogue/testkit'
import type {
  CallFacts,
  JsonObject,
  PermissionRule,
  Policy,
  Preset,
  ShellFacts,
  Tool,
  ToolAccess,
  ToolEffect,
} from '../index.ts'
import { isOffered, judgeCall } from './judge-call.ts'

const PRESETS: readonly Preset[] = ['read-only', 'workspace-write', 'full-access', 'plan']
const ALL: ToolAccess = { type: 'preset' }
const listed = (...tools: { name: string; trust?: boolean }[]): ToolAccess => ({ type: 'listed', tools })

const policyWith = (more: Partial<Policy> = {}): Policy => ({
  preset: 'workspace-write',
  access: ALL,
  denyRules: [],
  isOwn: false,
  mayRunUnconfined: true,
  mayUseNetwork: true,
  userRules: [],
  hosts: { allow: [], block: [] },
  ...more,
})

const shell = (more: Partial<ShellFacts> = {}): ShellFacts => ({
  type: 'shell',
  risk: 'other',
  isUnderstood: true,
  hasWrapper: false,
  ...more,
})
const fetching = (host: string, isPrivateAddress = false): CallFacts => ({ type: 'fetch', host, isPrivateAddress })

const bash = createFakeTool('Bash', { effect: 'unsafe' })
const write = createFakeTool('Write', { effect: 'idempotent' })
const readonlyTool = createFakeTool('look')
const unsafeTool = createFakeTool('act', { effect: 'unsafe' })

const judged = (facts: CallFacts, more: Partial<Policy> = {}, tool: Tool = bash, input: JsonObject = {}) =>
  judgeCall({ tool, input, facts, policy: policyWith(more) })
const over = (facts: CallFacts, tool: Tool = bash, more: Partial<Policy> = {}) =>
  PRESETS.map((preset) => judged(facts, { ...more, preset }, tool).decision)

/** The calls that the rows of the table below stand for. */
const CALLS: { readonly [row: string]: readonly (readonly [Tool, CallFacts])[] } = {
  'read/list/search files': [[readonlyTool, { type: 'read-files' }]],
  'write_file, replace inside the roots': [[write, { type: 'write-files' }]],
  'same, outside the roots': [[write, { type: 'write-files', outside: '/etc/passwd' }]],
  'reading outside the roots': [[readonlyTool, { type: 'read-files', outside: '/etc/passwd' }]],
  'shell: safe list': [[bash, shell({ risk: 'safe' })]],
  'shell: rm -rf, sudo, mkfs, dd if=': [[bash, shell({ risk: 'dangerous', hasWrapper: true })]],
  'shell: write to ~/.bashrc-class files': [[bash, shell({ risk: 'sensitive' })]],
  'shell: anything else': [
    [bash, shell()],
    [bash, shell({ hasWrapper: true })],
    [bash, shell({ risk: 'safe', hasWrapper: true })],
  ],
  'shell: not understood': [
    [bash, shell({ isUnderstood: false })],
    [bash, shell({ risk: 'safe', isUnderstood: false })],
  ],
  'shell: beyond the limits of the parser': [[bash, shell({ risk: 'safe', exceeds: 'more than 50 commands' })]],
  'web_fetch allow-listed host': [
    [readonlyTool, fetching('github.com')],
    [readonlyTool, fetching('api.github.com')],
    [readonlyTool, fetching('GitHub.com.')],
  ],
  'web_fetch block-listed host': [
    [readonlyTool, fetching('localhost')],
    [readonlyTool, fetching('[::1]')],
    [readonlyTool, fetching('printer.local')],
    [readonlyTool, fetching('10.1.2.3', true)],
  ],
  'web_fetch other; web_search': [
    [readonlyTool, fetching('example.com')],
    [readonlyTool, fetching('notgithub.com')],
    [readonlyTool, fetching('github.com.example')],
    [readonlyTool, fetching('r.jina.ai')],
    [readonlyTool, fetching('evil.readthedocs.io')],
    [readonlyTool, { type: 'fetch', host: 'github.com', isPrivateAddress: false, carriesData: true }],
    [readonlyTool, { type: 'fetch', isPrivateAddress: false }],
  ],
  'save_memory, todo_write': [[write, { type: 'notes' }]],
  activate_skill: [[readonlyTool, { type: 'skill' }]],
  'sub-agent': [[unsafeTool, { type: 'agent' }]],
  ask_user: [[readonlyTool, { type: 'question' }]],
  'own or MCP tool, readonly': [[readonlyTool, { type: 'plain' }]],
  'own or MCP tool, idempotent or unsafe': [
    [write, { type: 'plain' }],
    [unsafeTool, { type: 'plain' }],
  ],
  'hardline command': [[bash, shell({ risk: 'dangerous', hardline: 'recursive delete of /' })]],
}

const TABLE = `
| call                                    | read-only | workspace-write | full-access | plan |
| read/list/search files                  | ✓ | ✓ | ✓ | ✓ |
| write_file, replace inside the roots    | ✗ | ✓ | ✓ | ✗ |
| same, outside the roots                 | ✗ | ✗ | ✗ | ✗ |
| reading outside the roots               | ✗ | ✗ | ✗ | ✗ |
| shell: safe list                        | ✗ | ✓ | ✓ | ✓ |
| shell: rm -rf, sudo, mkfs, dd if=       | ✗ | ✗ | ✓ | ✗ |
| shell: write to ~/.bashrc-class files   | ✗ | ? | ✓ | ✗ |
| shell: anything else                    | ✗ | ? | ✓ | ✗ |
| shell: not understood                   | ✗ | ? | ✓ | ✗ |
| shell: beyond the limits of the parser  | ✗ | ✗ | ✗ | ✗ |
| web_fetch allow-listed host             | ? | ✓ | ✓ | ✓ |
| web_fetch block-listed host             | ✗ | ✗ | ✓ | ✗ |
| web_fetch other; web_search             | ? | ? | ✓ | ? |
| save_memory, todo_write                 | ✗ | ✓ | ✓ | ✗ |
| activate_skill                          | ✗ | ✓ | ✓ | ✓ |
| sub-agent                               | ✗ | ✓ | ✓ | ✓ |
| ask_user                                | ✓ | ✓ | ✓ | ✓ |
| own or MCP tool, readonly               | ✓ | ✓ | ✓ | ✓ |
| own or MCP tool, idempotent or unsafe   | ✗ | ? | ✓ | ✗ |
| hardline command                        | ✗ | ✗ | ✗ | ✗ |`

const [, ...ROWS] = TABLE.trim()
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, name = '', ...cells]) => ({ name, cells: cells.slice(0, 4) }))
const DECISIONS: { readonly [sign: string]: string } = { '✓': 'allow', '?': 'ask', '✗': 'deny' }

describe('acp 10.3: under a preset', () => {
  it.each(ROWS)('$name: $cells', ({ name, cells }) => {
    const calls = CALLS[name] ?? []
    expect(calls).not.toEqual([])
    for (const [tool, facts] of calls) expect(over(facts, tool)).toEqual(cells.map((sign) => DECISIONS[sign]))
  })

  it('every sort of call has a row', () => {
    expect(ROWS.map(({ name }) => name)).toEqual(Object.keys(CALLS))
  })

  it('a verdict says what decided it', () => {
    expect(judged(shell()).reason).toBe('mode-preset:Bash')
    expect(judged(shell({ hardline: 'fork bomb' })).reason).toBe('hardline:fork bomb')
    expect(judged(shell({ exceeds: '64 KiB' })).reason).toBe('limit:64 KiB')
    expect(judged({ type: 'read-files', outside: '/x' }).reason).toBe('path-policy')
    const unconfined = { ...bash, isUnconfined: true as const }
    expect(judged(shell({ isUnderstood: false }), { preset: 'full-access' }, unconfined).reason).toBe('not-understood')
  })
})

describe('acp 10.3: hosts', () => {
  const hosts = { allow: ['.corp.example', '10.1.2.3', 'wiki.internal'], block: ['.evil.example', 'api.github.com'] }

  it.each([
    ['corp.example', 'allow'],
    ['a.b.corp.example', 'allow'],
    ['CORP.example', 'allow'],
    ['notcorp.example', 'ask'],
    ['x.evil.example', 'deny'],
    ['api.github.com', 'deny'],
    ['raw.github.com', 'allow'],
    ['wiki.internal', 'allow'],
    ['other.internal', 'deny'],
  ])('the operator adds to the lists: %s → %s', (host, decision) => {
    expect(judged(fetching(host), { hosts }, readonlyTool).decision).toBe(decision)
  })

  it('the operator can open an address of the inner network', () => {
    expect(judged(fetching('10.1.2.3', true), { hosts }, readonlyTool).decision).toBe('allow')
    expect(judged(fetching('10.1.2.4', true), { hosts }, readonlyTool).decision).toBe('deny')
  })
})

describe('acp 10.1: rules', () => {
  const rule = (action: PermissionRule['action'], more: Partial<PermissionRule> = {}): PermissionRule => ({
    tool: 'Bash',
    action,
    ...more,
  })
  const dangerous = shell({ risk: 'dangerous' })

  it('the first rule of the user that matches wins over the preset, in read-only and workspace-write', () => {
    expect(judged(dangerous, { userRules: [rule('allow'), rule('deny')] }).decision).toBe('allow')
    expect(judged(shell({ risk: 'safe' }), { userRules: [rule('deny'), rule('allow')] }).decision).toBe('deny')
    const readOnly = { preset: 'read-only', userRules: [rule('allow', { tool: 'look' })] } as const
    expect(judged(fetching('example.com'), readOnly, readonlyTool).decision).toBe('allow')
  })

  it('in full-access and plan the preset comes first, and it has a word for every call', () => {
    const inPlan = (action: PermissionRule['action']) =>
      judged(shell(), { preset: 'plan', userRules: [rule(action)] }).decision
    expect([inPlan('allow'), inPlan('ask'), inPlan('deny')]).toEqual(['deny', 'deny', 'deny'])
    const inFull = (action: PermissionRule['action']) =>
      judged(shell(), { preset: 'full-access', userRules: [rule(action)] }).decision
    expect([inFull('allow'), inFull('ask'), inFull('deny')]).toEqual(['allow', 'allow', 'allow'])
    const userRules = [rule('allow', { tool: 'look' })]
    expect(judged(fetching('example.com'), { preset: 'plan', userRules }, readonlyTool).decision).toBe('ask')
  })

  it('no rule opens what the mode read-only closes', () => {
    expect(over(shell({ risk: 'safe' }), bash, { userRules: [rule('allow')] })[0]).toBe('deny')
  })

  it("the operator's denials precede the user's rules and every preset; no other operator rule counts", () => {
    const policy = { denyRules: [rule('deny')], userRules: [rule('allow')] }
    expect(over(shell({ risk: 'safe' }), bash, policy)).toEqual(Array(4).fill('deny'))
    expect(judged(shell(), policy).reason).toBe('operator-rule:Bash')
    expect(judged(shell(), { denyRules: [rule('allow'), rule('ask')] }).reason).toBe('mode-preset:Bash')
  })

  it.each([
    ['a hardline command', shell({ hardline: 'mkfs' })],
    ['a command beyond the limits', shell({ exceeds: 'depth' })],
    ['a path outside', { type: 'write-files', outside: '/x' } as const],
  ])('no rule, trust or preset allows %s', (_, facts) => {
    const access = listed({ name: 'Bash', trust: true })
    const userRules = [rule('allow', { tool: '*' })]
    expect(over(facts, bash, { access, userRules })).toEqual(Array(4).fill('deny'))
  })

  it('an explicit ask asks, also for what needs no confirmation, and trust does not answer it', () => {
    const userRules = [rule('ask', { tool: '*' })]
    expect(judged({ type: 'read-files' }, { userRules }, readonlyTool).decision).toBe('ask')
    const access = listed({ name: 'Bash', trust: true })
    expect(judged(shell(), { userRules, access })).toEqual({
      decision: 'ask',
      reason: 'user-rule:Bash',
      isCoverable: false,
    })
  })

  it('C16: a rule that cannot be compared in time counts as a denial, unless it allows: then it does not count', () => {
    const slow = { args: { command: `(${'a?'.repeat(300)}){2}$` } }
    const input = { command: `${'a'.repeat(100_000)}!` }
    const verdictOf = (more: Partial<Policy>) => judged(shell(), more, bash, input)
    expect(verdictOf({ userRules: [rule('deny', slow)] })).toMatchObject({
      decision: 'deny',
      reason: 'limit:rule-patterns',
    })
    expect(verdictOf({ userRules: [rule('ask', slow)] }).decision).toBe('deny')
    expect(verdictOf({ userRules: [rule('allow', slow)] }).decision).toBe('ask')
    expect(verdictOf({ denyRules: [rule('deny', slow)] }).reason).toBe('operator-rule:Bash')
  })

  it('C16: an allow rule does not cover a command that the parser does not understand', () => {
    const unclear = judged(shell({ isUnderstood: false }), { userRules: [rule('allow')] })
    expect(unclear).toEqual({ decision: 'ask', reason: 'not-understood', isCoverable: false })
  })
})

describe('C16: always allow', () => {
  it.each([
    ['a plain command', {}, true],
    ['a wrapper', { hasWrapper: true }, false],
    ['a command that is not understood', { isUnderstood: false }, false],
    ['a dangerous command', { risk: 'dangerous' }, false],
    ['a write to a sensitive file', { risk: 'sensitive' }, false],
  ] as const)('of %s', (_, facts, isCoverable) => {
    expect(judged(shell(facts)).isCoverable).toBe(isCoverable)
  })

  it('covers calls that are not commands', () => {
    expect(judged({ type: 'plain' }, {}, unsafeTool)).toMatchObject({ decision: 'ask', isCoverable: true })
  })
})

describe('a session with the tools its client listed', () => {
  const across = (effect: ToolEffect, exposed: boolean, access: ToolAccess) =>
    over({ type: 'plain' }, createFakeTool('t', { effect, exposed }), { access })

  it('does not have an exposed tool that is not listed', () => {
    expect(across('readonly', true, listed({ name: 'other', trust: true }))).toEqual(Array(4).fill('disabled'))
  })

  it('asks before a listed tool without trust, whatever the preset, unless the preset denies', () => {
    expect(across('readonly', true, listed({ name: 't' }))).toEqual(['ask', 'ask', 'ask', 'ask'])
    expect(across('unsafe', true, listed({ name: 't', trust: false }))).toEqual(['deny', 'ask', 'ask', 'deny'])
  })

  it('runs a trusted tool without asking, but trust never beats a deny', () => {
    expect(across('unsafe', true, listed({ name: 't', trust: true }))).toEqual(['deny', 'allow', 'allow', 'deny'])
  })

  it('never asks for an unexposed tool, and denies it where the preset does', () => {
    expect(across('unsafe', false, listed())).toEqual(['deny', 'allow', 'allow', 'deny'])
    expect(across('readonly', false, listed())).toEqual(['allow', 'allow', 'allow', 'allow'])
  })

  it('denies an unexposed tool that needs approval, because no client can be asked', () => {
    const hidden = createFakeTool('Bash', { effect: 'unsafe', exposed: false })
    const more = { access: listed(), userRules: [{ tool: 'Bash', action: 'ask' } as const] }
    expect(judged(shell(), more, hidden).decision).toBe('deny')
    expect(judged(shell({ isUnderstood: false }), { access: listed() }, hidden).decision).toBe('deny')
  })

  it('asks for a command that is not understood in spite of trust', () => {
    expect(judged(shell({ isUnderstood: false }), { access: listed({ name: 'Bash', trust: true }) }).decision).toBe(
      'ask',
    )
  })

  it('never asks for permission to ask a question', () => {
    const question: CallFacts = { type: 'question' }
    expect(over(question, readonlyTool, { access: listed({ name: 'look' }) })).toEqual(Array(4).fill('allow'))
    expect(judged(question, { userRules: [{ tool: '*', action: 'ask' }] }, readonlyTool).decision).toBe('allow')
    expect(judged(question, { userRules: [{ tool: '*', action: 'deny' }] }, readonlyTool).decision).toBe('deny')
    expect(judged(question, { access: listed() }, readonlyTool).decision).toBe('disabled')
  })
})

describe('a tool is offered to the model', () => {
  const natured = (nature: CallFacts['type'], effect: ToolEffect = 'unsafe'): Tool => ({
    ...createFakeTool('t', { effect }),
    nature,
    inspect: async () => ({ facts: { type: 'plain' } }),
  })
  const offered = (tool: Tool, more: Partial<Policy> = {}) =>
    PRESETS.filter((preset) => isOffered(tool, policyWith({ ...more, preset })))

  it.each<[CallFacts['type'], readonly Preset[]]>([
    ['read-files', PRESETS],
    ['write-files', ['workspace-write', 'full-access']],
    ['shell', ['workspace-write', 'full-access', 'plan']],
    ['fetch', PRESETS],
    ['notes', ['workspace-write', 'full-access']],
    ['skill', ['workspace-write', 'full-access', 'plan']],
    ['question', PRESETS],
    ['agent', ['workspace-write', 'full-access', 'plan']],
    ['plain', ['workspace-write', 'full-access']],
  ])('whose calls are of the nature %s in the modes %j', (nature, presets) => {
    expect(offered(natured(nature))).toEqual(presets)
  })

  it('by its effect alone when it does not inspect calls, and by its performer', () => {
    expect(offered(unsafeTool)).toEqual(['workspace-write', 'full-access'])
    expect(offered(readonlyTool)).toEqual(PRESETS)
    expect(offered({ ...unsafeTool, performer: 'user' })).toEqual(PRESETS)
    expect(offered({ ...unsafeTool, performer: 'agent' })).toEqual(['workspace-write', 'full-access', 'plan'])
  })

  it('wherever one of its calls might be allowed, when it does not declare its nature', () => {
    const { nature: _nature, ...untold } = natured('shell')
    expect(offered(untold)).toEqual(PRESETS)
  })

  it('unless a rule denies every call of it', () => {
    const deny: PermissionRule = { tool: 't', action: 'deny' }
    expect(offered(natured('shell'), { denyRules: [deny] })).toEqual([])
    expect(offered(natured('shell'), { userRules: [deny] })).toEqual(['full-access', 'plan'])
    const some: PermissionRule = { ...deny, args: { command: 'rm' } }
    expect(offered(natured('shell'), { denyRules: [some], userRules: [some] })).toEqual(
      PRESETS.filter((preset) => preset !== 'read-only'),
    )
    const exception: PermissionRule = { tool: 't', action: 'allow', args: { command: '^ls$' } }
    expect(offered(natured('shell'), { userRules: [exception, deny] })).toContain('workspace-write')
  })

  it('only if the session has it', () => {
    expect(offered(readonlyTool, { access: listed({ name: 'other' }) })).toEqual([])
    expect(offered(readonlyTool, { access: listed({ name: 'look' }) })).toEqual(PRESETS)
  })
})

describe('a call that does the same as one of another tool', () => {
  const checker: Tool = {
    ...createFakeTool('Check', { effect: 'unsafe' }),
    sameAs: ({ checker: name }) => ({ tool: 'Bash', input: { command: `${String(name)} check` } }),
  }
  const check = (more: Partial<Policy>) => judged(shell(), more, checker, { checker: 'cargo' }).decision

  it('is denied and allowed by the rules about that tool', () => {
    expect(check({})).toBe('ask')
    expect(check({ denyRules: [{ action: 'deny', tool: 'Bash' }] })).toBe('deny')
    expect(check({ denyRules: [{ action: 'deny', tool: 'Bash', args: { command: 'npm' } }] })).toBe('ask')
    expect(check({ userRules: [{ action: 'deny', tool: 'Bash', args: { command: '^cargo' } }] })).toBe('deny')
    expect(check({ userRules: [{ action: 'allow', tool: 'Bash', args: { command: '^cargo check$' } }] })).toBe('allow')
  })

  it('is still judged by the rules about its own', () => {
    expect(check({ userRules: [{ action: 'allow', tool: 'Check' }] })).toBe('allow')
  })
})

describe('C16: of two hundred rules with large patterns, each of which takes milliseconds to make', () => {
  const userRules = (seed: string): readonly PermissionRule[] =>
    Array.from({ length: 200 }, (_, number) => ({
      tool: `${seed}${number}((a|b|cd|ce|x[abc]){99}){3}`,
      action: 'allow' as const,
    }))
  const madeBy = (act: () => void): number => {
    const making = vi.spyOn(RE2JS, 'compile')
    act()
    const made = making.mock.calls.length
    making.mockRestore()
    return made
  }

  it('a call has few made', () => {
    expect(madeBy(() => void judged(shell(), { userRules: userRules('one') }))).toBeLessThan(15)
  })

  it('the offer of a hundred tools has no more made', () => {
    const tools = Array.from({ length: 100 }, (_, number) => createFakeTool(`tool${number}`, { effect: 'unsafe' }))
    const policy = policyWith({ userRules: userRules('other') })
    expect(madeBy(() => tools.forEach((tool) => isOffered(tool, policy)))).toBeLessThan(15)
  })
})
