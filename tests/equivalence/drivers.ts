import { V1, V3 } from '../support/aap-dialect.ts'
import { hasLimit } from './compare-accounts.ts'
import type { DoorDriver } from './driver.ts'
import { createAapDriver } from './drivers/aap.ts'
import { acpDriver } from './drivers/acp.ts'
import { bladeDriver } from './drivers/blade.ts'
import { consoleDriver } from './drivers/console.ts'

/** Every door. A new one joins here. */
export const DRIVERS: readonly DoorDriver[] = [
  createAapDriver('AAP v3', V3),
  createAapDriver('AAP v1', V1),
  acpDriver,
  bladeDriver,
  consoleDriver,
]

/** Doors through which turns are begun and answered. */
export const ACTORS = DRIVERS.filter((driver) => !hasLimit(driver, 'begin and answer turns'))

/** Every door with every other one. */
export const PAIRS = ACTORS.flatMap((first) =>
  ACTORS.filter((second) => second !== first).map((second) => [first, second] as const),
)
