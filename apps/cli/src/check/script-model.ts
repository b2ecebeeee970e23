/**
 * A model that does what the last user message says, behind OpenAI's chat completions. An agent whose model is this server
 * can be checked with scripts. One directive a line: `say <text>`, `think <text>`, `call <id> <tool> <json>`,
 * `stop max_tokens`, `sleep <ms>`, `fail`; `---` begins the script of the next step. A step without a script says
 * `RESULTS <n>: a|b` after tool results.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { parse } from './aap-world.ts'
import { asList, asObject, asText } from './expectations.ts'

export interface ScriptModel {
  /** Such as `http://127.0.0.1:4000/v1`. */
  readonly url: string
  stop(): Promise<void>
}

type Message = { readonly [name: string]: unknown }

type Piece =
  | { readonly delta: Message; readonly pauseMs?: number }
  | { readonly finish: 'stop' | 'length' | 'tool_calls' | 'content_filter' }
  | { readonly fails: true }

const MAX_BODY = 32 * 1024 * 1024
const FINISHES: Readonly<Record<string, 'stop' | 'length' | 'content_filter'>> = {
  end_turn: 'stop',
  max_tokens: 'length',
  refusal: 'content_filter',
}

export async function startScriptModel(port = 0): Promise<ScriptModel> {
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch(() => outgoing.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  if (incoming.method !== 'POST')
    return sendJson(outgoing, 200, { object: 'list', data: [{ id: 'script', object: 'model' }] })
  let text = ''
  for await (const chunk of incoming.setEncoding('utf8')) {
    text += String(chunk)
    if (text.length > MAX_BODY) return sendJson(outgoing, 413, { error: { message: 'The request is too large.' } })
  }
  const request = asObject(parse(text))
  const pieces = play(asList(request['messages']).map(asObject))
  if (pieces.some((piece) => 'fails' in piece)) {
    return sendJson(outgoing, 400, { error: { message: 'The script failed here.', type: 'invalid_request_error' } })
  }
  if (request['stream'] === true) return stream(pieces, outgoing)
  sendJson(outgoing, 200, whole(pieces))
}

/** What the model does in this step. */
export function play(messages: readonly Message[]): readonly Piece[] {
  const asked = messages.findLastIndex(({ role }) => role === 'user')
  const since = messages.slice(asked + 1)
  const step = since.filter(({ role }) => role === 'assistant').length
  const script = lastTextOf(messages[asked]?.['content']).split(/^---$/m)[step]?.trim()
  const results = since.slice(since.findLastIndex(({ role }) => role === 'assistant') + 1)
  if (script !== undefined) return playScript(script)
  const shown = results.map(({ content }) => textOf(content))
  return [...(shown.length > 0 ? [say(`RESULTS ${shown.length}: ${shown.join('|')}`)] : []), { finish: 'stop' }]
}

function playScript(script: string): readonly Piece[] {
  const pieces: Piece[] = []
  let finish: 'stop' | 'length' | 'tool_calls' | 'content_filter' = 'stop'
  let calls = 0
  let pauseMs = 0
  let before = ''
  for (const line of script.split('\n')) {
    const [, directive = '', rest = ''] = /^(\w+) ?([\s\S]*)$/.exec(line) ?? []
    const call = directive === 'call' ? /^(\S+) (\S+) ?(.*)$/.exec(rest) : null
    if (directive === 'sleep') pauseMs += Number(rest) || 0
    else if (directive === 'fail') return [...pieces, { fails: true }]
    else if (directive === 'stop') finish = FINISHES[rest] ?? 'stop'
    else if (call !== null) {
      const [, id, name, json] = call
      const made = { index: calls++, id, type: 'function', function: { name, arguments: json === '' ? '{}' : json } }
      pieces.push({ delta: { tool_calls: [made] } })
      finish = 'tool_calls'
    } else {
      const kind = directive === 'think' ? 'reasoning_content' : 'content'
      const said = directive === 'think' || directive === 'say' ? rest : line
      pieces.push({ delta: { [kind]: `${before === kind ? '\n' : ''}${said}` }, pauseMs })
      pauseMs = 0
      before = kind
    }
  }
  return [...pieces, { delta: {}, pauseMs }, { finish }]
}

const say = (text: string): Piece => ({ delta: { content: text } })

/** Adapters join messages of the user that nothing was answered to: the last one counts. */
function lastTextOf(content: unknown): string {
  return Array.isArray(content) ? textOf(content.slice(-1)) : textOf(content)
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return asList(content)
    .map((part) => asText(asObject(part)['text']))
    .join('\n')
}

const HEAD = { id: 'script', created: 0, model: 'script' }

async function stream(pieces: readonly Piece[], outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (choice: Message): unknown =>
    outgoing.write(
      `data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }] })}\n\n`,
    )
  send({ delta: { role: 'assistant' }, finish_reason: null })
  for (const piece of pieces) {
    if ('finish' in piece) send({ delta: {}, finish_reason: piece.finish })
    if (!('delta' in piece)) continue
    if (piece.pauseMs) await pause(piece.pauseMs)
    send({ delta: piece.delta, finish_reason: null })
  }
  outgoing.end('data: [DONE]\n\n')
}

function whole(pieces: readonly Piece[]): Message {
  const deltas = pieces.flatMap((piece) => ('delta' in piece ? [piece.delta] : []))
  const joined = (name: string): string => deltas.map((delta) => asText(delta[name])).join('')
  const calls = deltas.flatMap((delta) => asList(delta['tool_calls']))
  const finish = pieces.flatMap((piece) => ('finish' in piece ? [piece.finish] : []))[0] ?? 'stop'
  const message = { role: 'assistant', content: joined('content'), ...(calls.length > 0 && { tool_calls: calls }) }
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  return { ...HEAD, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: finish }], usage }
}

function sendJson(outgoing: ServerResponse, status: number, body: object): void {
  outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
