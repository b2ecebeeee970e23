import { BladeClient, type BladeOutput } from '@polylogue/blade/client'
import { io } from 'socket.io-client'
import { NotApplicable } from './check-case.ts'
import { ANSWER_WITHIN_MS, parse, type AskOptions, type Exchange } from './aap-world.ts'
import { asList, asObject } from './expectations.ts'
import { readBounded } from './read-bounded.ts'

const WAIT_MS = 20_000

export interface BladeTarget {
  readonly url: string
  readonly key: string
  /** `solution_id` of new sessions; the server's default unless given. */
  readonly agent?: string | undefined
}

/** What one run sent to a subscriber. */
export interface ToldRun {
  readonly sessionId: string
  readonly told: readonly BladeOutput[]
  readonly messages: readonly { readonly [name: string]: unknown }[]
}

/** One Blade server, and short ways to ask it. */
export class BladeWorld {
  readonly target: BladeTarget

  constructor(target: BladeTarget) {
    this.target = target
  }

  async ask(method: string, path: string, { body, headers }: AskOptions = {}): Promise<Exchange> {
    const { url, key } = this.target
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    })
    const text = await readBounded(response)
    return { status: response.status, headers: response.headers, text, json: parse(text) }
  }

  async create(more: object = {}): Promise<string> {
    const { agent } = this.target
    const body = { ...(agent !== undefined && { solution_id: agent }), ...more }
    const { json, status } = await this.ask('POST', '/api/sessions', { body })
    const id = asObject(json)['session_id']
    if (typeof id === 'string') return id
    throw new NotApplicable(`no session could be made: ${status}`)
  }

  async messages(id: string): Promise<readonly { readonly [name: string]: unknown }[]> {
    return asList((await this.ask('GET', `/api/sessions/${id}/messages`)).json).map(asObject)
  }

  /** Connects for the time of `use`. */
  async connected<Value>(
    use: (client: BladeClient) => Promise<Value>,
    options: { readonly token?: string; readonly transports?: readonly ('polling' | 'websocket')[] } = {},
  ): Promise<Value> {
    const { url, key } = this.target
    const client = new BladeClient(io, {
      url,
      token: key,
      isLean: false,
      folds: false,
      resubscribes: false,
      ...options,
    })
    client.socket.io.reconnection(false)
    try {
      await client.connect(AbortSignal.timeout(WAIT_MS))
      return await use(client)
    } finally {
      client.close()
    }
  }

  /** Sends a message in a new session, or in that one, and listens up to the end of the run. */
  run(message: string, { sessionId, isSubscribing = true, ...options }: RunOptions = {}): Promise<ToldRun> {
    return this.connected(async (client) => {
      const id = sessionId ?? (await this.create())
      const told: BladeOutput[] = []
      const ended = new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('no chat:end came')), WAIT_MS)
        client.listen((output) => {
          told.push(output)
          if (output.event !== 'chat:end') return
          clearTimeout(timer)
          resolve()
        })
      })
      if (isSubscribing) await client.subscribe(id)
      const ack = await client.send(id, message, options)
      if (ack.status === 'error') throw new NotApplicable(`the message was refused: ${ack.code}`)
      await ended
      return { sessionId: id, told, messages: await this.messages(id) }
    })
  }
}

interface RunOptions {
  readonly sessionId?: string
  readonly isSubscribing?: boolean
  readonly headless?: boolean
}

/** Why the agent does not follow scripts; `undefined` if it does. */
export async function whyNotScriptedBlade(world: BladeWorld): Promise<string | undefined> {
  try {
    const { messages } = await world.run('say script-check')
    const last = asList(messages.at(-1)?.['blocks']).map((block) => asObject(block)['content'])
    if (last.join('').trim() === 'script-check') return undefined
  } catch {
    // The same reason: nothing was said.
  }
  return 'the agent does not follow scripts; see `polylogue check --help`'
}
