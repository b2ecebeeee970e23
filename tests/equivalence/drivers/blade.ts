import { createBlade, type BladeSession, type ContentBlock, type TurnProjection } from '@polylogue/client/blade'
import { createHash } from 'node:crypto'
import { AccountBuilder, type Account, type State } from '../account.ts'
import type { Door, DoorDriver, World } from '../driver.ts'
import { waitFor } from '../wait-for.ts'

const STATES: Readonly<Record<string, State>> = {
  running: 'running',
  waiting_for_input: 'waiting',
  completed: 'finished',
  interrupted: 'cancelled',
  failed: 'failed',
}

export const bladeDriver: DoorDriver = {
  name: 'Blade',
  limits: [
    { what: 'token limit', rule: 'blade 52' },
    { what: 'modes other than planning', rule: 'blade 109' },
  ],
  connect: openBlade,
}

async function openBlade({ url, key, agent }: World): Promise<Door> {
  const blade = createBlade({ url, token: key, transports: ['websocket'] })
  await blade.connect()
  const stores: BladeSession[] = []
  const open = async (id: string): Promise<BladeSession> => {
    const known = stores.find((store) => store.id === id)
    if (known !== undefined) return known
    const store = blade.open(id)
    stores.push(store)
    await store.ready()
    return store
  }
  const answer = async (id: string, tool_call_id: string, index: number): Promise<void> => {
    const ack = await (await open(id)).answer({ tool_call_id, selections: { '0': [index] }, custom: {} })
    if (ack.status === 'error') throw new Error(ack.message)
  }
  const hashAttachments = async (turn: TurnProjection): Promise<readonly string[]> =>
    Promise.all(
      (turn.attachments ?? []).map(async (attachment) => {
        const response = await fetch(`${url}${attachment.url ?? ''}`, { headers: { authorization: `Bearer ${key}` } })
        return createHash('sha256')
          .update(new Uint8Array(await response.arrayBuffer()))
          .digest('hex')
      }),
    )
  return {
    async create() {
      const id = await blade.api.createSession({ solution_id: agent })
      const store = await open(id)
      await store.send('say ready')
      await waitFor(() => store.getSnapshot().detail?.status === 'completed')
      return id
    },
    async watch(id) {
      const store = await open(id)
      return () => {
        const { pages, detail } = store.getSnapshot()
        return fold(
          pages.flatMap(({ turns }) => turns),
          STATES[detail?.status ?? ''],
        )
      }
    },
    async send(id, { text, image }) {
      const picture = { type: 'image_url', image_url: { url: `data:image/png;base64,${image ?? ''}` } } as const
      const ack = await (await open(id)).send(image === undefined ? text : [{ type: 'text', text }, picture])
      if (ack.status === 'error') throw new Error(ack.message)
    },
    decide: (id, callId, isAllowed) => answer(id, callId, isAllowed ? 0 : 2),
    choose: (id, callId, { index }) => answer(id, callId, index),
    async cancel(id) {
      await (await open(id)).stop()
    },
    async read(id) {
      const turns = await blade.api.messages(id)
      const images = await Promise.all(turns.map(hashAttachments))
      return fold(turns, STATES[(await blade.api.session(id)).status], images)
    },
    async settings(id) {
      const { model, thinking, session_setup } = await blade.api.session(id)
      return {
        model: model ?? '',
        thinking: thinking ?? '',
        mode: session_setup.mode === 'planning' ? 'plan' : 'workspace-write',
      }
    },
    async change(id, { mode, ...change }) {
      if (mode === undefined) await blade.api.changeSession(id, change)
      else await (await open(id)).send('say changed', { mode: mode === 'plan' ? 'planning' : 'executing' })
    },
    close() {
      for (const store of stores) store.close()
      blade.close()
    },
  }
}

/** The turns of sub-agents belong to their calls, and an approval is shown as a question beside its call. */
function fold(
  turns: readonly TurnProjection[],
  state: State | undefined,
  images: readonly (readonly string[])[] = [],
): Account {
  const builder = new AccountBuilder()
  for (const [at, turn] of turns.entries()) {
    if (turn.loop_id !== 'root' || turn.kind !== 'message') continue
    // An answer has a turn of its own, which holds no text.
    const isSaid = turn.blocks.some(({ type }) => type === 'text')
    if (turn.role === 'user' && isSaid) builder.user(textOf(turn.blocks), images[at])
    if (turn.role !== 'assistant') continue
    for (const { type, content, tool_call_id } of turn.blocks) {
      if (type === 'text' || type === 'thinking') builder.say(type, String(content))
      const call = type === 'tool_use' ? turn.tool_calls.find(({ id }) => id === tool_call_id) : undefined
      if (call && !call.id.startsWith('ask_'))
        builder.call(call.id, { name: call.tool_name, input: JSON.parse(call.arguments) })
    }
    for (const { id, status, result } of turn.tool_calls)
      if (!id.startsWith('ask_') && status !== 'pending' && status !== 'awaiting_answer')
        builder.result(id, String(result))
  }
  builder.state = state
  return builder.toAccount()
}

const textOf = (blocks: readonly ContentBlock[]): string =>
  blocks.map(({ type, content }) => (type === 'text' ? String(content) : '')).join('')
