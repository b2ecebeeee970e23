// What clients need of the kit. Loads neither the engine nor Node, so browsers can use it.
export type { JsonObject, JsonValue } from '../json/json-object.ts'
export { randomId } from './random-id.ts'
export { createSseReader, type SseEvent, type SseReader } from '../sse/sse-reader.ts'
