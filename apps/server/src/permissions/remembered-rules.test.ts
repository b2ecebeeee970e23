import { asUserId, type RuleStore } from '@polylogue/engine'
import { createMemoryRuleStore } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { rememberRules } from './remembered-rules.ts'

const ann = asUserId('ann')
const rule = { ruleId: 'rule_1', rule: { tool: 'Bash', action: 'deny' }, createdAt: 1 } as const

function createCounted(): { readonly store: RuleStore; reads(): number } {
  const store = createMemoryRuleStore()
  let reads = 0
  return {
    reads: () => reads,
    store: {
      ...store,
      listRules: (userId) => {
        reads += 1
        return store.listRules(userId)
      },
    },
  }
}

describe('remembered rules', () => {
  it('are read once, and again after a change', async () => {
    const { store, reads } = createCounted()
    const rules = rememberRules(store)
    expect(await rules.listRules(ann)).toEqual([])
    expect(await rules.listRules(ann)).toEqual([])
    expect(reads()).toBe(1)
    await rules.addRule(ann, rule)
    expect(await rules.listRules(ann)).toEqual([rule])
    expect(await rules.removeRule(ann, 'rule_1')).toBe(true)
    expect(await rules.listRules(ann)).toEqual([])
    expect(reads()).toBe(3)
  })

  it('discard what was read during a change', async () => {
    const { store } = createCounted()
    const rules = rememberRules(store)
    const added = rules.addRule(ann, rule)
    await rules.listRules(ann)
    await added
    expect(await rules.listRules(ann)).toEqual([rule])
  })

  it('do not remember a failure', async () => {
    let isBroken = true
    const store = createMemoryRuleStore()
    const rules = rememberRules({
      ...store,
      listRules: (userId) => (isBroken ? Promise.reject(new Error('disk')) : store.listRules(userId)),
    })
    await expect(rules.listRules(ann)).rejects.toThrow('disk')
    isBroken = false
    expect(await rules.listRules(ann)).toEqual([])
  })
})
