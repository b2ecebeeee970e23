import type { RuleStore, StoredRule, UserId } from '@polylogue/engine'

export function createMemoryRuleStore(): RuleStore {
  let rules: readonly { readonly userId: UserId; readonly stored: StoredRule }[] = []
  return {
    async listRules(userId) {
      return rules.filter((rule) => rule.userId === userId).map(({ stored }) => stored)
    },
    async addRule(userId, stored) {
      if (rules.some((rule) => rule.stored.ruleId === stored.ruleId)) {
        throw new Error(`The rule ${stored.ruleId} exists already.`)
      }
      rules = [...rules, { userId, stored: structuredClone(stored) }]
    },
    async bindRule(userId, ruleId, { tool, definition }) {
      rules = rules.map((entry) => {
        if (entry.userId !== userId || entry.stored.ruleId !== ruleId) return entry
        const definitions = { [tool]: definition, ...entry.stored.rule.definitions }
        return { userId, stored: { ...entry.stored, rule: { ...entry.stored.rule, definitions } } }
      })
    },
    async removeRule(userId, ruleId) {
      const left = rules.filter((rule) => rule.userId !== userId || rule.stored.ruleId !== ruleId)
      const isRemoved = left.length < rules.length
      rules = left
      return isRemoved
    },
  }
}
