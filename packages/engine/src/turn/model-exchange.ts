// A request to a model and its answer, as they are kept with a session that is recorded. Each exchange is a blob: JSON with the
// fields of `ModelExchange`. Messages are kept in groups, each a blob of its own, so that a group that many requests repeat is
// stored once.
import { z } from 'zod'
import type { RecordedEvent } from '../events/recorded-event.ts'
import type { NewBlob } from '../ports/event-store.ts'
import type { Digest } from '../ports/ids.ts'
import type { ModelOutput, ModelRequest } from '../ports/model.ts'
import { REDACTED } from '../session/decide-changes.ts'
import type { Batch } from '../session/batch.ts'
import type { SessionState } from '../state/session-state.ts'
import { maskSecrets } from './mask-secrets.ts'

const MEDIA_TYPE = 'application/json'
const GROUP = 16

/** What a model was asked. The values of secret options are `***`, wherever they occur. */
export type KeptRequest = Pick<ModelRequest, 'system' | 'messages' | 'tools' | 'options' | 'step' | 'purpose'>

export interface ModelExchange {
  readonly request: KeptRequest
  /** Pieces of one block are joined. */
  readonly outputs: readonly ModelOutput[]
}

const json = z.json()
const stored = z.object({
  request: z.looseObject({ messages: z.array(json), groups: z.array(z.string()) }),
  outputs: z.array(z.looseObject({ type: z.string() })),
})

/** Collects one exchange while it happens. Does nothing in a session that is not recorded. */
export class ExchangeRecorder {
  readonly #isOn: boolean
  #request: ModelRequest | undefined
  readonly #outputs: ModelOutput[] = []

  constructor({ settings }: Pick<SessionState, 'settings'>) {
    this.#isOn = settings.isRecorded === true
  }

  begin(request: ModelRequest): void {
    if (this.#isOn) this.#request = request
  }

  take(output: ModelOutput): void {
    if (!this.#isOn) return
    const last = this.#outputs.at(-1)
    if ((output.type === 'text' || output.type === 'thinking') && last?.type === output.type) {
      this.#outputs[this.#outputs.length - 1] = { type: output.type, text: last.text + output.text }
    } else if (output.type !== 'tool-input') this.#outputs.push(output)
  }

  /** Keeps the exchange with the events that end the step or compaction `entryId`. */
  addTo<Kept extends Batch>(batch: Kept, entryId: string, digest: Digest): Kept {
    if (this.#request === undefined) return batch
    const blobs = toBlobs(this.#request, this.#outputs, digest)
    return {
      ...batch,
      events: withExchange(batch.events, entryId, blobs[0].hash),
      blobs: [...(batch.blobs ?? []), ...blobs],
    }
  }
}

/** The exchange's blob comes first. */
function toBlobs(asked: ModelRequest, outputs: readonly ModelOutput[], digest: Digest): [NewBlob, ...NewBlob[]] {
  const { system, messages, tools, options, step, purpose, secretOptions } = asked
  const secrets = secretOptions.flatMap((name) => options[name] ?? []).filter((value) => value !== '')
  const toBlob = (value: unknown): NewBlob => {
    const bytes = new TextEncoder().encode(maskSecrets(JSON.stringify(value), secrets, REDACTED))
    return { hash: digest(bytes), mediaType: MEDIA_TYPE, bytes }
  }
  const grouped = messages.length - (messages.length % GROUP)
  const groups: NewBlob[] = []
  for (let at = 0; at < grouped; at += GROUP) groups.push(toBlob(messages.slice(at, at + GROUP)))
  const shown = Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name, secretOptions.includes(name) && value ? REDACTED : value]),
  )
  const request = { system, tools, options: shown, step, purpose, messages: messages.slice(grouped) }
  const exchange = { request: { ...request, groups: groups.map(({ hash }) => hash) }, outputs }
  return [toBlob(exchange), ...groups]
}

/** Names the exchange in the event that ends its step or its compaction. */
function withExchange(events: readonly RecordedEvent[], entryId: string, exchange: string): RecordedEvent[] {
  return events.map((event) => {
    const isEnd = (event.type === 'step.answered' || event.type === 'step.ended') && event.stepId === entryId
    return isEnd || (event.type === 'compaction.ended' && event.compactionId === entryId)
      ? { ...event, exchange }
      : event
  })
}

/** Reads an exchange again. `undefined`: its blobs are missing, or are not an exchange. */
export async function readExchange(
  hash: string,
  readBlob: (hash: string) => Promise<Uint8Array | undefined>,
): Promise<ModelExchange | undefined> {
  const bytes = await readBlob(hash)
  const parsed = bytes && stored.safeParse(parse(bytes))
  if (parsed?.success !== true) return undefined
  const { groups, ...request } = parsed.data.request
  const earlier: unknown[] = []
  for (const group of groups) {
    const found = await readBlob(group)
    const messages = z.array(json).safeParse(found && parse(found))
    if (!messages.success) return undefined
    earlier.push(...messages.data)
  }
  // Written by `toBlobs` above.
  return { request: { ...request, messages: [...earlier, ...request.messages] }, outputs: parsed.data.outputs } as never
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}
