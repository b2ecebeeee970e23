/**
 * Old shapes on their way to today's. An upcast turns the data of one event type from version n into version n + 1;
 * `codec.ts` applies them one after the other. There is none yet: every event is still of version 1.
 */
export type Upcast = (data: unknown) => unknown

export const EVENT_VERSIONS: { readonly [type: string]: number } = {}

export const UPCASTS: { readonly [typeAndVersion: string]: Upcast } = {}

export function currentVersion(type: string): number {
  return EVENT_VERSIONS[type] ?? 1
}
