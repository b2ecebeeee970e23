import { createAapClient, type AapClient } from '../../support/aap-client.ts'
import type { Dialect } from '../../support/aap-dialect.ts'
import type { Content, TurnMessage } from '../../support/aap-wire.ts'
import { blocksOf, textIn } from '../../support/played-turn.ts'
import type { Frame } from '../../support/sse-parser.ts'
import type { SseStream } from '../../support/sse-stream.ts'
import { AccountBuilder, type Account, type State } from '../account.ts'
import { type Door, type DoorDriver, type Message, type World } from '../driver.ts'
import { hashImage } from '../hash-image.ts'

const TRUSTED = ['echo', 'boom', 'hold', 'Agent']
const UNTRUSTED = ['mark', 'AskUserQuestion']

export function createAapDriver(name: string, dialect: Dialect): DoorDriver {
  return {
    name,
    limits: [
      { what: 'user messages, live', rule: 'aap 69' },
      { what: 'answers to questions, live', rule: 'aap 110c' },
      { what: 'state, when read', rule: 'aap 44' },
      { what: 'mode', rule: 'aap 35' },
    ],
    connect: async (world) => openAap(createAapClient({ ...world, dialect }), world),
  }
}

function openAap(client: AapClient, { agent }: World): Door {
  const streams: SseStream[] = []
  const turn = async (id: string, message: TurnMessage): Promise<void> => {
    const stream = await client.streamTurn(id, { stream: 'delta', messages: [message] })
    streams.push(stream)
    if (stream.status !== 200) throw new Error(`the turn was refused: ${stream.status}`)
  }
  return {
    async create() {
      const tools = [...TRUSTED.map((name) => ({ name, trust: true })), ...UNTRUSTED.map((name) => ({ name }))]
      const messages = [{ role: 'user', content: 'say ready' }]
      const setup = { agent: { name: agent, tools } }
      const isOlder = client.dialect.name === 'v1'
      const { status, text, body } = await client.create(isOlder ? { ...setup, messages } : setup)
      if (status !== 201) throw new Error(`the session was refused: ${status} ${text}`)
      if (!isOlder) await client.turn(body.sessionId, { messages })
      return body.sessionId
    },
    async watch(id) {
      const stream = await client.events(id, '?follow=1&stream=delta')
      streams.push(stream)
      return () => fold(stream.frames)
    },
    send: (id, message) => turn(id, { role: 'user', content: toContent(message) }),
    decide: (id, toolCallId, granted) => turn(id, { role: 'tool_permission', toolCallId, granted }),
    choose: (id, toolCallId, { label }) => turn(id, { role: 'tool', toolCallId, content: label }),
    async cancel(id) {
      await client.cancel(id)
    },
    async read(id) {
      const builder = new AccountBuilder()
      for (const message of await client.history(id, 'full')) {
        if (message.role === 'tool') builder.result(message.toolCallId, textIn(blocksOf(message.content)))
        if (message.role === 'user') builder.user(textIn(blocksOf(message.content)), imagesIn(message.content))
        if (message.role === 'assistant') for (const block of blocksOf(message.content)) addBlock(builder, block)
      }
      return builder.toAccount()
    },
    settings: async (id) => (await client.get(id)).body.agent.options ?? {},
    async change(id, { mode: _, ...options }) {
      const messages = [{ role: 'user', content: 'say changed' }]
      streams.push(await client.streamTurn(id, { stream: 'delta', agent: { options }, messages }))
    },
    close() {
      for (const stream of streams) stream.cut()
    },
  }
}

const toContent = ({ text, image }: Message): Content =>
  image === undefined
    ? text
    : [
        { type: 'text', text },
        { type: 'image', url: `data:image/png;base64,${image}` },
      ]

const imagesIn = (content: Content): readonly string[] =>
  blocksOf(content).flatMap((block) =>
    block.type === 'image' ? [hashImage(block.url.slice(block.url.indexOf(',') + 1))] : [],
  )

function addBlock(builder: AccountBuilder, block: ReturnType<typeof blocksOf>[number]): void {
  if (block.type === 'text') builder.say('text', block.text)
  if (block.type === 'thinking') builder.say('thinking', block.thinking)
  if (block.type === 'tool_use') builder.call(block.toolCallId, block)
}

function fold(frames: readonly Frame[]): Account {
  const builder = new AccountBuilder()
  for (const { event, data } of frames) {
    if (event === 'turn_start') builder.state = 'running'
    if (event === 'text_delta') builder.say('text', String(data['delta']))
    if (event === 'thinking_delta') builder.say('thinking', String(data['delta']))
    if (event === 'tool_call')
      builder.call(String(data['toolCallId']), { name: String(data['name']), input: data['input'] })
    if (event === 'tool_result')
      builder.result(String(data['toolCallId']), textIn(blocksOf(data['content'] as Content)))
    if (event === 'turn_stop') builder.state = toState(data)
  }
  return builder.toAccount()
}

function toState({ stopReason, cancelled }: Frame['data']): State {
  if (cancelled === true) return 'cancelled'
  const states: Record<string, State> = { end_turn: 'finished', tool_use: 'waiting', max_tokens: 'token-limit' }
  return states[String(stopReason)] ?? 'failed'
}
