import { createSseReader } from '@polylogue/kit/client'
import { NotApplicable, RuleBroken } from './check-case.ts'
import { asList, asObject } from './expectations.ts'
import { readBounded } from './read-bounded.ts'

export interface Exchange {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** `undefined` if the body is not JSON. */
  readonly json: unknown
}

export interface StreamedTurn extends Exchange {
  readonly events: readonly { readonly name: string; readonly data: string; readonly value: Value }[]
}

type Value = { readonly [name: string]: unknown }

export interface AskOptions {
  readonly body?: unknown
  /** Sent unchanged. */
  readonly raw?: string
  readonly headers?: Readonly<Record<string, string>>
}

export const ANSWER_WITHIN_MS = 30_000

export interface AapTarget {
  readonly baseUrl: string
  readonly key: string
  readonly version: 1 | 3
  readonly agent: string
}

/** One AAP server, and short ways to ask it. It says nothing about rules: cases do. */
export class AapWorld {
  readonly target: AapTarget
  /** The agent as `/meta` lists it. */
  readonly offered: Value

  constructor(target: AapTarget, offered: Value) {
    this.target = target
    this.offered = offered
  }

  get isV3(): boolean {
    return this.target.version === 3
  }

  sessionPath(id: string): string {
    return `/session${this.isV3 ? 's' : ''}/${encodeURIComponent(id)}`
  }

  turnPath(id: string): string {
    return `${this.sessionPath(id)}${this.isV3 ? '/turns' : ''}`
  }

  historyPath(id: string, type = 'full'): string {
    return `${this.sessionPath(id)}${this.isV3 ? `/history?type=${type}` : `?history=${type}`}`
  }

  async ask(method: string, path: string, { body, raw, headers }: AskOptions = {}): Promise<Exchange> {
    const { baseUrl, key } = this.target
    const text = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
      ...(text !== undefined && { body: text }),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    })
    const answered = await readBounded(response)
    return { status: response.status, headers: response.headers, text: answered, json: parse(answered) }
  }

  /** The request of this version that creates a session. */
  creation(more: Value = {}): readonly [method: string, path: string, body: Value] {
    const agent = { name: this.target.agent, ...asObject(more['agent']) }
    if (this.isV3) return ['POST', '/sessions', { ...more, agent }]
    const first = [...asList(more['messages']), user('say hello')]
    return ['PUT', '/session', { stream: 'none', ...more, messages: first, agent }]
  }

  async create(more: Value = {}): Promise<string> {
    const [method, path, body] = this.creation(more)
    const { json, status, text } = await this.ask(method, path, { body })
    const { sessionId } = asObject(json)
    if (typeof sessionId === 'string') return sessionId
    throw new NotApplicable(`no session could be made: ${status} ${text.slice(0, 200)}`)
  }

  turn(id: string, messages: readonly unknown[] | string, more: Value = {}): Promise<Exchange> {
    const body = { messages: typeof messages === 'string' ? [user(messages)] : messages, ...more }
    return this.ask('POST', this.turnPath(id), { body })
  }

  async stream(id: string, messages: readonly unknown[] | string, mode: 'delta' | 'message'): Promise<StreamedTurn> {
    this.needsMode(mode)
    return toStreamedTurn(await this.turn(id, messages, { stream: mode }))
  }

  needsMode(mode: string): void {
    const modes = asObject(asObject(this.offered['capabilities'])['stream'])
    if (!(mode in modes)) throw new NotApplicable(`the agent does not declare stream.${mode}`)
  }

  needsClientTools(): void {
    const isDeclared = 'tools' in asObject(asObject(this.offered['capabilities'])['application'])
    if (!isDeclared) throw new NotApplicable('the agent does not declare application.tools')
  }

  /** For rules about tools of the server: `echo` returns its `msg`. */
  needsEcho(): void {
    const names = asList(this.offered['tools']).map((tool) => asObject(tool)['name'])
    if (!names.includes('echo')) throw new NotApplicable('the agent has no tool `echo` that returns its argument `msg`')
  }

  async fullHistory(id: string): Promise<readonly Value[]> {
    const { json, status } = await this.ask('GET', this.historyPath(id))
    const full = asObject(asObject(json)['history'])['full']
    if (Array.isArray(full)) return full.map(asObject)
    throw new NotApplicable(`the agent has no full history: ${status}`)
  }
}

export const user = (content: string) => ({ role: 'user', content })

export function toStreamedTurn(exchange: Exchange): StreamedTurn {
  const events = createSseReader()
    .push(exchange.text)
    .map(({ event, data }) => ({ name: event, data, value: asObject(parse(data)) }))
  return { ...exchange, events }
}

/** The text of messages, thinking left out. */
export function textOf(messages: readonly unknown[]): string {
  return messages
    .map(asObject)
    .filter(({ role }) => role === 'assistant')
    .map(({ content }) => (typeof content === 'string' ? content : asList(content).map(blockText).join('')))
    .join('')
}

const blockText = (block: unknown): string => {
  const { type, text } = asObject(block)
  return type === 'text' && typeof text === 'string' ? text : ''
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads `/meta` and finds the agent. */
export async function openAapWorld(
  target: Omit<AapTarget, 'agent' | 'version'> & { readonly agent?: string },
): Promise<AapWorld> {
  const response = await fetch(`${target.baseUrl}/meta`, {
    headers: { authorization: `Bearer ${target.key}` },
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  })
  const meta = asObject(parse(await readBounded(response)))
  const version = Number(meta['version'])
  if (version !== 1 && version !== 3) {
    const found = `GET ${target.baseUrl}/meta answered ${response.status} and no version that can be checked`
    throw new RuleBroken(
      `${found}. Give the address below which the protocol is served, such as ${target.baseUrl}/aap/v3`,
    )
  }
  const agents = asList(meta['agents']).map(asObject)
  const named = (name: string) => agents.find((agent) => agent['name'] === name)
  const offered = target.agent === undefined ? (named('scripted') ?? agents[0]) : named(target.agent)
  const name = offered?.['name']
  if (offered === undefined || typeof name !== 'string') {
    throw new RuleBroken(`the server has no agent ${target.agent ?? ''}`.trimEnd())
  }
  return new AapWorld({ ...target, version, agent: name }, offered)
}

/** Why the agent does not follow scripts; `undefined` if it does. */
export async function whyNotScripted(world: AapWorld): Promise<string | undefined> {
  try {
    const nonce = `script-${Math.random().toString(36).slice(2)}`
    const { json } = await world.turn(await world.create(), `say ${nonce}`)
    if (textOf(asList(asObject(json)['messages'])).trim() === nonce) return undefined
  } catch {
    // The same reason: nothing was said.
  }
  return `the agent ${world.target.agent} does not follow scripts; see \`polylogue check --help\``
}
