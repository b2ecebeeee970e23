import { createServer } from 'node:http'
import { once } from 'node:events'

/** As register.ts sends it. */
export interface CollectedSpan {
  readonly name: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly node: string
  readonly traceId: string
  readonly spanId: string
  readonly parent?: string
  readonly links: readonly string[]
}

/** Keeps the spans of all nodes in memory. */
export interface Collector {
  readonly url: string
  readonly spans: readonly CollectedSpan[]
  close(): void
}

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = []
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      spans.push(...(JSON.parse(Buffer.concat(chunks).toString()) as CollectedSpan[]))
      outgoing.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the collector has no port')
  return {
    url: `http://127.0.0.1:${address.port}/`,
    spans,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
