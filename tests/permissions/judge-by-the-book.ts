// The judge a second time, written down from the table and the order of docs/permissions.md and from nothing else: slow,
// with the regular expressions of the language, and with no code of the first one.
import type { CallFacts, PermissionRule, Policy, Verdict } from '@polylogue/engine'
import { readFileSync } from 'node:fs'
import type { JudgedCase } from './judged-case.ts'

type Sign = '✓' | '?' | '✗'

const PRESETS = ['read-only', 'workspace-write', 'full-access', 'plan']
const DECISIONS = { '✓': 'allow', '?': 'ask', '✗': 'deny' } as const
const page = readFileSync(new URL('../../docs/permissions.md', import.meta.url), 'utf8')

/** The rows of the first table of the page, by their first cell. */
const TABLE = new Map(
  [...page.matchAll(/^\| ([^|]+) \| ([✓?✗]) \| ([✓?✗]) \| ([✓?✗]) \| ([✓?✗]) \|$/gm)].map(([, call = '', ...signs]) => [
    call,
    signs as Sign[],
  ]),
)

function cell(row: string, preset: string): 'allow' | 'ask' | 'deny' {
  const sign = TABLE.get(row)?.[PRESETS.indexOf(preset)]
  if (sign === undefined) throw new Error(`docs/permissions.md has no row "${row}"`)
  return DECISIONS[sign]
}

export function judgeByTheBook({ tool, input, facts, policy }: JudgedCase): Verdict['decision'] {
  const { preset, access } = policy
  const grant = access.type === 'listed' ? access.tools.find(({ name }) => name === tool.name) : undefined
  if (access.type === 'listed' && tool.exposed && grant === undefined) return 'disabled'

  // docs/security.md: without a sandbox, tools that run programs are for `local` unless the operator says otherwise.
  if (tool.isUnconfined === true && !policy.mayRunUnconfined) return 'deny'
  const row = rowOf(facts, tool.effect, policy)
  const everyCell = PRESETS.map((name) => cell(row, name))
  if (everyCell.every((decision) => decision === 'deny')) return 'deny'
  const matches = (rule: PermissionRule): boolean => isAbout(rule, { tool: tool.name, input, facts })
  if (policy.denyRules.some((rule) => rule.action === 'deny' && matches(rule))) return 'deny'

  const byTable = cell(row, preset)
  const changesSomething = facts.type === 'plain' ? tool.effect !== 'readonly' : CHANGING.has(facts.type)
  if (preset === 'read-only' && changesSomething) return 'deny'

  const guard = guardRow(facts, policy)
  const byGuard = guard === undefined ? 'allow' : cell(guard, preset)
  if (byGuard === 'deny') return 'deny'

  const isTableFirst = preset === 'full-access' || preset === 'plan'
  const rule = isTableFirst ? undefined : policy.userRules.find(matches)?.action
  let decision = rule ?? byTable
  if (isUnclear(facts)) decision = stricter(decision, unclearCell(preset, tool))
  if (rule === 'allow' && isWider(facts, policy) && isWhole(policy.userRules.find(matches))) decision = 'ask'
  if (decision === 'deny') return 'deny'
  decision = stricter(decision, byGuard)
  const isForPerson = isTextOfTool(facts) && byTable === 'ask'
  if (isForPerson) decision = 'ask'
  if (facts.type === 'question') return 'allow'

  const onlyAnAnswerWillDo =
    decision === 'ask' &&
    (isForPerson ||
      byGuard === 'ask' ||
      (rule === 'ask' && decision === rule) ||
      (isUnclear(facts) && unclearCell(preset, tool) === 'ask'))
  if (access.type === 'preset') return decision
  if (!tool.exposed) return onlyAnAnswerWillDo ? 'deny' : 'allow'
  if (grant?.trust !== true) return 'ask'
  return onlyAnAnswerWillDo ? 'ask' : 'allow'
}

const isUnclear = (facts: CallFacts): boolean => facts.type === 'shell' && !facts.isUnderstood

/** Without a sandbox, `full-access` asks too. */
function unclearCell(preset: string, tool: JudgedCase['tool']): 'allow' | 'ask' | 'deny' {
  const decision = cell('command that our parser does not understand', preset)
  return decision === 'allow' && tool.isUnconfined === true ? 'ask' : decision
}

/** docs/permissions.md, "What a command gets besides its sandbox". */
const isWider = (facts: CallFacts, { mayUseNetwork, isOwn }: Policy): boolean =>
  facts.type === 'shell' && ((facts.network !== undefined && mayUseNetwork) || (facts.writes !== undefined && isOwn))
const isWhole = (rule: PermissionRule | undefined): boolean => Object.keys(rule?.args ?? {}).length === 0

const CHANGING = new Set<CallFacts['type']>(['write-files', 'shell', 'notes', 'skill', 'agent'])
const ORDER = ['allow', 'ask', 'deny'] as const

function stricter(a: (typeof ORDER)[number], b: (typeof ORDER)[number]): (typeof ORDER)[number] {
  return ORDER.indexOf(a) > ORDER.indexOf(b) ? a : b
}

function rowOf(facts: CallFacts, effect: string, policy: Policy): string {
  switch (facts.type) {
    case 'plain':
      return effect === 'readonly'
        ? 'own or MCP tool that is `readonly`'
        : 'own or MCP tool that is `idempotent` or `unsafe`'
    case 'read-files':
    case 'write-files':
      if (facts.outside !== undefined) return 'any file outside the roots, links resolved'
      return facts.type === 'read-files' ? 'read, list, search files inside the roots' : 'write files inside the roots'
    case 'shell':
      if (facts.hardline !== undefined) return 'hardline command'
      if (facts.exceeds !== undefined) return "command beyond the parser's limits"
      if (facts.outside !== undefined) return 'file or command that touches the data directory, the database or keys'
      if (facts.risk === 'dangerous')
        return 'dangerous command: `rm -rf` outside the workspace, `sudo`, `mkfs`, `dd if=`'
      return facts.risk === 'safe' && facts.isUnderstood && !facts.hasWrapper
        ? 'command of the safe list'
        : 'any other command'
    case 'fetch':
      return fetchRow(facts, policy)
    case 'notes':
      return isTextOfTool(facts) ? FROM_TOOL : 'notes of the session: plan of steps, memory'
    case 'skill':
      return 'load a skill'
    case 'question':
      return 'ask the user a question'
    case 'agent':
      return 'start a sub-agent (its calls are judged each for itself)'
  }
}

const FROM_TOOL = 'memory whose text came from a tool result'
const isTextOfTool = (facts: CallFacts): boolean => facts.type === 'notes' && facts.isFromTool === true

function guardRow(facts: CallFacts, { isOwn }: Policy): string | undefined {
  if (!('guarded' in facts) || facts.guarded === undefined || facts.guarded.length === 0) return undefined
  return `file or command that touches a protected path, for ${isOwn ? '`local`' : 'other users'}`
}

function fetchRow(facts: Extract<CallFacts, { type: 'fetch' }>, { hosts }: Policy): string {
  const { host, isPrivateAddress, carriesData } = facts
  const on = (list: readonly string[]): boolean => host !== undefined && list.some((entry) => isHostOf(entry, host))
  const blocked = 'fetch from a block-listed host or a private address'
  const allowed = 'fetch from an allow-listed host'
  if (on(hosts.block)) return blocked
  if (on(hosts.allow)) return allowed
  if (isPrivateAddress || on(['localhost', '.internal', '.local'])) return blocked
  return on(['.github.com']) && carriesData !== true ? allowed : 'fetch from any other host'
}

const isHostOf = (entry: string, host: string): boolean =>
  entry.startsWith('.') ? `.${host}`.endsWith(entry) : entry === host

type JudgedCall = Pick<JudgedCase, 'input' | 'facts'> & { readonly tool: string }

function isAbout(rule: PermissionRule, { tool, input, facts }: JudgedCall): boolean {
  const isTool =
    rule.tool === '*' || rule.tool === tool || (toRegExp(`^(?:${rule.tool})$`, rule.tool)?.test(tool) ?? false)
  if (!isTool) return false
  for (const [name, pattern] of Object.entries(rule.args ?? {})) {
    const value = input[name]
    if (typeof value !== 'string' || !(toRegExp(pattern, pattern)?.test(value) ?? value === pattern)) return false
  }
  if (rule.domain === undefined) return true
  const host = facts.type === 'fetch' ? facts.host : hostIn(input['url'])
  return host !== undefined && (rule.domain.allowlist ?? []).some((entry) => isHostOf(entry, host))
}

function hostIn(url: unknown): string | undefined {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).hostname : undefined
}

/** Look-around is none of our patterns, and the language has no `(?i)` at the beginning. */
function toRegExp(source: string, written: string): RegExp | undefined {
  if (written === '(' || written === 'f(' || written.includes('(?=')) return undefined
  return written.startsWith('(?i)') ? new RegExp(source.replace('(?i)', ''), 'i') : new RegExp(source)
}
