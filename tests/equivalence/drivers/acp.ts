import { once } from 'node:events'
import { WebSocket } from 'ws'
import { AccountBuilder, type Account, type State } from '../account.ts'
import type { Door, DoorDriver, World } from '../driver.ts'
import { hashImage } from '../hash-image.ts'

type Json = Readonly<Record<string, unknown>>
interface Frame extends Readonly<Partial<Record<'result' | 'error', Json>>> {
  readonly id?: unknown
  readonly method?: string
  readonly params?: { readonly sessionId?: string; readonly update?: Json; readonly toolCall?: { toolCallId: string } }
}
interface Ask extends Readonly<Record<'sessionId' | 'callId', string>> {
  readonly id: unknown
}

/** ACP reports the end of a turn only to the client that began it. Failures and waiting calls are reported to all. */
export const acpDriver: DoorDriver = {
  name: 'ACP',
  limits: [
    { what: 'state, live', rule: 'acp 79' },
    { what: 'state, when read', rule: 'acp 79' },
    { what: 'reasons of denials', rule: 'acp 95' },
  ],
  connect: openAcp,
}

async function openAcp({ url, key, agent, workDir }: World): Promise<Door> {
  const { socket, request, load, write, updates, asks } = await connect(url, key, agent)
  /** How a turn of this client ends is the answer to its prompt; kept among the updates, in their order. */
  const mark = (sessionId: string, state: State): void => void updates.push({ sessionId, update: { state } })
  const prompt = (sessionId: string, parts: readonly object[]): Promise<void> =>
    request('session/prompt', { sessionId, prompt: parts }).then(
      ({ stopReason }) => mark(sessionId, toState(String(stopReason))),
      () => mark(sessionId, 'failed'),
    )
  const reply = async (sessionId: string, callId: string, optionId: string): Promise<void> => {
    const ask = asks.find((asked) => asked.sessionId === sessionId && asked.callId === callId)
    if (ask === undefined) throw new Error(`${callId} was not asked about`)
    write({ id: ask.id, result: { outcome: { outcome: 'selected', optionId } } })
  }
  return {
    async create() {
      const { sessionId } = await request('session/new', { cwd: workDir, mcpServers: [] })
      await prompt(String(sessionId), [{ type: 'text', text: 'say ready' }])
      return String(sessionId)
    },
    async watch(sessionId) {
      updates.length = 0
      await load(sessionId)
      return () => {
        const of = updates.filter((told) => told.sessionId === sessionId).map(({ update }) => update)
        const asked = asks.filter((ask) => ask.sessionId === sessionId)
        return fold(of, asked)
      }
    },
    async send(sessionId, { text, image }) {
      mark(sessionId, 'running')
      const picture = image === undefined ? [] : [{ type: 'image', data: image, mimeType: 'image/png' }]
      void prompt(sessionId, [{ type: 'text', text }, ...picture])
    },
    decide: (sessionId, callId, isAllowed) => reply(sessionId, callId, isAllowed ? 'allow' : 'reject'),
    choose: (sessionId, callId, { index }) => reply(sessionId, callId, `choice-${index}`),
    cancel: async (sessionId) => write({ method: 'session/cancel', params: { sessionId } }),
    async read(sessionId) {
      const other = await connect(url, key, agent)
      try {
        await other.load(sessionId)
        return fold(other.updates.map(({ update }) => update))
      } finally {
        other.socket.terminate()
      }
    },
    async settings(sessionId) {
      const told = updates.findLast(({ update, ...of }) => of.sessionId === sessionId && 'configOptions' in update)
      const options = (told?.update['configOptions'] ?? []) as readonly Json[]
      const toSetting = ({ id, currentValue }: Json) => [String(id).replace('thought_level', 'thinking'), currentValue]
      return Object.fromEntries(options.map(toSetting))
    },
    async change(sessionId, settings) {
      for (const [name, value] of Object.entries(settings)) {
        const configId = name.replace('thinking', 'thought_level')
        const update = await request('session/set_config_option', { sessionId, configId, value })
        updates.push({ sessionId, update })
      }
    },
    close: () => socket.terminate(),
  }
}

async function connect(url: string, key: string, agent: string) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/acp?agent=${agent}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const updates: { readonly sessionId: string; readonly update: Json }[] = []
  const asks: Ask[] = []
  const open = new Map<unknown, PromiseWithResolvers<Json>>()
  socket.on('message', (bytes) => {
    const { id, method, params, result = {}, error } = JSON.parse(String(bytes)) as Frame
    const sessionId = params?.sessionId ?? ''
    if (params?.update) updates.push({ sessionId, update: params.update })
    else if (params?.toolCall) asks.push({ id, sessionId, callId: params.toolCall.toolCallId })
    else if (error !== undefined) open.get(id)?.reject(new Error(JSON.stringify(error)))
    else if (method === undefined) open.get(id)?.resolve(result)
  })
  await once(socket, 'open')
  const write = (frame: Json): void => socket.send(JSON.stringify({ jsonrpc: '2.0', ...frame }))
  const request = (method: string, params: Json): Promise<Json> => {
    const id = `r${open.size}`
    open.set(id, Promise.withResolvers())
    write({ id, method, params })
    return (open.get(id) as PromiseWithResolvers<Json>).promise
  }
  const load = async (sessionId: string): Promise<void> => {
    const { sessions } = (await request('session/list', {})) as { sessions: readonly Json[] }
    const cwd = sessions.find((session) => session['sessionId'] === sessionId)?.['cwd']
    updates.push({ sessionId, update: await request('session/load', { sessionId, cwd, mcpServers: [] }) })
  }
  const shows = { session: { notices: {}, compaction: {} } }
  await request('initialize', { protocolVersion: 1, clientCapabilities: shows })
  return { socket, request, load, write, updates, asks }
}

function fold(updates: readonly Json[], asked: readonly Ask[] = []): Account {
  const builder = new AccountBuilder()
  const settled = new Set<string>()
  for (const { sessionUpdate, content, toolCallId, name, rawInput, status, state } of updates) {
    if (state !== undefined) builder.state = state as State
    // A failed step is shown as a thought; the turn may still continue.
    if (/^(?:user_message_chunk|agent_message_chunk|tool_call)$/.test(String(sessionUpdate))) builder.state = undefined
    const { type, text = '', data = '' } = (content ?? {}) as Record<string, string>
    if (sessionUpdate === 'user_message_chunk') builder.user(text, type === 'image' ? [hashImage(data)] : [])
    if (sessionUpdate === 'agent_message_chunk') builder.say('text', text)
    if (sessionUpdate === 'agent_thought_chunk' && !/^(Error: |\[sub-agent)/.test(text)) builder.say('thinking', text)
    if (sessionUpdate === 'agent_thought_chunk' && text.startsWith('Error: ')) builder.state = 'failed'
    if (sessionUpdate === 'tool_call' || rawInput !== undefined)
      builder.call(String(toolCallId), { ...(name !== undefined && { name: String(name) }), input: rawInput })
    if (toolCallId === undefined || (status !== 'completed' && status !== 'failed')) continue
    settled.add(String(toolCallId))
    const parts = content as readonly { readonly content: { readonly text: string } }[]
    builder.result(String(toolCallId), parts.map((part) => part.content.text).join(''))
  }
  if (asked.some(({ callId }) => !settled.has(callId))) builder.state = 'waiting'
  return builder.toAccount()
}

function toState(stopReason: string): State {
  const states: Record<string, State> = { end_turn: 'finished', max_tokens: 'token-limit', cancelled: 'cancelled' }
  return states[stopReason] ?? 'failed'
}
