import fc from 'fast-check'
import { expect, it } from 'vitest'
import { seedNumber } from './seed-number.ts'

function choices(): readonly number[] {
  const made: number[] = []
  fc.assert(fc.property(fc.integer(), (number) => void made.push(number)))
  return made
}

it('properties make the choices of the seed, and the same each time', () => {
  const { POLYLOGUE_SEED: chosen, POLYLOGUE_PROOF_SEED: ofTheProof } = process.env
  expect(fc.readConfigureGlobal().seed).toBe(seedNumber(chosen ?? ofTheProof ?? 'polylogue'))
  expect(choices()).toEqual(choices())
})

it('another word is another seed', () => {
  expect(new Set(['polylogue', 'willow', 'willow 1', ''].map(seedNumber)).size).toBe(4)
})
