import {
  createFakeModel,
  createMemoryEventStore,
  createTestIds,
  plainParts,
  plainSecretBox,
  testDigest,
  type FakeModel,
} from '@polylogue/testkit'
import { onTestFinished } from 'vitest'
import { openDoor, type Door, type DoorOptions, type DoorParts } from './open-door.ts'
import { systemClock } from './system-clock.ts'

export type TestDoor = Omit<Door, 'model'> & { readonly model: FakeModel }

/** The door with a scripted model and everything in memory; it closes with the test. */
export async function openTestDoor(
  options: DoorOptions & Partial<Omit<DoorParts, 'model'>> & { readonly model?: FakeModel } = {},
): Promise<TestDoor> {
  const clock = systemClock
  const {
    store = createMemoryEventStore({ clock }),
    ids = createTestIds(),
    model = createFakeModel(),
    ...more
  } = options
  const door = await openDoor(
    { ...plainParts, ...more, store, clock, ids, digest: testDigest, secretBox: plainSecretBox, model },
    options,
  )
  onTestFinished(() => door.close())
  return door
}
