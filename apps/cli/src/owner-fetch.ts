import type { Fetch } from '@polylogue/aap/client'
import type { OwnerLink } from './owner-link.ts'

const WITHOUT_BODY: readonly number[] = [204, 205, 304]

/** `fetch` for paths at the owner of the data directory. The link itself says who asks. */
export function createOwnerFetch(link: Pick<OwnerLink, 'request'>): Fetch {
  return async (path, { method, headers, body }) => {
    if (method !== 'GET' && method !== 'POST' && method !== 'DELETE') throw new Error(`There is no ${method} here.`)
    const value: unknown = body === undefined ? undefined : JSON.parse(body)
    const response = await link.request({ method, path, headers, ...(value !== undefined && { body: value }) })
    const { status } = response
    return new Response(WITHOUT_BODY.includes(status) ? null : ReadableStream.from(encode(response.chunks())), {
      status,
    })
  }
}

async function* encode(chunks: AsyncIterable<string>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder()
  for await (const chunk of chunks) yield encoder.encode(chunk)
}
