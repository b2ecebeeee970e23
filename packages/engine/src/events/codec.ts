import { recordedEvent, type RecordedEvent } from './recorded-event.ts'
import { UPCASTS, currentVersion } from './upcast.ts'

/** An event as a store keeps it. */
export interface EncodedEvent {
  readonly type: string
  readonly version: number
  readonly data: string
}

export function encodeEvent(event: RecordedEvent): EncodedEvent {
  return { type: event.type, version: currentVersion(event.type), data: JSON.stringify(event) }
}

/** Throws on a row that no version of this program wrote: a damaged log is refused instead of being misread. */
export function decodeEvent(row: EncodedEvent): RecordedEvent {
  if (row.version > currentVersion(row.type)) {
    throw new Error(`event ${row.type} has version ${row.version}, written by a newer Polylogue`)
  }
  let data: unknown = JSON.parse(row.data)
  for (let version = row.version; version < currentVersion(row.type); version++) {
    const upcast = UPCASTS[`${row.type}@${version}`]
    if (upcast === undefined) throw new Error(`event ${row.type} of version ${version} has no upcast`)
    data = upcast(data)
  }
  const parsed = recordedEvent.safeParse(data)
  if (!parsed.success)
    throw new Error(`event ${row.type} is damaged: ${parsed.error.issues[0]?.message ?? 'unreadable'}`)
  if (parsed.data.type !== row.type) throw new Error(`event row says ${row.type} but holds ${parsed.data.type}`)
  return parsed.data
}
