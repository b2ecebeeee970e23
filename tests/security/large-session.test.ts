import { expect, it } from 'vitest'
import { createTempDir } from '../support/temp-dir.ts'
import { readLargeSession } from './large-session.ts'

/** Ten times what it takes; the proof holds the largest session to 250 ms. */
const LONGEST_STOP_MS = 1_000

it('whoever reads a session of 16 MB, at any door, stops the event loop only for moments', async () => {
  const dir = await createTempDir()
  try {
    const results = await readLargeSession({ dataDir: dir.path, turns: 8, readers: 2 })
    const most = Math.max(...results.map(({ mostMs }) => mostMs))
    console.info(`the event loop stopped for ${most} ms of CPU at most`)
    expect(results.filter(({ status }) => status >= 400 && status !== 404)).toEqual([])
    expect(results.filter(({ mostMs }) => mostMs > LONGEST_STOP_MS)).toEqual([])
  } finally {
    await dir.remove()
  }
}, 240_000)
