import { expect, it } from 'vitest'
import { findPlaces } from './find-places.ts'

it('finds what the search of the runtime finds, in texts that repeat themselves', () => {
  const letters = (number: number, length: number): string =>
    Array.from({ length }, (_, bit) => ((number >> bit) & 1 ? 'b' : 'a')).join('')
  for (let number = 0; number < 256; number += 1) {
    const text = letters(number * 7919, 24).repeat(6)
    for (const part of [letters(number, 3), letters(number, 8).repeat(3), text.slice(number % 20, 40)]) {
      const expected: number[] = []
      for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) expected.push(at)
      expect(findPlaces(text, part, Number.POSITIVE_INFINITY)).toEqual(expected)
      expect(findPlaces(text, part, 1)).toEqual(expected.slice(0, 1))
    }
  }
})

it.each([
  ['the middle', `${'a'.repeat(200_000)}b${'a'.repeat(200_000)}`],
  ['the beginning', `ab${'a'.repeat(400_000)}`],
  ['the end', `${'a'.repeat(400_000)}ba`],
])('takes linear time where one letter in %s differs', (_, part) => {
  const text = `${'a'.repeat(8_000_000)}b`
  const before = process.threadCpuUsage()
  expect(findPlaces(text, part, 10)).toEqual([])
  // The search of the runtime takes minutes.
  expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(3_000)
})
