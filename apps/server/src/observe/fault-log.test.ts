import { StorageFault } from '@polylogue/engine'
import { createFakeClock } from '@polylogue/testkit'
import { expect, it } from 'vitest'
import { silentLog } from '../log/log.ts'
import { createFaultLog } from './fault-log.ts'

it('a storage fault is logged at intervals, and its recovery once', () => {
  const clock = createFakeClock()
  const lines: string[] = []
  const write = ({ kind, faults }: { readonly [name: string]: unknown }, message: string) =>
    void lines.push(`${String(kind)} ${String(faults)}: ${message}`)
  const log = createFaultLog({ ...silentLog, info: write, error: write }, clock)
  const full = new StorageFault('full', 'full')
  log.worked()
  for (let count = 0; count < 100; count++) log.fault(full)
  clock.advance(10_000)
  log.fault(full)
  log.fault(new StorageFault('broken', 'broken'))
  log.worked()
  log.worked()
  expect(lines).toEqual([
    'full 1: the storage fails',
    'full 101: the storage fails',
    'broken 102: the storage fails',
    'broken 102: the storage works again',
  ])
})
