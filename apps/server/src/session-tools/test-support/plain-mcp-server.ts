// An MCP server over standard input and output that does what it should. Its first argument names its tools, separated by
// commas; a second one is a text by which its processes are found. It answers PLAIN_DELAY_MS after it was started.
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'

interface Request {
  readonly id?: number
  readonly method: string
  readonly params?: {
    readonly protocolVersion?: string
    readonly name?: string
    readonly arguments?: { readonly msg?: string }
  }
}

/** One pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

const names = (process.argv[2] ?? 'echo').split(',')
const text = (said: string) => ({ type: 'text', text: said })

const RESULTS: Readonly<Record<string, (msg: string) => object>> = {
  echo: (msg) => ({ content: [text(msg)] }),
  picture: () => ({ content: [text('one pixel'), { type: 'image', data: PNG, mimeType: 'image/png' }] }),
  table: () => ({ content: [], structuredContent: { rows: [{ city: 'Rome', degrees: 21 }] } }),
  where: () => ({ content: [text(`${process.cwd()} ${process.env['GIVEN_TOKEN'] ?? 'no token'}`)] }),
}

function answer({ method, params = {} }: Request): object | undefined {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'plain', version: '1' },
      }
    case 'tools/list':
      return {
        tools: names.map((name) => ({
          name,
          description: `The tool ${name}.`,
          inputSchema: { type: 'object', properties: { msg: { type: 'string' } } },
          annotations: { readOnlyHint: true },
        })),
      }
    case 'tools/call':
      return RESULTS[params.name ?? '']?.(params.arguments?.msg ?? '')
    default:
      return {}
  }
}

await delay(Number(process.env['PLAIN_DELAY_MS'] ?? 0))
createInterface({ input: process.stdin }).on('line', (line) => {
  const request = JSON.parse(line) as Request
  if (request.id === undefined) return
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: request.id, result: answer(request) })}\n`)
})
