import type { SessionUpdate } from '@agentclientprotocol/sdk'

export interface FrameCheck {
  sent(frame: unknown): void
  received(frame: unknown): string | undefined
}

/** A frame as it came; tests look into it freely. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Frame = any

type Responder = (params: Frame, id: number) => unknown

/** Says nothing: the request stays open. */
export const NO_ANSWER = Symbol('no answer')

/** An error that a client answers with. */
export class ClientError extends Error {
  readonly code: number

  constructor(code: number) {
    super('client error')
    this.code = code
  }
}

/** A client that speaks lines of JSON and remembers every frame it got, each checked against the official schema. */
export class WireClient {
  readonly frames: Frame[] = []
  readonly requests: Frame[] = []
  readonly problems: string[] = []
  readonly #check: FrameCheck
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>
  readonly #responders = new Map<string, Responder>()
  readonly #watchers = new Set<() => void>()
  readonly #ended: Promise<void>
  #awake: PromiseWithResolvers<void> | undefined
  #lastId = 0
  isEnded = false
  /** Why the agent's output could not be read to its end, where it could not. */
  problemOfEnd: unknown

  constructor(output: WritableStream<Uint8Array>, input: ReadableStream<Uint8Array>, check: FrameCheck) {
    this.#check = check
    this.#writer = output.getWriter()
    this.#ended = this.#read(input)
  }

  /** Sends text without framing. */
  async sendText(text: string | Uint8Array): Promise<void> {
    await this.#writer.write(typeof text === 'string' ? Buffer.from(text) : text)
  }

  send(frame: Frame): void {
    this.#check.sent(frame)
    // Writes fail after the client or its agent has left.
    this.sendText(`${JSON.stringify(frame)}\n`).catch(() => undefined)
  }

  notify(method: string, params: unknown): void {
    this.send({ jsonrpc: '2.0', method, params })
  }

  /** The whole response, be it a result or an error. */
  async call(method: string, params?: unknown, id: string | number = `c${++this.#lastId}`): Promise<Frame> {
    this.send({ jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) })
    return this.until((frame) => frame.id === id && frame.method === undefined)
  }

  async result(method: string, params?: unknown): Promise<Frame> {
    const { result, error } = await this.call(method, params)
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
    return result
  }

  async error(method: string, params?: unknown): Promise<Frame> {
    const { result, error } = await this.call(method, params)
    if (error === undefined) throw new Error(`${method} was answered: ${JSON.stringify(result)}`)
    return error
  }

  answer(method: string, respond: Responder): void {
    this.#responders.set(method, respond)
  }

  /** The first frame so far or to come that fits. */
  async until(fits: (frame: Frame) => boolean): Promise<Frame> {
    const { promise, resolve, reject } = Promise.withResolvers<Frame>()
    const look = (): void => {
      const found = this.frames.find(fits)
      if (found !== undefined) resolve(found)
      else if (this.isEnded) reject(new Error('the agent wrote nothing of the kind before it ended'))
    }
    this.#watchers.add(look)
    look()
    try {
      return await promise
    } finally {
      this.#watchers.delete(look)
    }
  }

  untilUpdate(fits: (update: Frame) => boolean): Promise<Frame> {
    return this.until(({ method, params }) => method === 'session/update' && fits(params.update))
  }

  untilRequest(method: string, count = 1): Promise<Frame> {
    const matching = () => this.frames.filter((frame) => frame.method === method && frame.id !== undefined)
    return this.until((frame) => matching()[count - 1] === frame)
  }

  updates(sessionId?: string): SessionUpdate[] {
    return this.frames
      .filter(
        ({ method, params }) =>
          method === 'session/update' && (sessionId === undefined || params.sessionId === sessionId),
      )
      .map(({ params }) => params.update)
  }

  kinds(): string[] {
    return this.updates().map(({ sessionUpdate }) => sessionUpdate)
  }

  /** What the agent said, put together. */
  text(kind: 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk' = 'agent_message_chunk'): string {
    return this.updates()
      .map((update) => (update.sessionUpdate === kind && update.content.type === 'text' ? update.content.text : ''))
      .join('')
  }

  /** Reads nothing until it is woken. */
  sleep(): void {
    this.#awake = Promise.withResolvers<void>()
  }

  wake(): void {
    this.#awake?.resolve()
    this.#awake = undefined
  }

  /** Ends the agent's input and waits until it has written its last frame. */
  async leave(): Promise<void> {
    await this.#writer.close().catch(() => undefined)
    await this.#ended
  }

  async #read(input: ReadableStream<Uint8Array>): Promise<void> {
    let rest = ''
    const decoder = new TextDecoder()
    try {
      for await (const piece of input) {
        await this.#awake?.promise
        const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) this.#receive(JSON.parse(line))
      }
    } catch (error) {
      this.problemOfEnd = error
    } finally {
      this.isEnded = true
      for (const look of this.#watchers) look()
    }
  }

  #receive(frame: Frame): void {
    const problem = this.#check.received(frame)
    if (problem !== undefined) this.problems.push(`${problem} in ${JSON.stringify(frame)}`)
    this.frames.push(frame)
    if (frame.method !== undefined && frame.id !== undefined) {
      this.requests.push(frame)
      void this.#respond(frame)
    }
    for (const look of this.#watchers) look()
  }

  async #respond({ id, method, params }: Frame): Promise<void> {
    const respond = this.#responders.get(method)
    if (respond === undefined) return
    try {
      const result = await respond(params, id)
      if (result !== NO_ANSWER) this.send({ jsonrpc: '2.0', id, result })
    } catch (error) {
      const code = error instanceof ClientError ? error.code : -32603
      this.send({ jsonrpc: '2.0', id, error: { code, message: 'no' } })
    }
  }
}
