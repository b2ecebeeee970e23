import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { findChatFault, parseChatRequest, type ChatMessage } from '../streams/support/chat-history.ts'

/** One answer of the model: words, then calls. */
export interface PlayedStep {
  readonly text?: string
  readonly calls?: readonly (readonly [name: string, input: object])[]
  /** The first request for this step fails with this status. */
  readonly failsOnce?: number
  /** The arguments of the calls come in two halves, and the second one waits for this. */
  readonly gate?: Promise<unknown>
}

export interface PlayedModel {
  readonly baseUrl: string
  /** What the model does after an input of a user with this first line: a step for each answer. */
  play(input: string, steps: readonly PlayedStep[]): void
  /** The messages of every request. */
  readonly asked: readonly (readonly ChatMessage[])[]
  /** Why a provider would have refused a request, and inputs without a part. */
  readonly faults: readonly string[]
  stop(): Promise<void>
}

/** Said before the first input after a turn that was stopped. */
const AFTER_STOP = /^\[I stopped you[^\]]*\]/

/** An OpenAI-compatible server whose model plays a part for each input of a user, in any conversation. */
export async function startPlayedModel(): Promise<PlayedModel> {
  const parts = new Map<string, readonly PlayedStep[]>()
  const failed = new Set<PlayedStep>()
  const asked: (readonly ChatMessage[])[] = []
  const faults: string[] = []

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/v1/models') return void response.end(JSON.stringify({ data: [{ id: 'tiny' }] }))
    const messages = parseChatRequest(await json(request))
    asked.push(messages)
    const fault = findChatFault(messages)
    if (fault !== undefined) faults.push(fault)
    const said = messages.findLastIndex(({ role }) => role === 'user')
    const [input = ''] = textOf(messages[said]).replace(AFTER_STOP, '').split('\n')
    const step = parts.get(input)?.[messages.slice(said).filter(({ role }) => role === 'assistant').length]
    if (step?.failsOnce !== undefined && !failed.has(step)) {
      failed.add(step)
      return void response.writeHead(step.failsOnce).end(JSON.stringify({ error: { message: 'try again' } }))
    }
    if (step === undefined) faults.push(`there is no part for ${JSON.stringify(messages.slice(said))}`)
    await send(response, step ?? { text: 'I do not know my part.' }, asked.length)
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
    play: (input, steps) => void parts.set(input, steps),
    asked,
    faults,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function send(response: ServerResponse, { text, calls = [], gate }: PlayedStep, request: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const chunk = (delta: object, finish_reason: string | null = null): void =>
    void response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`)
  if (text !== undefined) chunk({ content: text })
  const inputs = calls.map(([, input]) => JSON.stringify(input))
  const half = (input: string): number => (gate === undefined ? input.length : input.length >> 1)
  for (const [index, [name]] of calls.entries()) {
    const called = { name, arguments: inputs[index]?.slice(0, half(inputs[index])) }
    chunk({ tool_calls: [{ index, id: `call_${request}_${index}`, type: 'function', function: called }] })
  }
  if (gate !== undefined) {
    await gate
    for (const [index, input] of inputs.entries()) {
      chunk({ tool_calls: [{ index, function: { arguments: input.slice(half(input)) } }] })
    }
  }
  chunk({}, calls.length > 0 ? 'tool_calls' : 'stop')
  response.write(
    `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } })}\n\n`,
  )
  response.end('data: [DONE]\n\n')
}

/** The text of a message. */
export function textOf(message: ChatMessage | undefined): string {
  const content = message?.content ?? ''
  if (typeof content === 'string') return content
  return content.map((part) => (typeof part['text'] === 'string' ? part['text'] : '')).join('')
}
