import { upcastAnswered } from './upcast-answered.ts'

/**
 * Old shapes on their way to today's. An upcast turns the data of one event type from version n into version n + 1;
 * `codec.ts` applies them one after the other. Data that an upcast does not understand stays as it is: the schema
 * refuses it afterwards.
 */
export type Upcast = (data: unknown) => unknown

export const EVENT_VERSIONS: { readonly [type: string]: number } = { 'step.answered': 2 }

export const UPCASTS: { readonly [typeAndVersion: string]: Upcast } = { 'step.answered@1': upcastAnswered }

export function currentVersion(type: string): number {
  return EVENT_VERSIONS[type] ?? 1
}
