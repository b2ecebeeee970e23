import { createServer } from 'node:http'
import { once } from 'node:events'
import { z } from 'zod'

const span = z.object({
  name: z.string(),
  attributes: z.record(z.string(), z.unknown()),
  node: z.string(),
  traceId: z.string(),
  spanId: z.string(),
  parent: z.string().optional(),
  links: z.array(z.string()),
  status: z.number(),
})

export type CollectedSpan = z.infer<typeof span>

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
      spans.push(...z.array(span).parse(JSON.parse(Buffer.concat(chunks).toString())))
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
