// A server that supports only the newest protocol: over standard input and output, or with the argument `http` over HTTP,
// where it prints its address. The tool `grow` adds a tool and announces it.
import { createServer } from 'node:http'
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

let isGrown = false
let announce = (): void => {}

function createNewestServer(): McpServer {
  const server = new McpServer({ name: 'newest', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } })
  const say = (text: string) => ({ content: [{ type: 'text' as const, text }] })
  server.registerTool(
    'echo',
    { description: 'Says it again.', inputSchema: z.object({ msg: z.string() }) },
    ({ msg }) => say(msg),
  )
  server.registerTool('grow', { description: 'Adds a tool.', inputSchema: z.object({}) }, () => {
    isGrown = true
    announce()
    return say('grown')
  })
  if (isGrown) server.registerTool('grown', { description: 'Is new.', inputSchema: z.object({}) }, () => say('new'))
  return server
}

if (process.argv[2] === 'http') {
  const handler = createMcpHandler(createNewestServer, { legacy: 'reject' })
  announce = () => handler.notify.toolsChanged()
  const listener = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)])
      const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }
      const url = `http://127.0.0.1${request.url ?? '/'}`
      void handler
        .fetch(new Request(url, { method: request.method ?? 'GET', headers, ...body }))
        .then(async (answer) => {
          response.writeHead(answer.status, Object.fromEntries(answer.headers))
          for await (const chunk of answer.body ?? []) response.write(chunk)
          response.end()
        })
    })
  })
  listener.listen(0, '127.0.0.1', () => {
    const address = listener.address()
    if (typeof address === 'object' && address !== null) process.stdout.write(`http://127.0.0.1:${address.port}/mcp\n`)
  })
} else {
  serveStdio(createNewestServer, { legacy: 'reject' })
}
