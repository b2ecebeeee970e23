import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { type ChatMessage, findChatFault, parseChatRequest } from '../streams/support/chat-history.ts'

/** One answer of the model: words, then calls. */
export interface ModelStep {
  readonly text?: string
  readonly calls?: readonly { readonly name: string; readonly input: object }[]
}

export interface ToolCallingServer {
  readonly baseUrl: string
  /** The messages of every request for an answer. */
  readonly asked: readonly (readonly ChatMessage[])[]
  /** The names of the tools that came with each. */
  readonly offered: readonly (readonly string[])[]
  /** Why a provider would have refused a request. */
  readonly faults: readonly string[]
  stop(): Promise<void>
}

/**
 * An OpenAI-compatible server whose model plays a part for each conversation: the one that its first user message names,
 * a step for every answer that the conversation has so far.
 */
export async function startToolCallingServer(
  parts: Readonly<Record<string, readonly ModelStep[]>>,
): Promise<ToolCallingServer> {
  const asked: (readonly ChatMessage[])[] = []
  const offered: (readonly string[])[] = []
  const faults: string[] = []

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/v1/models') return void response.end(JSON.stringify({ data: [{ id: 'tiny' }] }))
    const body = await json(request)
    const messages = parseChatRequest(body)
    const fault = findChatFault(messages)
    if (fault !== undefined) faults.push(fault)
    asked.push(messages)
    offered.push(toolNamesIn(body))
    const opening = messages.find(({ role }) => role === 'user')?.content
    const step = parts[String(opening)]?.[messages.filter(({ role }) => role === 'assistant').length]
    if (step === undefined) faults.push(`nothing is to be said to ${JSON.stringify(messages.at(-1))}`)
    send(response, step ?? { text: 'I do not know my part.' }, asked.length)
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      faults.push(String(error))
      response.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    baseUrl: `http://127.0.0.1:${address.port}/v1`,
    asked,
    offered,
    faults,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function send(response: ServerResponse, { text, calls = [] }: ModelStep, request: number): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const chunk = (delta: object, finish_reason: string | null = null): void =>
    void response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`)
  if (text !== undefined) chunk({ content: text })
  for (const [index, { name, input }] of calls.entries()) {
    const called = { name, arguments: JSON.stringify(input) }
    chunk({ tool_calls: [{ index, id: `call_${request}_${index}`, type: 'function', function: called }] })
  }
  chunk({}, calls.length > 0 ? 'tool_calls' : 'stop')
  response.end('data: [DONE]\n\n')
}

function toolNamesIn(body: unknown): readonly string[] {
  if (typeof body !== 'object' || body === null || !('tools' in body) || !Array.isArray(body.tools)) return []
  return body.tools.map((tool: { readonly function?: { readonly name?: unknown } }) => String(tool.function?.name))
}
