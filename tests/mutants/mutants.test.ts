import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { copyCheckout } from './checkout-copy.ts'
import { applyEdit } from './mutant.ts'
import { MUTANTS } from './mutants.ts'

const ROOT = new URL('../../', import.meta.url)
const read = (file: string): string => readFileSync(fileURLToPath(new URL(file, ROOT)), 'utf8')

/** One mutant in a store and one in the engine. `npm run proof` plants all of them. */
const QUICK = ['an append does not check its fence', 'a restart grants what waited for approval']

describe('planted bugs', () => {
  it('are at least twelve', () => {
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBeGreaterThanOrEqual(12)
  })

  it.each(MUTANTS)('can still be planted: $name', ({ edits }) => {
    const texts = new Map<string, string>()
    for (const edit of edits) {
      const text = texts.get(edit.file) ?? read(edit.file)
      texts.set(edit.file, applyEdit(text, edit))
      expect(texts.get(edit.file)).not.toBe(text)
    }
  })

  it('are refused where the source has changed', () => {
    expect(() => applyEdit('a b', { file: 'x.ts', find: 'c', replacement: '' })).toThrow(
      'x.ts has 0 times, not once: c',
    )
    expect(() => applyEdit('a a', { file: 'x.ts', find: 'a', replacement: '' })).toThrow('x.ts has 2 times')
  })

  it.each(MUTANTS.filter(({ name }) => QUICK.includes(name)))(
    'are caught: $name',
    async ({ edits, caughtBy }) => {
      await using copy = await copyCheckout()
      await copy.edit(edits)
      const { failed, output } = await copy.run(caughtBy)
      expect(failed.length > 0 ? 'caught' : output).toBe('caught')
    },
    60_000,
  )
})
