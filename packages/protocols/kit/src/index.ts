export type { FollowMessage } from './follow-message.ts'
export { alreadySent } from './http/already-sent.ts'
export { beginChunks, endChunks, writeChunk } from './http/chunks.ts'
export { ClientGone, DocumentStream, type DocumentStreamOptions } from './http/document-stream.ts'
export { ENGINE_ERROR_STATUS, codeOfFault, retryAfterOf, type EngineErrorStatus } from './http/engine-error-status.ts'
export type { HoldRead, OpenReads } from './http/open-reads.ts'
export {
  BodyRefused,
  readJsonBody,
  tooLarge,
  type AdmittedBody,
  type BodyLimits,
  type LargeBodies,
} from './http/read-json-body.ts'
export { onRevoked } from './http/revocation.ts'
export { writeDocument, writeList, type DocumentOptions } from './http/write-document.ts'
export { isImageType, parseBase64, parseImageUri, type ImageBytes } from './images/data-uri.ts'
export { findJsonProblem, type JsonProblem, type JsonTextLimits } from './json/find-json-problem.ts'
export { JsonRefused, parseJson, parseJsonText, type JsonLimits } from './json/parse-json.ts'
export { parseShape } from './json/parse-shape.ts'
export { LineReader, LineTooLong, lineText } from './lines/line-reader.ts'
export type {
  CommandAnswer,
  CommandedSession,
  GivenCommand,
  SessionCommand,
  SessionCommands,
} from './session-commands.ts'
export { EventStream, type EventStreamOptions, type FrameSink } from './sse/event-stream.ts'
export { FlushQueue } from './sse/flush-queue.ts'
export { Heartbeats } from './sse/heartbeats.ts'
export { createSseReader, type SseEvent, type SseReader } from './sse/sse-reader.ts'
export { HEARTBEAT, toJsonLine, toSseFrame, type SseFrame } from './sse/sse-frame.ts'
