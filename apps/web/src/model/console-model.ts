/** Everything that the console knows. It has no React: views subscribe to keys and read snapshots. */
import type { BladeOutput, MessageContent, MessagePart, Solution } from '@polylogue/client/blade'
import type { ConsoleClient, QueuedInput, ServerStatus } from '@polylogue/client/console'
import { createSession, listAgents, listModels, type NewSession, type OfferedModel } from './blade-rest.ts'
import { DoorsLog } from './doors-log.ts'
import { keepDraft, readDraft } from './drafts.ts'
import { createLink, type Link } from './link.ts'
import { createMessageId } from './message-id.ts'
import { createNotifier, type Notifier } from './notifier.ts'
import { OpenSession, headKey } from './open-session.ts'
import { Outbox, type Outgoing, type SentFile } from './outbox.ts'
import { SessionList } from './session-list.ts'
import { storage } from './storage.ts'

export const LINK_KEY = 'link'
export const SERVER_KEY = 'server'
export const outboxKey = (sessionId: string): string => `outbox:${sessionId}`
export const draftKey = (sessionId: string): string => `draft:${sessionId}`

/** Connections that end over one message, one after the other, before it is the reason: it is too large for the server. */
const MOST_LOSSES = 5

/** Sessions that stay in memory after they were left. */
const KEPT_SESSIONS = 5

export interface ServerFacts {
  readonly status: ServerStatus
  readonly user: string
  /** The key of this browser. */
  readonly keyId?: string | undefined
  readonly agents: readonly Solution[]
  readonly models: readonly OfferedModel[]
}

export class ConsoleModel {
  readonly notifier: Notifier = createNotifier()
  #api: Promise<ConsoleClient> | undefined
  readonly list = new SessionList(this.notifier)
  readonly outbox = new Outbox(storage)
  readonly #open = new Map<string, OpenSession>()
  readonly #link: Link
  #server: ServerFacts | undefined
  /** Of the session that was looked at last: a log can be long. */
  #doors: { readonly id: string; readonly log: DoorsLog } | undefined
  /** How many connections ended before a message was acknowledged. */
  readonly #losses = new Map<string, number>()
  /** Files of messages that could not be sent, by session. Their text is in the draft. */
  readonly #returned = new Map<string, readonly SentFile[]>()
  /** Sessions that were stopped from here and have not been sent anything since. */
  readonly #stopped = new Set<string>()

  /** One session inside a page of somebody else: nothing leads to others. */
  readonly isEmbedded: boolean

  constructor({ isEmbedded = false } = {}) {
    this.isEmbedded = isEmbedded
    this.#link = createLink({
      changed: () => this.notifier.changed(LINK_KEY),
      connected: () => void this.#catchUp(),
    })
    this.#link.client.listen((output) => this.#take(output))
  }

  /** Everything that the server tells, before it is taken. */
  listen(listener: (output: BladeOutput) => void): void {
    this.#link.client.listen(listener)
  }

  start(): void {
    this.#link.open()
  }

  get link(): Link['state'] {
    return this.#link.state
  }

  /** Whether somebody was signed in on this page. */
  get wasSignedIn(): boolean {
    return this.#link.hasBeenUp
  }

  get server(): ServerFacts | undefined {
    return this.#server
  }

  /** Our own protocol. Its schemas are loaded beside the first screen, not before it. */
  readonly api = (): Promise<ConsoleClient> =>
    (this.#api ??= import('./console-client.ts').then(({ createApi }) => createApi()))

  /** The open session, subscribed. The same object while it is kept. */
  session(id: string): OpenSession {
    const known = this.#open.get(id)
    if (known !== undefined) {
      this.#open.delete(id)
      this.#open.set(id, known)
      return known
    }
    const { notifier, api } = this
    const { client } = this.#link
    const made = new OpenSession(id, { notifier, client, api, arrived: (session) => this.#settle(session) })
    this.#open.set(id, made)
    for (const [old] of [...this.#open].slice(0, -KEPT_SESSIONS)) {
      this.#open.get(old)?.output.close()
      this.#open.delete(old)
      void client.unsubscribe(old)
    }
    if (client.socket.connected) void made.load()
    return made
  }

  /** The log of a session as every door shows it. */
  doors(id: string): DoorsLog {
    const known = this.#doors ?? { id: '' }
    if (known.id === id && 'log' in known) return known.log
    const log = new DoorsLog(id, this.api, this.notifier)
    this.#doors = { id, log }
    return log
  }

  /** Creates a session and sends the first message. Resolves with its id. */
  async begin(message: NewMessage, settings: NewSession & { readonly preset?: string }): Promise<string> {
    const { preset, ...more } = settings
    try {
      const id = await createSession(more)
      if (preset !== undefined) await this.setPreset(id, preset)
      this.list.suggestTitle(id, message.text)
      this.send(id, message)
      // What was typed since belongs to the same conversation.
      keepDraft(id, readDraft('new'))
      keepDraft('new', '')
      return id
    } catch (error) {
      this.#return('new', message)
      throw error
    }
  }

  /** Says something else in place of a message: in a new session, which begins with everything before that message. */
  async forkBefore(id: string, inputId: string, message: NewMessage): Promise<string> {
    const { sessionId } = await (await this.api()).forkSession({ id, body: { beforeInput: inputId } })
    this.list.suggestTitle(sessionId, message.text)
    this.send(sessionId, message)
    void this.#open.get(id)?.readRecord()
    return sessionId
  }

  async setPreset(id: string, preset: string): Promise<void> {
    const known = PRESET_NAMES.find((name) => name === preset)
    if (known === undefined) return
    await (await this.api()).changeSession({ id, body: { preset: known } })
    await this.#open.get(id)?.readRecord()
  }

  /** From the next turn on. `thinking`: an empty text for as much as the model does by default. */
  async setModel(id: string, changes: { readonly model?: string; readonly thinking?: string }): Promise<void> {
    await (await this.api()).changeSession({ id, body: changes })
  }

  send(sessionId: string, { text, files }: NewMessage): void {
    this.#stopped.delete(sessionId)
    const after = this.#open.get(sessionId)?.fold.lastSequence ?? -1
    const id = createMessageId()
    this.outbox.put({ id, sessionId, text, state: 'sending', after, ...(files && files.length > 0 && { files }) })
    this.notifier.changed(outboxKey(sessionId))
    void this.#transmit(id)
  }

  sendAgain(id: string): void {
    this.#changeOutgoing(id, { state: 'sending' })
    void this.#transmit(id)
  }

  forget(item: Outgoing): void {
    this.outbox.remove(item.id)
    this.notifier.changed(outboxKey(item.sessionId))
  }

  async stop(sessionId: string): Promise<string | undefined> {
    this.#stopped.add(sessionId)
    const ack = await this.#link.client.stop(sessionId)
    return ack.status === 'error' ? ack.message : undefined
  }

  async compact(sessionId: string): Promise<string | undefined> {
    const ack = await this.#link.client.compact(sessionId)
    return ack.status === 'error' ? ack.message : undefined
  }

  /** Takes a message back before it runs. */
  async dropQueued(sessionId: string, { inputId }: QueuedInput): Promise<void> {
    await (await this.api()).dropInput({ id: sessionId, input: inputId }).catch(() => undefined)
    await this.#open.get(sessionId)?.readQueue()
  }

  /** Rewords a message before it runs. It keeps its place. */
  async changeQueued(sessionId: string, { inputId }: QueuedInput, text: string): Promise<void> {
    await (await this.api()).changeInput({ id: sessionId, input: inputId, body: { text } }).catch(() => undefined)
    await this.#open.get(sessionId)?.readQueue()
  }

  takeReturned(sessionId: string): readonly SentFile[] {
    const files = this.#returned.get(sessionId) ?? []
    this.#returned.delete(sessionId)
    return files
  }

  /** After every connection: what was told meanwhile may be lost. */
  async #catchUp(): Promise<void> {
    for (const session of this.#open.values()) void session.load()
    for (const { id, state } of this.outbox.all) if (state === 'sending') void this.#transmit(id)
    try {
      if (this.isEmbedded) return
      await Promise.all([this.list.load(), this.#readServer()])
      const api = await this.api()
      await this.list.readWaiting(api)
      await this.list.readDoors(api)
    } catch {
      // The server went away again: the link comes back and this runs anew.
      return
    }
  }

  async #readServer(): Promise<void> {
    const api = await this.api()
    const [status, me, agents, { models }] = await Promise.all([
      api.readStatus({}),
      api.readMe({}),
      listAgents(),
      listModels(),
    ])
    this.#server = { status, user: me.user, keyId: me.keyId, agents, models }
    this.notifier.changed(SERVER_KEY)
  }

  #take(output: BladeOutput): void {
    this.list.apply(output)
    if (output.event === 'session:created' && !this.isEmbedded) {
      const { id: made } = output.payload
      void this.api()
        .then((api) => this.list.readDoor(made, api))
        .catch(() => undefined)
    }
    const { session_id: id } = output.payload
    if (id === null) return
    if (output.event === 'system:notification' && output.payload.run_id !== undefined) {
      this.#takeBack(id, output.payload.run_id)
    }
    this.#open.get(id)?.apply(output)
  }

  /** A stop from this page drops the queue, whose texts return to the composer. */
  #takeBack(sessionId: string, run: string): void {
    const session = this.#open.get(sessionId)
    const input = session?.head.queue.find(({ turnId }) => `run_${turnId.replace(/^turn_/, '')}` === run)
    if (input !== undefined && this.#stopped.has(sessionId)) this.#return(sessionId, input)
    void session?.readQueue()
  }

  /** Text that could not be sent, or that a stop returned from the queue, goes behind what was typed since. */
  #return(sessionId: string, { text, files = [] }: NewMessage): void {
    keepDraft(sessionId, [readDraft(sessionId), text].filter((part) => part !== '').join('\n'))
    this.#returned.set(sessionId, [...(this.#returned.get(sessionId) ?? []), ...files])
    this.notifier.changed(draftKey(sessionId))
  }

  /** Messages whose row is there are no longer on their way. */
  #settle({ id, fold }: OpenSession): void {
    const rows = fold.turns.filter(({ role, loop_id }) => role === 'user' && loop_id === 'root')
    const taken = new Set<string>()
    for (const item of this.outbox.of(id)) {
      const row = rows.find(
        (turn) => turn.sequence > item.after && !taken.has(turn.turn_id) && isSaying(turn.blocks, item),
      )
      if (row !== undefined) {
        taken.add(row.turn_id)
        this.forget(item)
      }
    }
    this.notifier.changed(headKey(id))
  }

  async #transmit(id: string): Promise<void> {
    const item = this.outbox.all.find((outgoing) => outgoing.id === id)
    const { client } = this.#link
    if (item === undefined || !client.socket.connected) return
    const ack = await client.send(item.sessionId, toContent(item), { client_message_id: id })
    if (ack.status === 'ok') {
      this.#losses.delete(id)
      const open = this.#open.get(item.sessionId)
      // The server's queue has it now.
      if (ack.queued === true) this.forget(item)
      else this.#changeOutgoing(id, { state: 'accepted' })
      if (open === undefined) return
      if (ack.queued === true) await open.readQueue()
      this.#settle(open)
    } else if (ack.code !== 'disconnected' || this.#isLostAgain(id)) {
      this.#changeOutgoing(id, { state: 'refused', problem: ack.message })
    }
  }

  #isLostAgain(id: string): boolean {
    const losses = (this.#losses.get(id) ?? 0) + 1
    this.#losses.set(id, losses % MOST_LOSSES)
    return losses === MOST_LOSSES
  }

  #changeOutgoing(id: string, changes: Partial<Outgoing>): void {
    const item = this.outbox.all.find((outgoing) => outgoing.id === id)
    if (item === undefined) return
    this.outbox.change(id, changes)
    this.notifier.changed(outboxKey(item.sessionId))
  }
}

export interface NewMessage {
  readonly text: string
  readonly files?: readonly SentFile[]
}

const PRESET_NAMES = ['read-only', 'plan', 'workspace-write', 'full-access'] as const

function toContent({ text, files = [] }: Outgoing): MessageContent {
  if (files.length === 0) return text
  const said: MessagePart[] = text.trim() === '' ? [] : [{ type: 'text', text }]
  const sent = files.map(({ type, name, content }): MessagePart =>
    type === 'image' ? { type: 'image_url', image_url: { url: content } } : { type: 'file', name, data: content },
  )
  return [...said, ...sent]
}

function isSaying(blocks: readonly { readonly type: string; readonly content: unknown }[], item: Outgoing): boolean {
  if (item.text.trim() === '') return (item.files ?? []).length > 0
  return blocks.some(({ type, content }) => type === 'text' && content === item.text)
}
