import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { AcpFrameChecker } from '@polylogue/testkit'

const PROGRAM = fileURLToPath(new URL('../../../polylogue', import.meta.url))
const GIVE_UP_MS = 20_000

export type Frame = Readonly<Record<string, unknown>>
export type Params = Readonly<Record<string, unknown>>
export type Update = Readonly<Record<string, unknown>> & { readonly sessionUpdate: string }

export class RpcFailure extends Error {
  readonly code: number
  readonly data: unknown

  constructor({ code, message, data }: { readonly code: number; readonly message: string; readonly data?: unknown }) {
    super(message)
    this.code = code
    this.data = data
  }
}

export interface AcpProcessOptions {
  readonly dataDir: string
  /** Where the process starts; sessions name their own. */
  readonly startDir?: string
  readonly flags?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

/** What a test may know of the process that an editor has started: frames by stdin and stdout, and how it ends. */
export interface AcpProcess {
  readonly pid: number
  readonly child: ChildProcess
  /** All that came, in order. */
  readonly frames: readonly Frame[]
  /** Lines of stdout that were no frames. */
  readonly strayLines: readonly string[]
  /** What is wrong with frames, by the official schema. */
  readonly problems: readonly string[]
  readonly stderr: string
  /** Rejects with `RpcFailure`, and when the process ends without an answer. */
  request(method: string, params: Params): Promise<Params>
  notify(method: string, params: Params): void
  write(text: string | Uint8Array): void
  /** Answers what the agent asks; without one it waits. */
  onRequest(method: string, answer: (params: Params) => unknown): void
  /** The first frame of all that satisfies this, also one that came before. */
  frame(matches: (frame: Frame) => boolean, what?: string): Promise<Frame>
  updates(sessionId?: string): readonly Update[]
  /** The text of all chunks of the agent. */
  said(sessionId?: string): string
  /** As an editor ends it. */
  endInput(): void
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
  kill(signal?: NodeJS.Signals): void
}

/** `polylogue acp` with the scripted agent, on this data directory. */
export function startAcp(
  { dataDir, startDir = dataDir, flags = [], environment = {} }: AcpProcessOptions,
  checker?: AcpFrameChecker,
): AcpProcess {
  const agent = flags.includes('--agent') ? [] : ['--agent', 'scripted']
  const child = spawn(PROGRAM, ['acp', '--data', dataDir, ...agent, ...flags], {
    cwd: startDir,
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  return watchAcp(child, checker)
}

export function watchAcp(child: ChildProcess, checker?: AcpFrameChecker): AcpProcess {
  const { stdin, stdout, stderr } = child
  if (!stdin || !stdout || !stderr) throw new Error('it has no pipes')
  const frames: Frame[] = []
  const strayLines: string[] = []
  const problems: string[] = []
  const answers = new Map<string, (params: Params) => unknown>()
  const open = new Map<unknown, PromiseWithResolvers<Params>>()
  const watchers = new Set<() => void>()
  let errors = ''
  // Far from the ids that tests write by hand.
  let lastId = 1_000_000
  let rest = ''

  const take = (line: string): void => {
    const frame = parseObject(line)
    if (frame === undefined) {
      strayLines.push(line)
      return
    }
    frames.push(frame)
    const problem = checker?.received(frame)
    if (problem !== undefined) problems.push(`${problem}: ${line.slice(0, 500)}`)
    const { id, method } = frame
    if (typeof method === 'string' && id !== undefined) void answer(id, method, toParams(frame['params']))
    else if (id !== undefined) settle(id, frame)
    for (const look of watchers) look()
  }
  const settle = (id: unknown, frame: Frame): void => {
    const { error } = frame
    if (error === undefined) open.get(id)?.resolve(toParams(frame['result']))
    else open.get(id)?.reject(new RpcFailure(error as ConstructorParameters<typeof RpcFailure>[0]))
    open.delete(id)
  }
  const answer = async (id: unknown, method: string, params: Params): Promise<void> => {
    const given = answers.get(method)
    if (given === undefined) return
    write({ id, result: await given(params) })
  }
  const write = (frame: Frame): void => {
    checker?.sent(frame)
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`)
  }

  // A process that is gone does not read; the test sees how it ended.
  stdin.on('error', () => undefined)
  stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) take(line)
  })
  stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const exited = once(child, 'close').then(([code, signal]) => {
    if (rest !== '') strayLines.push(rest)
    for (const { reject } of open.values()) reject(new Error(`it ended with ${String(code ?? signal)}: ${errors}`))
    for (const look of watchers) look()
    return { code: code as number | null, signal: signal as NodeJS.Signals | null }
  })

  const updates = (sessionId?: string): readonly Update[] =>
    frames
      .filter(({ method }) => method === 'session/update')
      .map(({ params }) => toParams(params))
      .filter((params) => sessionId === undefined || params['sessionId'] === sessionId)
      .map(({ update }) => update as Update)
  return {
    pid: child.pid ?? 0,
    child,
    frames,
    strayLines,
    problems,
    get stderr() {
      return errors
    },
    request(method, params) {
      const id = ++lastId
      const promise = Promise.withResolvers<Params>()
      open.set(id, promise)
      // A test that ends before its answer came has nothing more to say about it.
      promise.promise.catch(() => undefined)
      write({ id, method, params })
      return promise.promise
    },
    notify: (method, params) => write({ method, params }),
    write: (text) => void stdin.write(text),
    onRequest: (method, given) => void answers.set(method, given),
    frame: (matches, what = matches.toString()) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = frames.find(matches)
          if (found === undefined && child.exitCode === null && child.signalCode === null) return
          watchers.delete(look)
          clearTimeout(timer)
          if (found === undefined) reject(new Error(`it ended before this came: ${what}\n${errors}`))
          else resolve(found)
        }
        const timer = setTimeout(() => {
          watchers.delete(look)
          reject(new Error(`this never came: ${what}\n${JSON.stringify(frames.slice(-20), null, 1)}\n${errors}`))
        }, GIVE_UP_MS)
        watchers.add(look)
        look()
      }),
    updates,
    said: (sessionId) =>
      updates(sessionId)
        .filter(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk')
        .map(({ content }) => String(toParams(content)['text']))
        .join(''),
    endInput: () => void stdin.end(),
    exited,
    kill: (signal = 'SIGKILL') => void child.kill(signal),
  }
}

function parseObject(line: string): Frame | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Frame) : undefined
  } catch {
    return undefined
  }
}

const toParams = (value: unknown): Params => (typeof value === 'object' && value !== null ? (value as Params) : {})
