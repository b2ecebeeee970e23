import { upcastAnswered } from './upcast-answered.ts'
import { upcastConfigured, upcastCreated } from './upcast-settings.ts'

/**
 * Upcasts turn old shapes into today's: each takes the data of one event type from version n to version n + 1, and
 * `codec.ts` applies them one after the other. An upcast returns data that it does not understand unchanged; the schema
 * refuses it afterwards.
 */
export type Upcast = (data: unknown) => unknown

/** Types that are not listed have version 1. */
export const EVENT_VERSIONS: { readonly [type: string]: number } = {
  'session.created': 2,
  'session.configured': 2,
  'step.answered': 2,
}

export const UPCASTS: { readonly [typeAndVersion: string]: Upcast } = {
  'session.created@1': upcastCreated,
  'session.configured@1': upcastConfigured,
  'step.answered@1': upcastAnswered,
}

export function currentVersion(type: string): number {
  return EVENT_VERSIONS[type] ?? 1
}
