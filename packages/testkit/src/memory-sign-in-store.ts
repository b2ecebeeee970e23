import { SIGN_IN_LIMITS, type Clock, type NewSignInCode, type SignInStore } from '@polylogue/engine'

export function createMemorySignInStore({ clock }: { readonly clock: Clock }): SignInStore {
  let codes: readonly NewSignInCode[] = []
  return {
    async addCode(code) {
      if (codes.some(({ hash }) => hash === code.hash)) throw new Error('The code exists already.')
      const valid = [...codes, code].filter(({ expiresAt }) => expiresAt > clock.now())
      const ofUser = valid.filter(({ userId }) => userId === code.userId)
      const surplus = new Set(ofUser.slice(0, Math.max(0, ofUser.length - SIGN_IN_LIMITS.perUser)))
      codes = valid.filter((kept) => !surplus.has(kept))
    },
    async takeCode(hash) {
      const taken = codes.find((code) => code.hash === hash)
      codes = codes.filter((code) => code !== taken)
      return taken !== undefined && taken.expiresAt > clock.now() ? taken.userId : undefined
    },
  }
}
