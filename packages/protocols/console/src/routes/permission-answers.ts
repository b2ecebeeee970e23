import {
  asSessionId,
  canonicalJson,
  createMatchBudget,
  findRuleExcess,
  type JsonValue,
  type PermissionRule,
  type StoredRule,
  type UserId,
} from '@polylogue/engine'
import { type RuleProposal, type permissionOperations } from '../contract/permissions.ts'
import type { Answers } from './answer-operations.ts'
import { findCall } from './call-answers.ts'
import type { ConsoleDeps } from './deps.ts'
import { parseNewRule, toRuleJson, toStoredRuleJson, type ParsedRule } from './encode-rule.ts'
import { rulesFor } from './propose-rules.ts'
import { Refusal } from './refusal.ts'

/** As many as a backtest looks at by default. */
const PAST_CALLS = 2_000

type PermissionDeps = Pick<ConsoleDeps, 'engine' | 'events' | 'rules' | 'permissions' | 'backtest' | 'clock' | 'random'>

/** Every user has rules of their own. The operator's settings are shown here and not changed. */
export function answerPermissions(deps: PermissionDeps): Answers<typeof permissionOperations> {
  const { engine, events, rules, permissions, clock, random } = deps

  const add = async (userId: UserId, rule: PermissionRule, first = false): Promise<StoredRule> => {
    const stored = { ruleId: `rule_${Buffer.from(random(12)).toString('hex')}`, rule, createdAt: clock.now() }
    await rules.addRule(userId, stored, { first })
    return stored
  }
  /** A limit is checked and used in one piece: the changes of a user come one after the other. */
  const lines = new Map<UserId, Promise<unknown>>()
  const inLine = <T>(userId: UserId, act: () => Promise<T>): Promise<T> => {
    const done = (lines.get(userId) ?? Promise.resolve()).then(act)
    const settled: Promise<unknown> = done
      .catch(() => undefined)
      .then(() => {
        if (lines.get(userId) === settled) lines.delete(userId)
      })
    lines.set(userId, settled)
    return done
  }
  const list = async (userId: UserId): Promise<readonly PermissionRule[]> =>
    (await rules.listRules(userId)).map((stored) => stored.rule)

  return {
    async listRules({ caller }) {
      const stored = await rules.listRules(caller.userId)
      const { deny, allowHosts, blockHosts, ceiling } = permissions
      return {
        rules: stored.map(toStoredRuleJson),
        operator: {
          deny: deny.map((rule) => toRuleJson({ ...rule, action: 'deny' })),
          allowHosts,
          blockHosts,
          ceiling,
        },
      }
    },

    addRule({ caller: { userId }, body: { first, ...body } }) {
      const { rule, warnings } = parseNewRule(body)
      return inLine(userId, async () => {
        refuseExcess([...(await list(userId)), rule])
        return { ...toStoredRuleJson(await add(userId, rule, first)), warnings }
      })
    },

    changeRule({ caller: { userId }, params, body }) {
      const { rule, warnings } = parseNewRule(body)
      return inLine(userId, async () => {
        const others = (await rules.listRules(userId)).filter(({ ruleId }) => ruleId !== params.id)
        refuseExcess([...others.map((one) => one.rule), rule])
        const isChanged = await rules.changeRule(userId, params.id, rule)
        const stored = (await rules.listRules(userId)).find(({ ruleId }) => ruleId === params.id)
        if (!isChanged || stored === undefined) throw new Refusal(404, 'No such rule.')
        return { ...toStoredRuleJson(stored), warnings }
      })
    },

    async arrangeRules({ caller: { userId }, body: { ids } }) {
      await rules.arrangeRules(userId, ids)
      return { rules: (await rules.listRules(userId)).map(toStoredRuleJson) }
    },

    async proposeRules({ caller: { userId }, body: { session, call } }) {
      const found = await findCall({ engine, events }, { userId, sessionId: asSessionId(session), toolCallId: call })
      const present = await list(userId)
      const first = found.requested?.reason?.startsWith('user-rule') === true
      const proposals: RuleProposal[] = []
      for (const proposed of rulesFor(found)) {
        const { rule, warnings } = parseNewRule(proposed)
        const result = await deps.backtest({
          userId,
          proposed: rule,
          rules: present,
          isFirst: first,
          calls: PAST_CALLS,
        })
        proposals.push({ ...result, rule: toRuleJson(rule), warnings, first })
      }
      return { proposals }
    },

    async readOverrides({ caller: { userId }, params }) {
      return { overrides: (await engine.readSession(userId, asSessionId(params.id))).overrides }
    },

    async dropOverrides({ caller: { userId }, params }) {
      const changes = { forgetsOverrides: true } as const
      await engine.execute({ type: 'configure-session', userId, sessionId: asSessionId(params.id), changes })
    },

    async removeRule({ caller, params }) {
      if (!(await rules.removeRule(caller.userId, params.id))) throw new Refusal(404, 'No such rule.')
    },

    importRules({ caller: { userId }, body }) {
      const budget = createMatchBudget()
      const parsed = body.rules.map((rule) => parseNewRule(rule, budget))
      return inLine(userId, async () => {
        const present = await rules.listRules(userId)
        const known = new Set(present.map(({ rule }) => textOf(rule)))
        const fresh = parsed.filter(({ rule }) => !known.has(textOf(rule)))
        refuseExcess([...present, ...fresh].map(({ rule }) => rule))
        const added = []
        for (const { rule } of fresh) added.push(toStoredRuleJson(await add(userId, rule)))
        return { rules: added, known: parsed.length - fresh.length, warnings: warningsOf(parsed) }
      })
    },

    async backtestRule({ caller: { userId }, body: { rule: proposed, first, calls } }) {
      const { rule, warnings } = parseNewRule(proposed)
      const present = await list(userId)
      const result = await deps.backtest({ userId, proposed: rule, rules: present, isFirst: first, calls })
      return { ...result, rule: toRuleJson(rule), warnings }
    },
  }
}

/** One text per rule, whatever tools it has covered, so that a file can be imported twice. */
const textOf = ({ definitions: _, ...rule }: PermissionRule): string =>
  canonicalJson(JSON.parse(JSON.stringify(rule)) as JsonValue)

const warningsOf = (parsed: readonly ParsedRule[]): string[] =>
  parsed.flatMap(({ warnings }, index) => warnings.map((warning) => `rules.${index}.${warning}`))

function refuseExcess(rules: readonly PermissionRule[]): void {
  const excess = findRuleExcess(rules)
  if (excess !== undefined) throw new Refusal(400, `rules: ${excess}`)
}
