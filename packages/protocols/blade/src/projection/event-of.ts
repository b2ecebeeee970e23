import type { RecordedEvent } from '@polylogue/engine'

export type EventOf<T extends RecordedEvent['type']> = Extract<RecordedEvent, { readonly type: T }>
