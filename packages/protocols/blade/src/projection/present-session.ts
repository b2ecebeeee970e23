import type { Recorded } from '@polylogue/engine'
import { toPayload, type ProjectedOutput } from './projected-output.ts'
import type { Describe } from './scene.ts'
import { SessionProjection } from './session-projection.ts'

/** One event of a subscriber. */
export interface PresentedEvent {
  readonly name: string
  readonly body: unknown
}

export interface SessionPresentation {
  recorded(recorded: Recorded): readonly PresentedEvent[]
  /** Returns the outputs that were held back for the next event. */
  settle(): readonly PresentedEvent[]
}

/** Shows a log as a lean subscriber gets it. Pass the events in order from the first. */
export function presentSession(describe: Describe): SessionPresentation {
  const projection = new SessionProjection(describe, { keep: 'open' })
  return {
    recorded: (recorded) => projection.apply(recorded).map(toEvent),
    settle: () => projection.settle().map(toEvent),
  }
}

const toEvent = (output: ProjectedOutput): PresentedEvent => ({ name: output.event, body: toPayload(output, 'lean') })
