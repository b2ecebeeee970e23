import { canonicalJson, type JsonValue, type PermissionRule, type StoredRule, type UserId } from '@polylogue/engine'
import { MOST_RULES, type permissionOperations } from '../contract/permissions.ts'
import type { Answers } from './answer-operations.ts'
import type { ConsoleDeps } from './deps.ts'
import { parseNewRule, toRuleJson, toStoredRuleJson, type ParsedRule } from './encode-rule.ts'
import { Refusal } from './refusal.ts'

type PermissionDeps = Pick<ConsoleDeps, 'rules' | 'permissions' | 'backtest' | 'clock' | 'random'>

/** Every user has rules of their own. The operator's settings are shown here and not changed. */
export function answerPermissions(deps: PermissionDeps): Answers<typeof permissionOperations> {
  const { rules, permissions, clock, random } = deps

  const add = async (userId: UserId, rule: PermissionRule): Promise<StoredRule> => {
    const stored = { ruleId: `rule_${Buffer.from(random(12)).toString('hex')}`, rule, createdAt: clock.now() }
    await rules.addRule(userId, stored)
    return stored
  }

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

    async addRule({ caller: { userId }, body }) {
      const { rule, warnings } = parseNewRule(body)
      refuseTooMany((await rules.listRules(userId)).length + 1)
      return { ...toStoredRuleJson(await add(userId, rule)), warnings }
    },

    async removeRule({ caller, params }) {
      if (!(await rules.removeRule(caller.userId, params.id))) throw new Refusal(404, 'No such rule.')
    },

    async importRules({ caller: { userId }, body }) {
      const parsed = body.rules.map(parseNewRule)
      const present = await rules.listRules(userId)
      const known = new Set(present.map(({ rule }) => textOf(rule)))
      const fresh = parsed.filter(({ rule }) => !known.has(textOf(rule)))
      refuseTooMany(present.length + fresh.length)
      const added = []
      for (const { rule } of fresh) added.push(toStoredRuleJson(await add(userId, rule)))
      return { rules: added, known: parsed.length - fresh.length, warnings: warningsOf(parsed) }
    },

    async backtestRule({ caller: { userId }, body: { rule: proposed, first, calls } }) {
      const { rule, warnings } = parseNewRule(proposed)
      const present = (await rules.listRules(userId)).map((stored) => stored.rule)
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

function refuseTooMany(count: number): void {
  if (count > MOST_RULES) throw new Refusal(400, `rules: a user has ${MOST_RULES} at most.`)
}
