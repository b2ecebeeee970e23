import type { Acknowledgement, ReaderHistory } from '../checker/history.ts'
import { V1, V3 } from '../support/aap-dialect.ts'
import type { HistoryMessage, TurnMessage } from '../support/aap-wire.ts'
import { type AapClient, createAapClient } from '../support/aap-client.ts'
import type { Frame } from '../support/sse-parser.ts'
import type { SseStream } from '../support/sse-stream.ts'
import { NEXT, call, script } from '../support/script.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { parseId, toReaderHistories } from './seen-by-client.ts'

const AGENT = {
  name: 'crash',
  tools: [
    { name: 'look', trust: true },
    { name: 'put', trust: true },
    { name: 'pay', trust: true },
    { name: 'charge' },
    { name: 'Agent', trust: true },
  ],
}

const INPUTS = {
  tools: script(
    'think which ones',
    'say I will use three tools',
    call('a1', 'look'),
    call('a2', 'put'),
    call('a3', 'pay'),
    NEXT,
    'say all three are done',
  ),
  approval: script('say I need to charge', call('b1', 'charge'), NEXT, 'say charged or not'),
  delegated: script(
    'say somebody else does it',
    call('d1', 'Agent', {
      description: 'Put and charge',
      prompt: script('say I do it', call('d2', 'put'), call('d3', 'charge'), NEXT, 'say charged by another'),
    }),
    NEXT,
    'say it was done for me',
  ),
  // Long enough to save a draft of the text. The code after it is never reached.
  cancelled: script('say one two', 'sleep 300', 'say three', 'sleep 20000', 'say never'),
  last: script('say good bye'),
} as const

/**
 * A client that plays one script against the current server and continues after a crash: it repeats a request with the
 * same key until it gets an answer. It remembers everything that it received.
 */
export class CrashClient {
  readonly acknowledged: Acknowledgement[] = []
  readonly #turnFrames: (readonly Frame[])[] = []
  readonly #watched: (readonly Frame[])[] = []
  readonly #outcomes = new Map<string, string>()
  #sessionId: string | undefined
  #scratchId: string | undefined
  #isScratchDeleted = false
  #steps = [
    (client: AapClient) => this.#create(client),
    (client: AapClient) => this.#play(client, 'tools', [{ role: 'user', content: INPUTS.tools }]),
    (client: AapClient) => this.#play(client, 'approval', [{ role: 'user', content: INPUTS.approval }]),
    (client: AapClient) => this.#play(client, 'grant', [{ role: 'tool_permission', toolCallId: 'b1', granted: true }]),
    (client: AapClient) => this.#play(client, 'delegated', [{ role: 'user', content: INPUTS.delegated }]),
    (client: AapClient) =>
      this.#play(client, 'inner grant', [{ role: 'tool_permission', toolCallId: 'd3', granted: true }]),
    (client: AapClient) => this.#playAndCancel(client),
    (client: AapClient) => this.#createAndDelete(client),
    (client: AapClient) => this.#play(client, 'last', [{ role: 'user', content: INPUTS.last }]),
  ]
  #done = 0
  #lastSeq = 0

  get sessionId(): string {
    if (this.#sessionId === undefined) throw new Error('the session was never created')
    return this.#sessionId
  }

  get hasSession(): boolean {
    return this.#sessionId !== undefined
  }

  get deletedSessionId(): string | undefined {
    return this.#isScratchDeleted ? this.#scratchId : undefined
  }

  get isFinished(): boolean {
    return this.#done === this.#steps.length
  }

  /** The reported end of each turn. */
  get outcomes(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#outcomes)
  }

  /** Continues until the script ends. Rejects when the connection breaks. */
  async playOn(server: ServerProcess): Promise<void> {
    const client = server.client(V3)
    let watching = await this.#watch(client)
    try {
      for (let step = this.#steps[this.#done]; step !== undefined; step = this.#steps[this.#done]) {
        await step(client)
        this.#done += 1
        watching ??= await this.#watch(client)
      }
      const last = this.#watched.flat().at(-1)
      const hasSeenAll = last !== undefined && parseId(last).seq >= this.#lastSeq
      if (!hasSeenAll) await watching?.until((frame) => parseId(frame).seq >= this.#lastSeq)
    } finally {
      watching?.cut()
    }
  }

  /** Runs one more turn after the script, to show that the session still works. */
  async prompt(server: ServerProcess): Promise<void> {
    await this.#play(server.client(V3), 'prompt', [{ role: 'user', content: 'say still here' }])
  }

  readers(): readonly ReaderHistory[] {
    const turns = this.#turnFrames.flatMap((frames) => {
      const [first] = frames
      return first === undefined ? [] : toReaderHistories(frames, parseId(first).seq - 1)
    })
    return [...turns, ...toReaderHistories(this.#watched.flat(), 0)]
  }

  async modelMessages(server: ServerProcess): Promise<readonly HistoryMessage[]> {
    return server.client(V3).history(this.sessionId, 'compacted')
  }

  /** The stream of a session, which does not end with a turn. It resumes after the last event that was seen. */
  async #watch(client: AapClient): Promise<SseStream | undefined> {
    if (this.#sessionId === undefined) return undefined
    const last = this.#watched.flat().at(-1)
    const stream = await client.events(this.#sessionId, `?follow=1&after=${last?.id ?? '0'}`)
    if (stream.status !== 200) throw new Error(`watching was refused: ${stream.status}`)
    this.#watched.push(stream.frames)
    return stream
  }

  async #create(client: AapClient): Promise<void> {
    const answer = await client.create({ agent: AGENT })
    if (answer.status !== 201) throw new Error(`the session was refused: ${answer.status} ${answer.text}`)
    this.#sessionId = answer.body.sessionId
  }

  async #begin(client: AapClient, name: string, messages: readonly TurnMessage[]): Promise<SseStream> {
    const stream = await client.streamTurn(this.sessionId, { stream: 'delta', messages }, { 'idempotency-key': name })
    if (stream.status !== 200) throw new Error(`${name} was refused: ${stream.status}`)
    this.#turnFrames.push(stream.frames)
    for (const message of messages) this.#acknowledge(message)
    return stream
  }

  async #play(client: AapClient, name: string, messages: readonly TurnMessage[]): Promise<void> {
    await this.#untilStop(name, await this.#begin(client, name, messages))
  }

  async #playAndCancel(client: AapClient): Promise<void> {
    const stream = await this.#begin(client, 'cancelled', [{ role: 'user', content: INPUTS.cancelled }])
    await stream.until(({ event, data }) => event === 'turn_stop' || String(data['delta']).includes('three'))
    const answer = await client.cancel(this.sessionId)
    if (answer.status !== 202) throw new Error(`the cancel was refused: ${answer.status} ${answer.text}`)
    this.acknowledged.push({ type: 'cancel' })
    await this.#untilStop('cancelled', stream)
  }

  async #createAndDelete(client: AapClient): Promise<void> {
    if (this.#scratchId === undefined) {
      // Version 1 creates a session together with its first turn, so its runner claims the session afterwards.
      const first = createAapClient({ url: client.url, key: client.key, dialect: V1 })
      const messages = [{ role: 'user', content: 'say hello' }]
      const created = await first.create({ agent: AGENT, stream: 'none', messages })
      if (created.status !== 201) throw new Error(`the second session was refused: ${created.status} ${created.text}`)
      this.#scratchId = created.body.sessionId
    }
    const answer = await client.remove(this.#scratchId)
    if (answer.status !== 204 && answer.status !== 404)
      throw new Error(`the delete was refused: ${answer.status} ${answer.text}`)
    this.#isScratchDeleted = true
  }

  async #untilStop(name: string, stream: SseStream): Promise<void> {
    const stop = await stream.until(({ event }) => event === 'turn_stop')
    this.#lastSeq = parseId(stop).seq
    this.#outcomes.set(name, `${String(stop.data['stopReason'])}${stop.data['cancelled'] === true ? ' cancelled' : ''}`)
  }

  /** Counted once even if it was sent several times, because the key is the same. */
  #acknowledge(message: TurnMessage): void {
    const told: Acknowledgement =
      message.role === 'user'
        ? { type: 'input', text: String(message.content) }
        : { type: 'answer', toolCallId: message.toolCallId }
    const isKnown = this.acknowledged.some((known) => JSON.stringify(known) === JSON.stringify(told))
    if (!isKnown) this.acknowledged.push(told)
  }
}
