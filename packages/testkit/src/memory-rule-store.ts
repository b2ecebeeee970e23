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
    async removeRule(userId, ruleId) {
      const left = rules.filter((rule) => rule.userId !== userId || rule.stored.ruleId !== ruleId)
      const isRemoved = left.length < rules.length
      rules = left
      return isRemoved
    },
  }
}
