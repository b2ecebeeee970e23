import type { RuleStore, StoredRule, UserId } from '@polylogue/engine'

const MOST_USERS = 1_000

/**
 * The rules of users who are at work, read once: every model call and every tool call asks for them. Nobody but the
 * owner of the data directory changes them, and the owner changes them through here.
 */
export function rememberRules(store: RuleStore): RuleStore {
  const known = new Map<UserId, Promise<readonly StoredRule[]>>()
  return {
    listRules(userId) {
      const remembered = known.get(userId)
      if (remembered !== undefined) return remembered
      const read = store.listRules(userId)
      if (known.size >= MOST_USERS) known.clear()
      known.set(userId, read)
      read.catch(() => known.delete(userId))
      return read
    },
    // Forgotten before and after: whoever reads while it is being written must not keep what was there before.
    async addRule(userId, rule, options) {
      known.delete(userId)
      await store.addRule(userId, rule, options).finally(() => known.delete(userId))
    },
    async changeRule(userId, ruleId, rule) {
      known.delete(userId)
      return store.changeRule(userId, ruleId, rule).finally(() => known.delete(userId))
    },
    async arrangeRules(userId, ruleIds) {
      known.delete(userId)
      await store.arrangeRules(userId, ruleIds).finally(() => known.delete(userId))
    },
    async bindRule(userId, ruleId, bound) {
      known.delete(userId)
      await store.bindRule(userId, ruleId, bound).finally(() => known.delete(userId))
    },
    async removeRule(userId, ruleId) {
      known.delete(userId)
      return store.removeRule(userId, ruleId).finally(() => known.delete(userId))
    },
  }
}
