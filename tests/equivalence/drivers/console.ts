import { createConsoleClient, createFetchTransport, type Message } from '@polylogue/client/console'
import { AccountBuilder, type Account, type State } from '../account.ts'
import { cannot, type Door, type DoorDriver, type World } from '../driver.ts'

const STATES: Readonly<Record<string, State>> = {
  finished: 'finished',
  'token-limit': 'token-limit',
  cancelled: 'cancelled',
  failed: 'failed',
}

/** The console's own API reads and manages sessions; its page talks over Blade. */
export const consoleDriver: DoorDriver = {
  name: 'console',
  limits: [
    { what: 'begin and answer turns', rule: 'console 46a' },
    { what: 'live', rule: 'console 46a' },
  ],
  connect: openConsole,
}

async function openConsole({ url, key, agent }: World): Promise<Door> {
  const client = createConsoleClient(createFetchTransport({ url, key }))
  return {
    create: async () => (await client.createSession({ body: { agent } })).sessionId,
    watch: cannot,
    send: cannot,
    decide: cannot,
    choose: cannot,
    cancel: cannot,
    async read(id) {
      const { session, messages } = await client.readSession({ id })
      return fold(messages, session.status === 'idle' ? STATES[session.lastOutcome ?? ''] : session.status)
    },
    async settings(id) {
      const { model, thinking, preset } = (await client.readSession({ id })).session
      return { ...(model !== undefined && { model }), ...(thinking !== undefined && { thinking }), mode: preset }
    },
    async change(id, { mode, ...change }) {
      await client.changeSession({ id, body: mode === undefined ? change : { preset: mode as 'plan' } })
    },
    close: () => undefined,
  }
}

function fold(messages: readonly Message[], state: State | undefined): Account {
  const builder = new AccountBuilder()
  for (const { role, toolCallId = '', content } of messages) {
    const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
    const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
    const images = parts.flatMap((part) => (part.type === 'image' ? [part.hash ?? ''] : []))
    if (role === 'user') builder.user(text, images)
    if (role === 'tool') builder.result(toolCallId, text)
    if (role !== 'assistant') continue
    for (const part of parts) {
      if (part.type === 'text' || part.type === 'thinking') builder.say(part.type, part.text)
      if (part.type === 'tool-call') builder.call(part.toolCallId, part)
    }
  }
  builder.state = state
  return builder.toAccount()
}
