import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { asUserId, type PermissionRule, type RuleStore, type StoredRule } from '@polylogue/engine'

/** A rule store that only one test uses. */
export interface OpenedRuleStore {
  readonly store: RuleStore
  /** Closes the store and opens its database again. Absent: the store itself must still have everything. */
  readonly reopen?: () => Promise<RuleStore>
  /** Closes the store and removes its files. */
  close(): Promise<void>
}

const ADA = asUserId('ada')
const GRACE = asUserId('grace')
const AT = Date.UTC(2026, 0, 1)

const stored = (ruleId: string, rule: Partial<PermissionRule> = {}): StoredRule => ({
  ruleId,
  rule: { tool: '*', action: 'ask', ...rule },
  createdAt: AT,
})

export function ruleStoreContract(name: string, open: () => Promise<OpenedRuleStore>): void {
  describe(`${name} keeps the contract of a rule store`, () => {
    let opened: OpenedRuleStore | undefined
    beforeEach(async () => {
      opened = await open()
    })
    afterEach(async () => {
      await opened?.close()
      opened = undefined
    })
    const subject = (): OpenedRuleStore => {
      if (opened === undefined) throw new Error('the store is opened before each test')
      return opened
    }

    it('gives rules back as they were, in the order in which they came', async () => {
      const { store } = subject()
      const rules = [
        stored('rule_2', { tool: 'Bash', args: { command: '^ls \u{1F600}$' }, action: 'allow' }),
        stored('rule_3', {
          tool: 'WebFetch',
          domain: { allowlist: ['.a.example'], blocklist: [], urlArgument: 'target' },
          action: 'deny',
        }),
        { ...stored('rule_1'), createdAt: AT - 1 },
      ]
      for (const rule of rules) await store.addRule(ADA, rule)
      expect(await store.listRules(ADA)).toEqual(rules)
    })

    it('binds a rule to the first definition of each tool, and changes nothing else', async () => {
      const { store, reopen } = subject()
      const rule = stored('rule_1', { tool: 'mcp_.*', action: 'allow' })
      await store.addRule(ADA, rule)
      await store.addRule(ADA, stored('rule_2'))
      await store.bindRule(ADA, 'rule_1', { tool: 'mcp_a', definition: 'one' })
      await store.bindRule(ADA, 'rule_1', { tool: 'mcp_a', definition: 'two' })
      await store.bindRule(ADA, 'rule_1', { tool: 'constructor', definition: 'three' })
      await store.bindRule(GRACE, 'rule_1', { tool: 'mcp_b', definition: 'four' })
      await store.bindRule(ADA, 'rule_9', { tool: 'mcp_b', definition: 'five' })
      const definitions = Object.fromEntries([
        ['mcp_a', 'one'],
        ['constructor', 'three'],
      ])
      const bound = { ...rule, rule: { ...rule.rule, definitions } }
      expect(await ((await reopen?.()) ?? store).listRules(ADA)).toEqual([bound, stored('rule_2')])
    })

    it('changes a rule in its place, and forgets the definitions that it was bound to', async () => {
      const { store, reopen } = subject()
      for (const id of ['rule_1', 'rule_2', 'rule_3']) await store.addRule(ADA, stored(id))
      await store.bindRule(ADA, 'rule_2', { tool: 'mcp_a', definition: 'one' })
      const changed = { tool: 'Bash', action: 'allow', args: { command: '^ls$' } } as const
      expect(await store.changeRule(ADA, 'rule_2', changed)).toBe(true)
      expect(await store.changeRule(ADA, 'rule_9', changed)).toBe(false)
      expect(await store.changeRule(GRACE, 'rule_1', changed)).toBe(false)
      const again = (await reopen?.()) ?? store
      expect(await again.listRules(ADA)).toEqual([
        stored('rule_1'),
        { ...stored('rule_2'), rule: changed },
        stored('rule_3'),
      ])
    })

    it('arranges the rules of one user, and adds before the first', async () => {
      const { store, reopen } = subject()
      for (const id of ['rule_1', 'rule_2', 'rule_3']) await store.addRule(ADA, stored(id))
      await store.addRule(GRACE, stored('rule_4'))
      await store.arrangeRules(ADA, ['rule_3', 'rule_9', 'rule_4', 'rule_1', 'rule_3'])
      await store.addRule(ADA, stored('rule_5'), { first: true })
      await store.addRule(ADA, stored('rule_6'))
      const again = (await reopen?.()) ?? store
      const order = (await again.listRules(ADA)).map(({ ruleId }) => ruleId)
      expect(order).toEqual(['rule_5', 'rule_3', 'rule_1', 'rule_2', 'rule_6'])
      expect(await again.listRules(GRACE)).toEqual([stored('rule_4')])
      await again.arrangeRules(GRACE, [])
      expect(await again.listRules(GRACE)).toEqual([stored('rule_4')])
    })

    it('keeps the rules of users apart', async () => {
      const { store } = subject()
      await store.addRule(ADA, stored('rule_1'))
      await store.addRule(GRACE, stored('rule_2'))
      expect(await store.listRules(ADA)).toEqual([stored('rule_1')])
      expect(await store.removeRule(ADA, 'rule_2')).toBe(false)
      expect(await store.listRules(GRACE)).toEqual([stored('rule_2')])
      expect(await store.listRules(asUserId('nobody'))).toEqual([])
    })

    it('removes a rule once, and keeps the order of the others', async () => {
      const { store } = subject()
      for (const id of ['rule_1', 'rule_2', 'rule_3']) await store.addRule(ADA, stored(id))
      expect(await store.removeRule(ADA, 'rule_3')).toBe(true)
      expect(await store.removeRule(ADA, 'rule_3')).toBe(false)
      await store.addRule(ADA, stored('rule_0'))
      expect(await store.removeRule(ADA, 'rule_1')).toBe(true)
      expect((await store.listRules(ADA)).map(({ ruleId }) => ruleId)).toEqual(['rule_2', 'rule_0'])
    })

    it('refuses a second rule with the same id, whoever has the first', async () => {
      const { store } = subject()
      await store.addRule(ADA, stored('rule_1'))
      await expect(store.addRule(ADA, stored('rule_1', { action: 'allow' }))).rejects.toThrow('rule_1')
      await expect(store.addRule(GRACE, stored('rule_1'))).rejects.toThrow('rule_1')
      expect(await store.listRules(ADA)).toEqual([stored('rule_1')])
    })

    it('orders rules that are added at once', async () => {
      const { store } = subject()
      const ids = Array.from({ length: 20 }, (_, index) => `rule_${index}`)
      await Promise.all(ids.map((id) => store.addRule(ADA, stored(id))))
      expect((await store.listRules(ADA)).map(({ ruleId }) => ruleId)).toEqual(ids)
    })

    it('knows everything when it is opened again', async () => {
      const { store, reopen } = subject()
      for (const id of ['rule_2', 'rule_1', 'rule_3']) await store.addRule(ADA, stored(id))
      await store.removeRule(ADA, 'rule_3')
      const again = (await reopen?.()) ?? store
      expect(await again.listRules(ADA)).toEqual([stored('rule_2'), stored('rule_1')])
      await again.addRule(ADA, stored('rule_0'))
      expect((await again.listRules(ADA)).map(({ ruleId }) => ruleId)).toEqual(['rule_2', 'rule_1', 'rule_0'])
    })
  })
}
