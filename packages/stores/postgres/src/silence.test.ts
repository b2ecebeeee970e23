import { describe, expect, it, vi } from 'vitest'
import { SilentDatabase, createSilence } from './silence.ts'

const never = (): Promise<never> => new Promise(() => undefined)

describe('a database that answers nothing', () => {
  it('is noticed by what waits for it, and refuses the next at once until it answers', async () => {
    vi.useFakeTimers()
    try {
      let isUp = false
      const silence = createSilence(async () => isUp, 3_000)
      const waiting = silence.unless(never).catch((error: unknown) => error)
      await vi.advanceTimersByTimeAsync(3_000)
      expect(await waiting).toBeInstanceOf(SilentDatabase)
      let tries = 0
      const work = async (): Promise<string> => (tries++, 'done')
      await expect(silence.unless(work)).rejects.toThrow(SilentDatabase)
      expect(tries).toBe(0)
      isUp = true
      await vi.advanceTimersByTimeAsync(1_000)
      expect(await silence.unless(work)).toBe('done')
      silence.close()
    } finally {
      vi.useRealTimers()
    }
  })

  it('is asked when a statement got no connection, and refuses nothing if it answers', async () => {
    let isUp = true
    const silence = createSilence(async () => isUp, 60_000)
    const work = async (): Promise<string> => 'done'
    silence.suspected()
    expect(await silence.unless(work)).toBe('done')
    await Promise.resolve()
    expect(await silence.unless(work)).toBe('done')
    isUp = false
    silence.suspected()
    await vi.waitFor(() => expect(silence.unless(work)).rejects.toThrow(SilentDatabase))
    silence.close()
  })

  it('is told from one that is slow: others are answered, or it answers when it is asked', async () => {
    vi.useFakeTimers()
    try {
      let questions = 0
      const silence = createSilence(async () => ++questions > 0, 3_000)
      const slow = Promise.withResolvers<string>()
      const waiting = silence.unless(() => slow.promise)
      await vi.advanceTimersByTimeAsync(2_000)
      silence.heard()
      await vi.advanceTimersByTimeAsync(2_000)
      expect(questions).toBe(0)
      await vi.advanceTimersByTimeAsync(60_000)
      expect(questions).toBeGreaterThan(10)
      slow.resolve('late')
      expect(await waiting).toBe('late')
    } finally {
      vi.useRealTimers()
    }
  })
})
