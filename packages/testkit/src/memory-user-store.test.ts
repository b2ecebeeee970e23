import { createMemoryUserStore } from './memory-user-store.ts'
import { userStoreContract } from './user-store-contract.ts'

userStoreContract('the memory user store', async () => ({ store: createMemoryUserStore(), close: async () => {} }))
