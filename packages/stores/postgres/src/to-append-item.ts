import {
  LOWEST_LEVEL,
  SPOKEN_TYPES,
  encodeEvent,
  foldTitle,
  levelOfEvents,
  spokenText,
  storedBytesOf,
  toSearchTokens,
  type AppendRequest,
  type RecordedEvent,
  type SessionListing,
  type UsageRow,
} from '@polylogue/engine'
import { checksumsIn } from '@polylogue/store-rows'
import { toText } from './to-text.ts'

/** An append as `append_batch` reads it: see migrations/0002_functions.sql. */
export interface AppendItem {
  readonly sessionId: string
  readonly json: string
  /** One entry per event. */
  readonly checksums: readonly number[]
}

/** Per event. Search does not find text after this limit. */
const MOST_SPOKEN = 256 * 1024

const spokenTypes: ReadonlySet<string> = new Set(SPOKEN_TYPES)

/** Contract: reads the request now, because the caller may change its lists afterwards. */
export function toAppendItem(request: AppendRequest): AppendItem {
  const { sessionId, create, expectedSeq, at, fence, claim, release, wanted, summary, snapshot, receipt } = request
  const checksums = checksumsIn(sessionId)
  const encoded = request.events.map(encodeEvent)
  const crcs = encoded.map(({ version, data }, index) =>
    checksums.ofEvent({ seq: expectedSeq + 1 + index, at, version, data }),
  )
  const lastSeq = expectedSeq + encoded.length
  const level = levelOfEvents(request.events)
  const { secrets = [], blobs = [], names = [], usage = [], clearDrafts = [], listing, room } = request
  const dataBytes = encoded.map(({ data }) => Buffer.byteLength(data))
  const item = {
    s: sessionId,
    x: expectedSeq,
    a: at,
    n: storedBytesOf({ secrets }, dataBytes),
    e: encoded.map(({ type, version, data }, index) => [
      type,
      version,
      data,
      crcs[index],
      wordsOf(request.events[index]),
    ]),
    ...(level > LOWEST_LEVEL && { v: level }),
    ...(create && { u: create.userId, yc: checksums.ofSummary(summary ?? '') }),
    ...(wanted && { w: 1 }),
    ...(fence && { fo: fence.owner, fe: fence.epoch }),
    ...(claim && { co: claim.owner, cl: claim.leaseMs }),
    ...(release && { r: 1 }),
    ...(summary !== undefined && { y: summary, yc: checksums.ofSummary(summary) }),
    ...(listing && { l: toListing(listing, at) }),
    ...(snapshot !== undefined && { p: snapshot, pc: checksums.ofSnapshot(lastSeq, snapshot) }),
    ...(receipt && {
      k: {
        u: receipt.userId,
        k: receipt.key,
        f: receipt.fingerprint,
        t: receipt.turnId,
        q: expectedSeq + 1 + receipt.firstEvent,
      },
    }),
    ...(names.length > 0 && { m: names }),
    ...(blobs.length > 0 && {
      b: [...new Map(blobs.toReversed().map((blob) => [blob.hash, blob])).values()].map((blob) => ({
        h: blob.hash,
        t: blob.mediaType,
        n: blob.bytes.length,
        b: Buffer.from(blob.bytes).toString('base64'),
        c: checksums.ofBlob(blob),
      })),
    }),
    ...(secrets.length > 0 && {
      z: secrets.map(({ name, sealed }) => ({ n: name, b: Buffer.from(sealed).toString('base64') })),
    }),
    ...(usage.length > 0 && { g: usage.map((row) => toUsageColumns(request, row)) }),
    ...(clearDrafts.length > 0 && { d: clearDrafts }),
    ...(room && { rs: room.session, ru: room.user }),
  }
  return { sessionId, json: toJson(item), checksums: crcs }
}

/** Escapes of characters that the database cannot store. Texts that only quote them match too, which is harmless. */
const UNSTORABLE = /\\u(?:000[01]|d[89a-f])/

function toJson(item: object): string {
  const json = JSON.stringify(item)
  if (!UNSTORABLE.test(json)) return json
  return JSON.stringify(item, (_, value: unknown) => (typeof value === 'string' ? toText(value) : value))
}

/** The searchable words of an event. */
export function wordsOf(event: RecordedEvent | undefined): string | null {
  if (event === undefined || !spokenTypes.has(event.type)) return null
  return toWords(spokenText(event).slice(0, MOST_SPOKEN)) ?? null
}

/** The tokens of a text, each with a space before and after it, for `LIKE` searches. */
export function toWords(text: string): string | undefined {
  const tokens = toSearchTokens(text)
  return tokens.length === 0 ? undefined : ` ${tokens.join(' ')} `
}

function toListing({ title = '', directory, isPinned, isStarted, changedAt }: SessionListing, at: number): object {
  return {
    a: changedAt ?? at,
    p: Number(isPinned),
    s: Number(isStarted),
    d: directory ?? null,
    t: foldTitle(title),
    w: toWords(title) ?? '',
  }
}

function toUsageColumns({ sessionId, at }: AppendRequest, row: UsageRow): object {
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0, cacheWriteTokens = 0 } = row.usage ?? {}
  const { reasoningTokens = 0, cost } = row.usage ?? {}
  return {
    user_id: row.userId,
    session_id: sessionId,
    call_id: row.callId,
    at,
    kind: row.kind,
    key_id: row.keyId ?? null,
    turn_id: row.turnId ?? null,
    loops: row.loops.join(' '),
    agent: row.agent,
    model: row.model,
    is_told: Number(row.usage !== undefined),
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cached_input_tokens: cachedInputTokens,
    cache_write_tokens: cacheWriteTokens,
    reasoning_tokens: reasoningTokens,
    nano: cost?.nano ?? null,
    currency: cost?.currency ?? null,
  }
}
