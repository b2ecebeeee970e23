import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fromText, toText } from './to-text.ts'

it('cluster 8: every text comes back, and none holds what the database cannot store', () => {
  const unit = fc.constantFrom('a', '0', '1', '\u0000', '\u0001', '\ud83e', '\udd9c', '\u{1F99C}', '\\')
  fc.assert(
    fc.property(fc.string({ unit }), (text) => {
      expect(toText(text)).not.toContain('\u0000')
      expect(toText(text).isWellFormed()).toBe(true)
      expect(fromText(toText(text))).toBe(text.toWellFormed())
    }),
  )
})
