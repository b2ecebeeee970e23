import { describe, expect, it } from 'vitest'
import { titleOf } from './title-of.ts'

describe('the title of an unnamed session', () => {
  it('is the first message of its user, on one line', () => {
    expect(titleOf('  Write\n a poem ')).toBe('Write a poem')
    expect(titleOf(' \n ')).toBeUndefined()
  })

  it('keeps the parts of a message apart', () => {
    const said = ['Look at this', 'Attached file: uploads/a.txt'].map((text) => ({ type: 'text' as const, text }))
    expect(titleOf(said)).toBe('Look at this Attached file: uploads/a.txt')
  })

  it('ends with a whole character', () => {
    expect(titleOf('🦜'.repeat(60))).toMatch(/^(?:🦜)+…$/)
  })
})
