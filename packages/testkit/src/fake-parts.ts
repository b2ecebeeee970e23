import { createFakeClock } from './fake-clock.ts'
import { createFakeModel } from './fake-model.ts'
import { createMemoryEventStore } from './memory-event-store.ts'
import { plainParts } from './plain-parts.ts'
import { plainSecretBox } from './plain-secret-box.ts'
import { testDigest } from './test-digest.ts'
import { createTestIds } from './test-ids.ts'

/** The parts of an engine, all of them fakes, and the model of its agents. */
export function createFakeParts() {
  const clock = createFakeClock()
  return {
    clock,
    store: createMemoryEventStore({ clock }),
    ids: createTestIds(),
    digest: testDigest,
    secretBox: plainSecretBox,
    ...plainParts,
    model: createFakeModel(),
  }
}
