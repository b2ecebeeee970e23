import type { Blob, LogEntry, Recorded, ToolContent } from '@polylogue/engine'

/** A larger image is named, not sent: it would delay every later frame. */
const LARGEST_BYTES = 4 * 1024 * 1024

export interface ResultImagesOptions {
  readBlob(hash: string): Promise<Blob | undefined>
  log(entry: LogEntry): void
}

/** Loads the images of a result before its update is built. */
export class ResultImages {
  readonly #options: ResultImagesOptions
  readonly #bytes = new Map<string, string>()

  constructor(options: ResultImagesOptions) {
    this.#options = options
  }

  bytes(hash: string): string | undefined {
    return this.#bytes.get(hash)
  }

  /** Returns `undefined` when the event has no images. Never rejects. */
  load({ event }: Recorded): Promise<void> | undefined {
    this.#bytes.clear()
    const hashes = event.type === 'tool-call.settled' ? hashesIn(event.output) : []
    return hashes.length === 0 ? undefined : this.#read(hashes)
  }

  async #read(hashes: readonly string[]): Promise<void> {
    for (const hash of hashes) {
      try {
        const blob = await this.#options.readBlob(hash)
        if (blob !== undefined && blob.bytes.length <= LARGEST_BYTES) {
          this.#bytes.set(hash, Buffer.from(blob.bytes).toString('base64'))
        }
      } catch (error) {
        this.#options.log({ level: 'warn', message: 'an image of a result could not be read', error })
      }
    }
  }
}

function hashesIn(output: ToolContent): readonly string[] {
  if (typeof output === 'string') return []
  return output.flatMap((part) => (part.type === 'image' && part.source.type === 'blob' ? [part.source.hash] : []))
}
