import { createFakeClock } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { silentLog } from '../log/log.ts'
import { createWalWatch } from './wal-watch.ts'

const MEBIBYTE = 1024 * 1024

function createTestWatch() {
  const clock = createFakeClock()
  const lines: string[] = []
  const write =
    (level: string) =>
    ({ walMiB }: { readonly [name: string]: unknown }, message: string) =>
      void lines.push(`${level} ${String(walMiB)}: ${message}`)
  let mebibytes = 0
  let looks = 0
  const watch = createWalWatch({
    log: { ...silentLog, info: write('info'), warn: write('warn') },
    clock,
    walBytes: async () => ((looks += 1), mebibytes * MEBIBYTE),
  })
  /** Commits after some time, with a log of this size. */
  const commit = async (size: number, afterMs = 10_000): Promise<void> => {
    clock.advance(afterMs)
    mebibytes = size
    await watch.committed()
  }
  return { commit, lines, looks: () => looks }
}

describe('a write-ahead log', () => {
  it('is reported when it is long, each time it doubles, and when it is short again', async () => {
    const { commit, lines } = createTestWatch()
    for (const size of [4, 64, 255, 256, 300, 511, 512, 700, 1_100, 1_100, 300, 64, 4]) await commit(size)
    expect(lines).toEqual([
      'warn 256: the write-ahead log keeps growing',
      'warn 512: the write-ahead log keeps growing',
      'warn 1100: the write-ahead log keeps growing',
      'info 64: the write-ahead log is short again',
    ])
  })

  it('is reported again when it grows a second time', async () => {
    const { commit, lines } = createTestWatch()
    for (const size of [300, 10, 300]) await commit(size)
    expect(lines.map((line) => line.split(':')[0])).toEqual(['warn 300', 'info 10', 'warn 300'])
  })

  it('is measured once in ten seconds, for any number of commits', async () => {
    const { commit, looks } = createTestWatch()
    for (let count = 0; count < 1_000; count++) await commit(300, 20)
    expect(looks()).toBe(2)
  })
})
