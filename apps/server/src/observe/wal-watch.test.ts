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
    walBytes: () => ((looks += 1), mebibytes * MEBIBYTE),
  })
  /** A commit some time later, when the log has this size. */
  const commit = (size: number, afterMs = 10_000): void => {
    clock.advance(afterMs)
    mebibytes = size
    watch.committed()
  }
  return { commit, lines, looks: () => looks }
}

describe('a write-ahead log', () => {
  it('that keeps growing is told when it is long, each time it has doubled, and when that is over', () => {
    const { commit, lines } = createTestWatch()
    for (const size of [4, 64, 255, 256, 300, 511, 512, 700, 1_100, 1_100, 300, 64, 4]) commit(size)
    expect(lines).toEqual([
      'warn 256: the write-ahead log keeps growing',
      'warn 512: the write-ahead log keeps growing',
      'warn 1100: the write-ahead log keeps growing',
      'info 64: the write-ahead log is short again',
    ])
  })

  it('is told anew when it grows a second time', () => {
    const { commit, lines } = createTestWatch()
    for (const size of [300, 10, 300]) commit(size)
    expect(lines.map((line) => line.split(':')[0])).toEqual(['warn 300', 'info 10', 'warn 300'])
  })

  it('is looked at once in ten seconds, however many commits there are', () => {
    const { commit, looks } = createTestWatch()
    for (let count = 0; count < 1_000; count++) commit(300, 20)
    expect(looks()).toBe(2)
  })
})
