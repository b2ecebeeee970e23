// What clients need of the kit. Loads neither the engine nor Node, so browsers can use it.
export { createSseReader, type SseEvent, type SseReader } from '../sse/sse-reader.ts'
