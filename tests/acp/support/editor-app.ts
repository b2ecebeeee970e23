import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { RequestError, client, ndJsonStream } from '@agentclientprotocol/sdk'
import type { AcpFrameChecker } from '@polylogue/testkit'
import type { Params, Update } from './acp-process.ts'

/** An editor with open files and terminals of its own, built with the SDK's client app. */
export interface EditorApp {
  /** Unsaved text, by path. What is not here, the editor does not have. */
  readonly buffers: Map<string, string>
  /** The id of the option that the person chooses when they are asked. */
  permission: string | ((request: Params) => string)
  /** What the person was asked to permit. */
  readonly permissions: readonly Params[]
  /** The answer to a form. Without one it has no forms. */
  form: ((request: Params) => object) | undefined
  /** Whether it refuses to write files. */
  refusesWrites: boolean
  /** What it does about a file that it does not have. */
  missing: 'error' | 'empty'
  /** What it was asked, as `method` and what it was about. */
  readonly asked: readonly string[]
  readonly updates: readonly Update[]
  /** Terminals that were not released. */
  readonly terminals: ReadonlyMap<string, ChildProcess>
  /** Command lines of the terminals that it created. */
  readonly commands: readonly string[]
  /** Frames that break the official schema. Empty without a checker. */
  readonly problems: readonly string[]
  open(cwd: string, capabilities: object): Promise<string>
  request(method: string, params: object): Promise<Params>
  prompt(sessionId: string, text: string): Promise<Params>
  cancel(sessionId: string): Promise<void>
  /** Resolves with the first update that fits, also one that came before. */
  update(fits: (update: Update) => boolean): Promise<Update>
}

interface Terminal {
  readonly child: ChildProcess
  readonly exited: Promise<{ readonly exitCode: number | null; readonly signal: string | null }>
  output: string
}

export function startEditorApp({ stdin, stdout }: ChildProcess, checker?: AcpFrameChecker): EditorApp {
  if (!stdin || !stdout) throw new Error('it has no pipes')
  const buffers = new Map<string, string>()
  const terminals = new Map<string, Terminal>()
  const asked: string[] = []
  const commands: string[] = []
  const problems: string[] = []
  const updates: Update[] = []
  const permissions: Params[] = []
  const watchers = new Set<() => void>()
  let made = 0

  const terminal = (method: string, id: string): Terminal => {
    asked.push(`${method} ${id}`)
    const found = terminals.get(id)
    if (!found) throw new RequestError(-32_002, 'no such terminal')
    return found
  }
  const { agent } = client({ name: 'editor' })
    .onNotification('session/update', ({ params }) => {
      updates.push(params.update as unknown as Update)
      for (const look of watchers) look()
    })
    .onRequest('session/request_permission', ({ params }) => {
      const request = params as unknown as Params
      permissions.push(request)
      const { permission } = editor
      const optionId = typeof permission === 'string' ? permission : permission(request)
      return { outcome: { outcome: 'selected', optionId } }
    })
    .onRequest(
      'elicitation/create',
      (params: unknown) => params as Params,
      ({ params }) => {
        if (editor.form === undefined) throw RequestError.methodNotFound('elicitation/create')
        return editor.form(params)
      },
    )
    .onRequest('fs/read_text_file', ({ params: { path } }) => {
      asked.push(`read ${path}`)
      const content = buffers.get(path) ?? (editor.missing === 'empty' ? '' : undefined)
      if (content === undefined) throw new RequestError(-32_002, 'not open')
      return { content }
    })
    .onRequest('fs/write_text_file', ({ params: { path, content } }) => {
      asked.push(`write ${path}`)
      if (editor.refusesWrites) throw new RequestError(-32_603, 'the user declined')
      buffers.set(path, content)
      return {}
    })
    .onRequest('terminal/create', ({ params }) => {
      const id = `t${++made}`
      asked.push(`create ${id}`)
      commands.push([params.command, ...(params.args ?? [])].join(' '))
      const environment = Object.fromEntries((params.env ?? []).map(({ name, value }) => [name, value]))
      const child = spawn(params.command, params.args ?? [], {
        cwd: params.cwd ?? undefined,
        env: { ...process.env, ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const exited = once(child, 'exit').then(([exitCode, signal]) => ({ exitCode, signal }))
      const entry: Terminal = { child, exited, output: '' }
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (entry.output += String(text)))
      terminals.set(id, entry)
      return { terminalId: id }
    })
    .onRequest('terminal/output', ({ params: { terminalId } }) => {
      return { output: terminal('output', terminalId).output, truncated: false }
    })
    .onRequest('terminal/wait_for_exit', ({ params: { terminalId } }) => terminal('wait', terminalId).exited)
    .onRequest('terminal/kill', ({ params: { terminalId } }) => {
      terminal('kill', terminalId).child.kill('SIGTERM')
      return {}
    })
    .onRequest('terminal/release', ({ params: { terminalId } }) => {
      terminal('release', terminalId).child.kill('SIGKILL')
      terminals.delete(terminalId)
      return {}
    })
    .connect(
      ndJsonStream(
        tapWriter(Writable.toWeb(stdin) as WritableStream<Uint8Array>, (frame) => checker?.sent(frame)),
        (Readable.toWeb(stdout) as unknown as ReadableStream<Uint8Array>).pipeThrough(
          tapLines((frame) => {
            const problem = checker?.received(frame)
            if (problem !== undefined) problems.push(problem)
          }),
        ),
      ),
    )
  const ask = async (method: string, params: object): Promise<Params> => (await agent.request(method, params)) as Params
  const editor: EditorApp = {
    buffers,
    permission: 'allow',
    permissions,
    form: undefined,
    refusesWrites: false,
    missing: 'error',
    asked,
    commands,
    problems,
    updates,
    request: ask,
    get terminals() {
      return new Map([...terminals].map(([id, { child }]) => [id, child]))
    },
    async open(cwd, clientCapabilities) {
      await ask('initialize', { protocolVersion: 1, clientCapabilities })
      return String((await ask('session/new', { cwd, mcpServers: [] }))['sessionId'])
    },
    prompt: (sessionId, text) => ask('session/prompt', { sessionId, prompt: [{ type: 'text', text }] }),
    cancel: (sessionId) => agent.notify('session/cancel', { sessionId }),
    update: (fits) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = updates.find(fits)
          if (found === undefined) return
          watchers.delete(look)
          resolve(found)
        }
        watchers.add(look)
        look()
      }),
  }
  return editor
}

/** Passes bytes on, and tells of every frame in them. */
function tapLines(told: (frame: unknown) => void): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  let rest = ''
  return new TransformStream({
    transform(bytes, controller) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line.trim() !== '') told(JSON.parse(line))
      controller.enqueue(bytes)
    },
  })
}

function tapWriter(to: WritableStream<Uint8Array>, told: (frame: unknown) => void): WritableStream<Uint8Array> {
  const tap = tapLines(told)
  void tap.readable.pipeTo(to).catch(() => undefined)
  return tap.writable
}
