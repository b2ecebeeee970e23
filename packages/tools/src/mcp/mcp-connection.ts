import type { CallToolResult, Progress } from '@modelcontextprotocol/client'
import type { Clock, Digest, JsonObject, LogEntry, Timer } from '@polylogue/engine'
import { createBackoff } from './backoff.ts'
import { describeProblem } from './describe-problem.ts'
import { listTools } from './list-tools.ts'
import { CONNECT_MS, NO_TIMEOUT, REFRESH_EVERY_MS } from './mcp-limits.ts'
import type { McpServer } from './mcp-server.ts'
import type { OpenClient } from './open-client.ts'
import type { ToolDefinition } from './tool-definition.ts'
import { unlessAborted } from './unless-aborted.ts'

export type McpState = 'connecting' | 'ready' | 'failed' | 'closed'

export interface McpHealth {
  readonly name: string
  readonly state: McpState
  /** One sentence; what was wrong last, also when all is well again. */
  readonly lastError?: string
  readonly tools: number
  /** Since when it has this state, in epoch milliseconds. */
  readonly since: number
}

export interface McpCall {
  readonly definition: ToolDefinition
  readonly input: JsonObject
  readonly signal: AbortSignal
  readonly onProgress?: (progress: Progress) => void
}

export interface McpConnection {
  readonly server: McpServer
  health(): McpHealth
  /** The last list that was read, also while the server is away: its tools come back with it. */
  definitions(): readonly ToolDefinition[]
  /** Resolves when the first attempt to connect is over, however it ended. */
  settled(): Promise<void>
  /** Connects if need be. Rejects with a sentence for the model, at the latest when the deadline is over. */
  call(call: McpCall): Promise<CallToolResult>
  /** Ends it for good; idempotent. Resolves when no process of it is left. */
  close(): Promise<void>
}

export interface McpConnectionOptions {
  readonly server: McpServer
  readonly clock: Clock
  readonly digest: Digest
  readonly stateDir: string
  readonly log: (entry: LogEntry) => void
  readonly onChange: () => void
}

const PING_EVERY_MS = 30_000
const PING_MS = 10_000
const FAREWELL_MS = 1000

export function createMcpConnection(options: McpConnectionOptions): McpConnection {
  const { server, clock, log } = options
  const backoff = createBackoff(clock)
  const closing = new AbortController()
  let state: McpState = 'connecting'
  let since = clock.now()
  let lastError: string | undefined
  let definitions: readonly ToolDefinition[] = []
  let live: OpenClient | undefined
  let connecting: Promise<OpenClient> | undefined
  let retry: Timer | undefined
  let ping: Timer | undefined
  let refreshing: Promise<void> | undefined
  let isStale = false
  let closed: Promise<void> | undefined
  /** Clients that are being closed: the next is opened when their processes are gone. */
  const leaving = new Set<Promise<void>>()
  const callsOf = new Map<OpenClient, number>()

  const first = connect().then(
    () => {},
    () => {},
  )

  return {
    server,
    health: () => ({
      name: server.name,
      state,
      ...(lastError === undefined ? {} : { lastError }),
      tools: definitions.length,
      since,
    }),
    definitions: () => definitions,
    settled: () => first,
    call,
    close: () => (closed ??= end()),
  }

  async function end(): Promise<void> {
    enter('closed')
    retry?.cancel()
    ping?.cancel()
    closing.abort(new Error('the connection was closed'))
    const last = live
    live = undefined
    if (last) {
      const [signal, timer] = within(FAREWELL_MS, 'it does not hear', new AbortController().signal)
      await unlessAborted(last.endSession(), signal).catch(() => {})
      timer.cancel()
      leave(last)
    }
    await connecting?.catch(() => {})
    await Promise.all(leaving)
  }

  function connect(): Promise<OpenClient> {
    if (live) return Promise.resolve(live)
    connecting ??= attempt().finally(() => {
      connecting = undefined
    })
    return connecting
  }

  async function attempt(): Promise<OpenClient> {
    retry?.cancel()
    closing.signal.throwIfAborted()
    enter('connecting')
    let opened: OpenClient | undefined
    const [signal, timer] = within(CONNECT_MS, `it did not get ready within ${CONNECT_MS / 1000} s`, closing.signal)
    try {
      await Promise.all(leaving)
      // Loaded when the first server is connected to: a host without one does not pay for the import.
      const { openClient } = await import('./open-client.ts')
      isStale = false
      opened = await openClient({ ...options, signal, onClosed: lost, onToolsChanged: refresh })
      const listed = await listTools(opened.client, options.digest, signal)
      if (opened.problem() !== undefined) throw new Error(opened.problem())
      live = opened
      adopt(listed)
      backoff.succeeded()
      enter('ready')
      schedulePing()
      if (isStale) refresh()
      return opened
    } catch (error) {
      const problem = opened?.problem() === undefined ? error : new Error(opened.problem(), { cause: error })
      if (opened) leave(opened)
      failed(problem)
      const why = describeProblem(problem, server)
      throw new Error(`MCP server ${server.name} is not connected: ${why}`, { cause: error })
    } finally {
      timer.cancel()
    }
  }

  function adopt({ definitions: listed, problems }: Awaited<ReturnType<typeof listTools>>): void {
    definitions = listed
    for (const problem of problems) warn(problem)
    options.onChange()
  }

  /** The list of tools, again: once at a time, and no oftener than need be, however often it is announced. */
  function refresh(): void {
    isStale = true
    refreshing ??= readAgain()
      .then(() => new Promise<void>((resolve) => void clock.setTimer(REFRESH_EVERY_MS, resolve)))
      .finally(() => {
        refreshing = undefined
        if (isStale && live) refresh()
      })
  }

  async function readAgain(): Promise<void> {
    const current = live
    // An attempt to connect reads the list itself.
    if (current === undefined) return
    isStale = false
    const [signal, timer] = within(CONNECT_MS, 'its list of tools did not come', closing.signal)
    try {
      const listed = await listTools(current.client, options.digest, signal)
      if (live === current) adopt(listed)
    } catch (error) {
      warn(`its list of tools could not be read again: ${describeProblem(error, server)}`)
    } finally {
      timer.cancel()
    }
  }

  async function call({ definition, input, signal: wish, onProgress }: McpCall): Promise<CallToolResult> {
    const overdue = `it did not answer within ${server.deadlineMs / 1000} s`
    const [signal, timer] = within(server.deadlineMs, overdue, AbortSignal.any([wish, closing.signal]))
    let used: OpenClient | undefined
    try {
      used = await unlessAborted(connect(), signal)
      const current = definitions.find(({ name }) => name === definition.name)
      // What was judged is what runs: a tool that has become another one meanwhile is asked for anew.
      if (current === undefined) throw new Refused(`the server no longer has the tool ${definition.name}`)
      if (current.digest !== definition.digest) {
        throw new Refused(`the server has changed the tool ${definition.name} meanwhile; look at it and call it again`)
      }
      callsOf.set(used, (callsOf.get(used) ?? 0) + 1)
      const answer = used.client.callTool(
        { name: definition.name, arguments: input },
        {
          signal,
          timeout: NO_TIMEOUT,
          toolDefinition: { name: definition.name, inputSchema: { ...definition.inputSchema, type: 'object' } },
          ...(onProgress === undefined ? {} : { onprogress: onProgress }),
        },
      )
      return await unlessAborted(answer, signal)
    } catch (error) {
      throw explain(error, used, signal, wish)
    } finally {
      timer.cancel()
      if (used && callsOf.has(used)) callsOf.set(used, (callsOf.get(used) ?? 1) - 1)
      if (used && used !== live && callsOf.get(used) === 0) leave(used)
    }
  }

  function explain(error: unknown, used: OpenClient | undefined, signal: AbortSignal, wish: AbortSignal): Error {
    if (wish.aborted) return new Error('cancelled', { cause: error })
    if (used === undefined || error instanceof Refused) return error instanceof Error ? error : new Error(String(error))
    if (used.isAnswer(error)) return new Error(describeProblem(error, server), { cause: error })
    const reason: unknown = signal.aborted ? signal.reason : (used.problem() ?? error)
    const problem = describeProblem(reason instanceof Error ? reason : new Error(String(reason)), server)
    // A request that failed on its way says that the server is away, or has forgotten us. Others may still be under way.
    if (!signal.aborted && server.reach.type !== 'stdio' && live === used) {
      live = undefined
      failed(reason)
    }
    return new Error(`MCP server ${server.name}: ${problem}. Whether the call had an effect is unknown.`, {
      cause: error,
    })
  }

  function lost(client: OpenClient): void {
    leave(client)
    if (client !== live) return
    live = undefined
    failed(new Error(client.problem() ?? 'it ended the connection'))
  }

  function failed(error: unknown): void {
    ping?.cancel()
    if (state === 'closed') return
    lastError = describeProblem(error, server)
    warn(lastError)
    retry?.cancel()
    retry = clock.setTimer(backoff.failed(), () => void connect().catch(() => {}))
    enter('failed')
  }

  /** A server that is idle may have gone without a word. One that works on a call is left alone: the call has a deadline. */
  function schedulePing(): void {
    ping?.cancel()
    ping = clock.setTimer(PING_EVERY_MS, () => {
      const current = live
      if (current === undefined) return
      if ((callsOf.get(current) ?? 0) > 0 || current.client.getProtocolEra() !== 'legacy') return schedulePing()
      const [signal, timer] = within(PING_MS, 'it no longer answers', closing.signal)
      const pinged = unlessAborted(current.client.ping({ signal, timeout: NO_TIMEOUT }), signal)
      pinged
        .then(schedulePing, (error: unknown) => {
          // Whoever refuses to be pinged is there.
          if (current.isAnswer(error)) return schedulePing()
          if (live !== current) return
          live = undefined
          leave(current)
          failed(error)
        })
        .finally(() => timer.cancel())
    })
  }

  function leave(client: OpenClient): void {
    callsOf.delete(client)
    const left = client
      .close()
      .catch((error: unknown) => warn(`it could not be closed: ${describeProblem(error, server)}`))
      .finally(() => leaving.delete(left))
    leaving.add(left)
  }

  function enter(next: McpState): void {
    if (state === 'closed' || state === next) return
    state = next
    since = clock.now()
    options.onChange()
  }

  function within(ms: number, problem: string, signal: AbortSignal): [AbortSignal, Timer] {
    const over = new AbortController()
    return [AbortSignal.any([signal, over.signal]), clock.setTimer(ms, () => over.abort(new Error(problem)))]
  }

  function warn(problem: string): void {
    log({ level: 'warn', message: `MCP server ${server.name}: ${problem}`, mcpServer: server.name })
  }
}

/** Nothing was sent. */
class Refused extends Error {}
