import { expect, it } from 'vitest'
import { WINDOW, playLongSession } from './long-session.ts'

it('a long session never gives its model more than the window, and is compacted again and again', async () => {
  const played = await playLongSession({ turns: 60, warmUp: 20, measured: 20 })
  expect(played.complaints).toEqual([])
  expect(played.inputTokens.length).toBeGreaterThan(70)
  expect(Math.max(...played.inputTokens)).toBeLessThanOrEqual(WINDOW)
  expect(played.compactions).toBeGreaterThan(1)
}, 60_000)
