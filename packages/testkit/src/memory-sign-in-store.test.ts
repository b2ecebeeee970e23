import { createFakeClock } from './fake-clock.ts'
import { createMemorySignInStore } from './memory-sign-in-store.ts'
import { signInStoreContract } from './sign-in-store-contract.ts'

signInStoreContract('the memory sign-in store', async () => {
  const clock = createFakeClock()
  return { store: createMemorySignInStore({ clock }), clock, close: async () => {} }
})
