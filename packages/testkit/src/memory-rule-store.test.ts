import { createMemoryRuleStore } from './memory-rule-store.ts'
import { ruleStoreContract } from './rule-store-contract.ts'

ruleStoreContract('the memory rule store', async () => ({
  store: createMemoryRuleStore(),
  close: async () => {},
}))
