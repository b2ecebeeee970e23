import type { Blob, EntryId, LogEntry, Recorded, RecordedEvent, ToolContent, TurnId } from '@polylogue/engine'

/** A larger image of a tool is named, not sent: it would delay every later frame. */
const LARGEST_RESULT = 4 * 1024 * 1024
/** The client has sent images of this size itself. */
const LARGEST_INPUT = 20 * 1024 * 1024

export interface ResultImagesOptions {
  readBlob(hash: string): Promise<Blob | undefined>
  /** The client already shows the input of its own turns. */
  isOwnTurn?(turnId: TurnId): boolean
  log(entry: LogEntry): void
}

/** Loads the images of a result or of an input before its update is built. */
export class ResultImages {
  readonly #options: ResultImagesOptions
  readonly #bytes = new Map<string, string>()
  readonly #inputs = new Map<EntryId, readonly string[]>()

  constructor(options: ResultImagesOptions) {
    this.#options = options
  }

  bytes(hash: string): string | undefined {
    return this.#bytes.get(hash)
  }

  /** Returns `undefined` when the event has no images. Never rejects. */
  load({ event }: Recorded): Promise<void> | undefined {
    this.#bytes.clear()
    if (event.type === 'tool-call.settled') return this.#read(hashesIn(event.output), LARGEST_RESULT)
    return this.#read(this.#inputHashes(event), LARGEST_INPUT)
  }

  /** An input is shown when its turn starts. */
  #inputHashes(event: RecordedEvent): readonly string[] {
    switch (event.type) {
      case 'input.admitted':
      case 'input.changed': {
        const hashes = hashesIn(event.content)
        if (hashes.length > 0) this.#inputs.set(event.inputId, hashes)
        return []
      }
      case 'turn.started': {
        const hashes = (event.inputId && this.#inputs.get(event.inputId)) ?? []
        if (event.inputId !== undefined) this.#inputs.delete(event.inputId)
        return this.#options.isOwnTurn?.(event.turnId) === true ? [] : hashes
      }
      case 'session.seeded':
        return event.messages.flatMap((message) => (message.role === 'user' ? hashesIn(message.content) : []))
      default:
        return []
    }
  }

  #read(hashes: readonly string[], largest: number): Promise<void> | undefined {
    return hashes.length === 0 ? undefined : this.#readAll(hashes, largest)
  }

  async #readAll(hashes: readonly string[], largest: number): Promise<void> {
    for (const hash of hashes) {
      try {
        const blob = await this.#options.readBlob(hash)
        if (blob !== undefined && blob.bytes.length <= largest) {
          this.#bytes.set(hash, Buffer.from(blob.bytes).toString('base64'))
        }
      } catch (error) {
        this.#options.log({ level: 'warn', message: 'an image could not be read', error })
      }
    }
  }
}

function hashesIn(output: ToolContent): readonly string[] {
  if (typeof output === 'string') return []
  return output.flatMap((part) => (part.type === 'image' && part.source.type === 'blob' ? [part.source.hash] : []))
}
