import { expect, it } from 'vitest'
import type { CallInspection } from '../events/call-facts.ts'
import { PreviewRoom } from './preview-room.ts'

const inspection = (length: number): CallInspection => ({
  facts: { type: 'plain' },
  preview: { title: 'Edit a', diffs: [{ path: '/a', oldText: 'x'.repeat(length), newText: '' }] },
})
const MEBIBYTE = 1024 * 1024

it('shows differences as long as the calls of an answer leave room for them', () => {
  const room = new PreviewRoom()
  const [first, second, third] = [inspection(3 * MEBIBYTE), inspection(2 * MEBIBYTE), inspection(MEBIBYTE)]
  expect(room.fit(first)).toBe(first)
  expect(room.fit(second)).toEqual({ ...second, preview: { title: 'Edit a', diffs: [] } })
  expect(room.fit(third)).toBe(third)
  expect(room.fit(inspection(1)).preview?.diffs).toEqual([])
})

it('leaves calls alone that show no difference', () => {
  const room = new PreviewRoom()
  const plain: CallInspection = { facts: { type: 'plain' } }
  expect(room.fit(plain)).toBe(plain)
})
