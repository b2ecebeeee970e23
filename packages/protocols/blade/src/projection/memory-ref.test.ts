import { expect, it } from 'vitest'
import { toMemoryRef } from './memory-ref.ts'

it('the preview of a memory ends with a whole character', () => {
  const { content_preview } = toMemoryRef({ memoryId: 1, content: `${'x'.repeat(119)}😀` })
  expect(content_preview).toBe('x'.repeat(119))
})
