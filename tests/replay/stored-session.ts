import type { Recorded } from '@polylogue/engine'
import type { RandomSession } from './random-session.ts'

/** A session as JSON, with the recorded exchanges in Base64, by their hash. */
export interface StoredSession {
  readonly name: string
  readonly events: readonly Recorded[]
  readonly exchanges: Readonly<Record<string, string>>
}

/** Follows the references of the log, and those of the exchanges that it names. */
export async function toStored({ name, events, readBlob }: RandomSession): Promise<StoredSession> {
  const exchanges: Record<string, string> = {}
  const read = async (hash: string): Promise<string> => {
    const bytes = await readBlob(hash)
    if (bytes === undefined) throw new Error(`${name} has no exchange ${hash}`)
    exchanges[hash] = Buffer.from(bytes).toString('base64')
    return new TextDecoder().decode(bytes)
  }
  for (const { event } of events) {
    if (!('exchange' in event) || event.exchange === undefined) continue
    const { request } = JSON.parse(await read(event.exchange)) as { readonly request: { groups: readonly string[] } }
    for (const group of request.groups) await read(group)
  }
  return { name, events, exchanges }
}

export function fromStored({ name, events, exchanges }: StoredSession): RandomSession {
  const readBlob = async (hash: string): Promise<Uint8Array | undefined> => {
    const text = exchanges[hash]
    return text === undefined ? undefined : Buffer.from(text, 'base64')
  }
  return { name, events, readBlob }
}
