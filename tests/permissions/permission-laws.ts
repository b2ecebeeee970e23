// M3: laws that the judge keeps for all policies and all calls. Each throws when it is broken.
import {
  coverVerdict,
  isOffered,
  judgeCall,
  strictest,
  type PermissionRule,
  type Policy,
  type Verdict,
} from '@polylogue/engine'
import { expect } from 'vitest'
import { type JudgedCase, toTool } from './judged-case.ts'
import { judgeByTheBook } from './judge-by-the-book.ts'

const RANK: { readonly [decision in Verdict['decision']]: number } = { allow: 0, ask: 1, deny: 2, disabled: 3 }
const mayRun = ({ decision }: Verdict): boolean => decision === 'allow' || decision === 'ask'

export const LAWS: { readonly [sentence: string]: (given: JudgedCase) => void } = {
  'a verdict is what the book says'(given) {
    expect(judge(given).decision).toBe(judgeByTheBook(given))
  },

  'adding a denial never allows more, wherever it stands'(given) {
    const before = judge(given)
    const denial: PermissionRule = { ...given.extra, action: 'deny' }
    for (const place of [0, given.place, Infinity]) {
      for (const list of ['denyRules', 'userRules'] as const) {
        const policy = { ...given.policy, [list]: inserted(given.policy[list], denial, place) }
        expect(RANK[judge(given, policy).decision]).toBeGreaterThanOrEqual(RANK[before.decision])
      }
    }
  },

  "a denial that comes first denies all that it matches: the operator's in every mode"(given) {
    const denial: PermissionRule = { tool: '*', action: 'deny' }
    const isUserHeard = given.policy.preset === 'read-only' || given.policy.preset === 'workspace-write'
    for (const list of isUserHeard ? (['denyRules', 'userRules'] as const) : (['denyRules'] as const)) {
      const policy = { ...given.policy, [list]: [denial, ...given.policy[list]] }
      expect(mayRun(judge(given, policy))).toBe(false)
    }
  },

  "the operator's denials count in any order and any number"(given) {
    const { denyRules } = given.policy
    const { decision } = judge(given)
    expect(judge(given, { ...given.policy, denyRules: denyRules.toReversed() }).decision).toBe(decision)
    expect(judge(given, { ...given.policy, denyRules: [...denyRules, ...denyRules] }).decision).toBe(decision)
    const mild = denyRules.filter(({ action }) => action !== 'deny')
    const strict = denyRules.filter(({ action }) => action === 'deny')
    expect(judge(given, { ...given.policy, denyRules: [...mild, ...strict] }).decision).toBe(decision)
  },

  'a hardline command, one beyond the limits and a path outside are never allowed'(given) {
    const { facts } = given
    const isFloor = facts.type === 'shell' && (facts.hardline !== undefined || facts.exceeds !== undefined)
    const isOutside = 'outside' in facts && facts.outside !== undefined
    if (isFloor || isOutside) expect(mayRun(judge(given))).toBe(false)
  },

  'a sub-agent has at most the rights of everybody above it'(given) {
    const line = [given.policy, ...given.above].map((policy) => judge(given, policy))
    const effective = strictest(line)
    for (const verdict of line) expect(RANK[effective.decision]).toBeGreaterThanOrEqual(RANK[verdict.decision])
    expect(line.map(({ decision }) => decision)).toContain(effective.decision)
    expect(strictest(line.toReversed()).decision).toBe(effective.decision)
    expect(strictest([...line, ...line])).toEqual(effective)
    const [first, ...others] = line
    if (first && others.length > 0) expect(strictest([first, strictest(others)])).toEqual(effective)
  },

  'an override of the session never beats a denial, and an answer that it gives is to a question'(given) {
    const verdict = judge(given)
    const covered = coverVerdict(verdict, 'allow')
    if (verdict.decision !== 'ask' || !verdict.isCoverable) expect(covered).toEqual(verdict)
    else expect(covered.decision).toBe('allow')
    expect(RANK[coverVerdict(verdict, 'reject').decision]).toBeGreaterThanOrEqual(RANK[verdict.decision])
  },

  'C16: no override covers a wrapper, a dangerous or sensitive command, or one that is not understood'(given) {
    const { facts } = given
    if (facts.type !== 'shell') return
    const isPlain = facts.isUnderstood && !facts.hasWrapper && (facts.risk === 'safe' || facts.risk === 'other')
    if (!isPlain) expect(coverVerdict(judge(given), 'allow')).toEqual(judge(given))
    const isConfined = given.policy.preset === 'full-access' && given.tool.isUnconfined !== true
    if (!facts.isUnderstood && !isConfined) expect(judge(given).decision).not.toBe('allow')
  },

  'a protected path is never touched unasked, but by the user who runs the server in full-access'(given) {
    const { facts, policy } = given
    if (!('guarded' in facts) || facts.guarded === undefined || facts.guarded.length === 0) return
    const isOpen = policy.isOwn && policy.preset === 'full-access'
    const verdict = judge(given)
    if (!isOpen) expect(verdict.decision).not.toBe('allow')
    if (!isOpen && verdict.decision === 'ask' && policy.access.type === 'preset') expect(verdict.needsPerson).toBe(true)
    if (!isOpen) expect(coverVerdict(verdict, 'allow')).toEqual(verdict)
  },

  'a tool without a sandbox has no call that may run for somebody who may not have it'(given) {
    if (given.tool.isUnconfined !== true || given.policy.mayRunUnconfined) return
    expect(mayRun(judge(given))).toBe(false)
    expect(isOffered(toTool(given), given.policy)).toBe(false)
  },

  'trust never beats a denial'(given) {
    const { access } = given.policy
    if (access.type !== 'listed') return
    const plain = judge(given, { ...given.policy, access: { type: 'preset' } })
    if (plain.decision === 'deny') expect(mayRun(judge(given))).toBe(false)
  },

  'in plan and full-access a rule of the user changes nothing'(given) {
    if (given.policy.preset !== 'plan' && given.policy.preset !== 'full-access') return
    const without = judge(given, { ...given.policy, userRules: [] })
    expect(judge(given).decision).toBe(without.decision)
  },

  'a tool that is not offered has no call that may run'(given) {
    if (!isOffered(toTool(given), given.policy)) expect(mayRun(judge(given))).toBe(false)
  },

  'the same call under the same policy has the same verdict'(given) {
    expect(judge(given)).toEqual(judge(structuredClone(given)))
  },
}

const judge = (given: JudgedCase, policy: Policy = given.policy): Verdict =>
  judgeCall({ tool: toTool(given), input: given.input, facts: given.facts, policy })

function inserted(rules: readonly PermissionRule[], rule: PermissionRule, place: number): readonly PermissionRule[] {
  return [...rules.slice(0, place), rule, ...rules.slice(Math.min(place, rules.length))]
}
