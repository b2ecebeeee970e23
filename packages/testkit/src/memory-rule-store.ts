import type { RuleStore, StoredRule, UserId } from '@polylogue/engine'

export function createMemoryRuleStore(): RuleStore {
  let rules: readonly { readonly userId: UserId; readonly stored: StoredRule }[] = []
  return {
    async listRules(userId) {
      return rules.filter((rule) => rule.userId === userId).map(({ stored }) => stored)
    },
    async addRule(userId, stored, { first } = { first: false }) {
      if (rules.some((rule) => rule.stored.ruleId === stored.ruleId)) {
        throw new Error(`The rule ${stored.ruleId} exists already.`)
      }
      const added = { userId, stored: structuredClone(stored) }
      rules = first ? [added, ...rules] : [...rules, added]
    },
    async changeRule(userId, ruleId, rule) {
      const known = rules.find((entry) => entry.userId === userId && entry.stored.ruleId === ruleId)
      if (known === undefined) return false
      const changed = { userId, stored: { ...known.stored, rule: structuredClone(rule) } }
      rules = rules.map((entry) => (entry === known ? changed : entry))
      return true
    },
    async arrangeRules(userId, ruleIds) {
      const own = rules.filter((entry) => entry.userId === userId)
      const first = [...new Set(ruleIds)].flatMap((id) => own.find(({ stored }) => stored.ruleId === id) ?? [])
      rules = [...first, ...rules.filter((entry) => !first.includes(entry))]
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
