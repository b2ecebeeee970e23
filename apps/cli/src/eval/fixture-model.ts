/**
 * A server that speaks OpenAI's chat completions and plays answers written by hand. The requests reach it through the same
 * adapter as those to a real provider. It counts four characters as a token.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text as readAll } from 'node:stream/consumers'
import { z } from 'zod'
import { playAnswer, type PlayedAnswer, type PlayedRequest } from './answer-player.ts'
import type { Answer } from './eval-task.ts'

export interface FixtureModel {
  /** Such as `http://127.0.0.1:4000/v1`. */
  readonly baseUrl: string
  stop(): Promise<void>
}

const part = z.looseObject({ text: z.string().optional() })
const message = z.object({ role: z.string(), content: z.union([z.string(), z.array(part)]).nullish() })
const chatRequest = z.object({ messages: z.array(message) })
type ChatMessage = z.output<typeof message>

export async function startFixtureModel(parts: ReadonlyMap<string, readonly Answer[]>): Promise<FixtureModel> {
  let requests = 0
  const server = createServer((incoming, outgoing) => {
    const id = (requests += 1)
    answer(incoming, outgoing, { id, parts }).catch(() => outgoing.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    baseUrl: `http://127.0.0.1:${address.port}/v1`,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface Exchange {
  readonly id: number
  readonly parts: ReadonlyMap<string, readonly Answer[]>
}

async function answer(incoming: IncomingMessage, outgoing: ServerResponse, exchange: Exchange): Promise<void> {
  if (incoming.method !== 'POST') {
    outgoing.end(JSON.stringify({ data: [{ id: 'hand-written' }] }))
    return
  }
  const body = await readAll(incoming)
  const { messages } = chatRequest.parse(JSON.parse(body))
  send(outgoing, playAnswer(exchange.parts, toPlayed(messages)), { id: exchange.id, asked: body.length })
}

function toPlayed(messages: readonly ChatMessage[]): PlayedRequest {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  const of = (wanted: string, from = 0): readonly string[] =>
    messages
      .slice(from)
      .filter(({ role }) => role === wanted)
      .map(textOf)
  return {
    system: of('system').join('\n'),
    opening: of('user')[0] ?? '',
    answers: of('assistant').length,
    results: of('tool', last + 1).join('\n'),
  }
}

function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content
  return (content ?? []).map(({ text = '' }) => text).join('\n')
}

function send(
  outgoing: ServerResponse,
  { says, calls }: PlayedAnswer,
  { id, asked }: { readonly id: number; readonly asked: number },
): void {
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
  const write = (chunk: object): unknown => outgoing.write(`data: ${JSON.stringify(chunk)}\n\n`)
  const tell = (delta: object, finish: string | null = null): unknown =>
    write({ choices: [{ index: 0, delta, finish_reason: finish }] })
  if (says !== '') tell({ content: says })
  for (const [index, { name, input }] of calls.entries()) {
    const called = { name, arguments: JSON.stringify(input) }
    tell({ tool_calls: [{ index, id: `call_${id}_${index}`, type: 'function', function: called }] })
  }
  tell({}, calls.length > 0 ? 'tool_calls' : 'stop')
  const usage = { prompt_tokens: toTokens(asked), completion_tokens: toTokens(says.length + textLength(calls)) }
  write({ choices: [], usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens } })
  outgoing.end('data: [DONE]\n\n')
}

const toTokens = (characters: number): number => Math.ceil(characters / 4)
const textLength = (calls: PlayedAnswer['calls']): number => (calls.length === 0 ? 0 : JSON.stringify(calls).length)
