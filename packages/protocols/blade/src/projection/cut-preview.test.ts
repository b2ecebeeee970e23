import { expect, it } from 'vitest'
import { cutPreview } from './cut-preview.ts'
import { toMemoryRef } from './memory-ref.ts'

it('a preview is the beginning of a text, and never half a character', () => {
  expect(cutPreview('abc', 3)).toBe('abc')
  expect(cutPreview('abcd', 3)).toBe('abc')
  expect(cutPreview('ab😀', 3)).toBe('ab')
  expect(cutPreview('a😀b', 3)).toBe('a😀')
})

it('the preview of a memory is whole characters', () => {
  const { content_preview } = toMemoryRef({ memoryId: 1, content: `${'x'.repeat(119)}😀` })
  expect(content_preview).toBe('x'.repeat(119))
})
