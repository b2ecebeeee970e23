import { spawn, type ChildProcess } from 'node:child_process'
import { tmpdir } from 'node:os'
import { RuleBroken } from './check-case.ts'
import { parse } from './aap-world.ts'
import { asObject, asText } from './expectations.ts'

type Frame = { readonly [name: string]: unknown }

const WAIT_MS = 20_000
/** Characters of one process. */
const MOST_PRINTED = 64 * 1024 * 1024
const MOST_LINES = 100_000

/** One process of the command under test. */
export class AcpPeer {
  readonly #child: ChildProcess
  readonly frames: Frame[] = []
  /** Lines that are not JSON objects. */
  readonly noise: string[] = []
  readonly #waiting = new Set<() => void>()
  #nextId = 1
  /** The pieces of the line that has not ended. */
  #rest: string[] = []
  #printed = 0
  #isGone = false

  constructor(command: string) {
    // Its own process group, so that `end` also reaches what the shell started.
    this.#child = spawn(command, { shell: true, stdio: ['pipe', 'pipe', 'ignore'], detached: true })
    this.#child.on('error', () => this.#leave())
    this.#child.on('close', () => this.#leave())
    this.#child.stdin?.on('error', () => undefined)
    if (this.#child.stdout === null) throw new RuleBroken('the command has no output')
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => this.#read(text))
  }

  /** A command may print endlessly. Beyond the limit it is ended, and every rule that waits for it fails. */
  #read(text: string): void {
    this.#printed += text.length
    if (this.#printed > MOST_PRINTED || this.frames.length + this.noise.length > MOST_LINES) return this.end()
    const [first = '', ...others] = text.split('\n')
    this.#rest.push(first)
    for (const next of others) {
      this.#readLine(this.#rest.join(''))
      this.#rest = [next]
    }
  }

  #readLine(line: string): void {
    if (line.trim() === '') return
    const frame = parse(line)
    if (typeof frame === 'object' && frame !== null && !Array.isArray(frame)) this.frames.push(asObject(frame))
    else this.noise.push(line)
    for (const check of this.#waiting) check()
  }

  write(line: string): void {
    this.#child.stdin?.write(`${line}\n`)
  }

  send(frame: object): void {
    this.write(JSON.stringify({ jsonrpc: '2.0', ...frame }))
  }

  async until(isIt: (frame: Frame) => boolean, what: string): Promise<Frame> {
    let found = this.frames.find(isIt)
    if (found !== undefined) return found
    if (this.#isGone) throw new RuleBroken(`the command ended before ${what} came`)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(() => reject(new RuleBroken(`${what} did not come`)), WAIT_MS)
    const check = (): void => {
      found = this.frames.find(isIt)
      if (found !== undefined) resolve()
      else if (this.#isGone) reject(new RuleBroken(`the command ended before ${what} came`))
    }
    this.#waiting.add(check)
    try {
      await promise
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(check)
    }
    return found ?? {}
  }

  /** The answer to a request, with `result` or `error`. */
  async request(method: string, params?: unknown, id: string | number = this.#nextId++): Promise<Frame> {
    this.send({ id, method, ...(params !== undefined && { params }) })
    return this.until((frame) => frame['id'] === id && !('method' in frame), `the answer to ${method}`)
  }

  updates(): readonly Frame[] {
    return this.frames
      .filter(({ method }) => method === 'session/update')
      .map(({ params }) => asObject(asObject(params)['update']))
  }

  end(): void {
    this.#child.stdin?.end()
    const { pid } = this.#child
    if (pid === undefined || this.#isGone) return
    try {
      process.kill(-pid)
    } catch {
      // The process has already ended.
      this.#leave()
    }
  }

  #leave(): void {
    this.#isGone = true
    for (const check of this.#waiting) check()
  }
}

export class AcpWorld {
  readonly command: string
  readonly cwd = tmpdir()

  constructor(command: string) {
    this.command = command
  }

  /** A new process for the time of `use`. */
  async started<Value>(use: (peer: AcpPeer) => Promise<Value>): Promise<Value> {
    const peer = new AcpPeer(this.command)
    try {
      return await use(peer)
    } finally {
      peer.end()
    }
  }

  initialized<Value>(use: (peer: AcpPeer, result: Frame) => Promise<Value>): Promise<Value> {
    return this.started(async (peer) => {
      const answer = await peer.request('initialize', { protocolVersion: 1, clientCapabilities: {} })
      return use(peer, asObject(answer['result']))
    })
  }

  inSession<Value>(use: (peer: AcpPeer, sessionId: string) => Promise<Value>): Promise<Value> {
    return this.initialized(async (peer) => {
      const answer = await peer.request('session/new', { cwd: this.cwd, mcpServers: [] })
      return use(peer, String(asObject(answer['result'])['sessionId']))
    })
  }

  prompt(text: string): Promise<{ readonly answer: Frame; readonly peer: AcpPeer }> {
    return this.inSession(async (peer, sessionId) => {
      const answer = await peer.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })
      return { answer, peer }
    })
  }
}

export const errorCode = (frame: Frame): unknown => asObject(frame['error'])['code']

export const chunks = (peer: AcpPeer, kind: string): string =>
  peer
    .updates()
    .filter(({ sessionUpdate }) => sessionUpdate === kind)
    .map(({ content }) => asText(asObject(content)['text']))
    .join('')

/** Why the agent does not follow scripts; `undefined` if it does. */
export async function whyNotScriptedAcp(world: AcpWorld): Promise<string | undefined> {
  try {
    const { peer } = await world.prompt('say script-check')
    if (chunks(peer, 'agent_message_chunk').trim() === 'script-check') return undefined
  } catch {
    // The same reason: nothing was said.
  }
  return 'the agent does not follow scripts; see `polylogue check --help`'
}
