import type { CallToolResult, Progress } from '@modelcontextprotocol/client'
import type { Clock, Digest, JsonObject, LogEntry, Timer } from '@polylogue/engine'
import type { Allowance } from '../web/allowance.ts'
import { createBackoff } from './backoff.ts'
import { describeProblem } from './describe-problem.ts'
import { startIdleCheck } from './idle-check.ts'
import { getPrompt, listPrompts, type PromptDefinition } from './list-prompts.ts'
import { CONNECT_MS, NO_TIMEOUT } from './mcp-limits.ts'
import type { McpServer } from './mcp-server.ts'
import type { OpenClient } from './open-client.ts'
import { startTimeLimit } from './time-limit.ts'
import type { ToolDefinition } from './tool-definition.ts'
import { createToolList } from './tool-list.ts'
import { unlessAborted } from './unless-aborted.ts'

export type McpState = 'connecting' | 'ready' | 'failed' | 'closed'

export interface McpHealth {
  readonly name: string
  readonly state: McpState
  /** The last problem, in one sentence. Kept after the server has recovered. */
  readonly lastError?: string
  readonly tools: number
  /** When this state began, in epoch milliseconds. */
  readonly since: number
}

export interface McpCall {
  readonly definition: ToolDefinition
  readonly input: JsonObject
  readonly signal: AbortSignal
  readonly onProgress?: (progress: Progress) => void
}

export interface WantedPrompt {
  readonly name: string
  readonly arguments: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

export interface McpConnection {
  readonly server: McpServer
  health(): McpHealth
  /** The last list of tools, also while the server is away. */
  definitions(): readonly ToolDefinition[]
  /** Resolves when the first attempt to connect has ended, successfully or not. */
  settled(): Promise<void>
  /** Connects if necessary. Rejects with a sentence for the model, at the latest at the deadline. */
  call(call: McpCall): Promise<CallToolResult>
  /** The last list of prompts, also while the server is away. */
  prompts(): readonly PromptDefinition[]
  /** Connects if necessary. Rejects with a sentence for the user, at the latest at the deadline. */
  prompt(wanted: WantedPrompt): Promise<string>
  /** Closes it permanently. Idempotent. Resolves when none of its processes is left. */
  close(): Promise<void>
}

export interface McpConnectionOptions {
  readonly server: McpServer
  readonly clock: Clock
  readonly digest: Digest
  readonly stateDir: string
  /** For a server that must be on the public network. */
  readonly allowance: Allowance
  readonly log: (entry: LogEntry) => void
  readonly onChange: () => void
}

const FAREWELL_MS = 1000

export function createMcpConnection(options: McpConnectionOptions): McpConnection {
  const { server, clock, digest, log, onChange } = options
  const backoff = createBackoff(clock)
  const closing = new AbortController()
  const client = () => live?.client
  const list = createToolList({ clock, digest, signal: closing.signal, client, warn, onChange })
  let state: McpState = 'connecting'
  let since = clock.now()
  let lastError: string | undefined
  let live: OpenClient | undefined
  let prompts: readonly PromptDefinition[] = []
  let connecting: Promise<OpenClient> | undefined
  let retry: Timer | undefined
  let stopIdleCheck = (): void => {}
  let closed: Promise<void> | undefined
  /** Clients that are closing. The next one opens when their processes are gone. */
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
      tools: list.definitions().length,
      since,
    }),
    definitions: list.definitions,
    settled: () => first,
    call,
    prompts: () => prompts,
    prompt,
    close: () => (closed ??= end()),
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
    const overdue = `it did not get ready within ${CONNECT_MS / 1000} s`
    const { signal, cancel } = startTimeLimit(clock, { ms: CONNECT_MS, problem: overdue, signal: closing.signal })
    try {
      await Promise.all(leaving)
      // Loaded with the first connection, so that a host without servers does not pay for the import.
      const { openClient } = await import('./open-client.ts')
      opened = await openClient({
        ...options,
        signal,
        onClosed: lost,
        onToolsChanged: list.refresh,
        onPromptsChanged: readPromptsAgain,
      })
      await list.read(opened.client, signal)
      prompts = await readPrompts(opened, signal)
      signal.throwIfAborted()
      if (opened.problem() !== undefined) throw new Error(opened.problem())
      adopt(opened)
      return opened
    } catch (error) {
      const problem = opened?.problem() === undefined ? error : new Error(opened.problem(), { cause: error })
      if (opened) leave(opened)
      failed(problem)
      const why = describeProblem(problem, server)
      throw new Error(`MCP server ${server.name} is not connected: ${why}`, { cause: error })
    } finally {
      cancel()
    }
  }

  function adopt(open: OpenClient): void {
    live = open
    backoff.succeeded()
    stopIdleCheck = startIdleCheck({
      clock,
      open,
      isBusy: () => (callsOf.get(open) ?? 0) > 0,
      onSilence(problem) {
        if (live !== open) return
        live = undefined
        leave(open)
        failed(problem)
      },
    })
    enter('ready')
    list.catchUp()
  }

  async function call({ definition, input, signal: wish, onProgress }: McpCall): Promise<CallToolResult> {
    const overdue = `it did not answer within ${server.deadlineMs / 1000} s`
    const stops = AbortSignal.any([wish, closing.signal])
    const { signal, cancel } = startTimeLimit(clock, { ms: server.deadlineMs, problem: overdue, signal: stops })
    let used: OpenClient | undefined
    try {
      used = await unlessAborted(connect(), signal)
      demandUnchanged(definition)
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
      if (wish.aborted) throw new Error('cancelled', { cause: error })
      throw explain(error, used, signal)
    } finally {
      cancel()
      if (used && callsOf.has(used)) callsOf.set(used, (callsOf.get(used) ?? 1) - 1)
      if (used && used !== live && callsOf.get(used) === 0) leave(used)
    }
  }

  /** A server without its prompts is still useful. */
  async function readPrompts(open: OpenClient, signal: AbortSignal): Promise<readonly PromptDefinition[]> {
    try {
      return await listPrompts(open.client, signal)
    } catch (error) {
      signal.throwIfAborted()
      warn(error)
      return []
    }
  }

  function readPromptsAgain(): void {
    const open = live
    if (open === undefined) return
    const problem = 'its list of prompts did not come'
    const { signal, cancel } = startTimeLimit(clock, { ms: CONNECT_MS, problem, signal: closing.signal })
    readPrompts(open, signal)
      .then((listed) => {
        if (live !== open) return
        prompts = listed
        onChange()
      }, warn)
      .finally(cancel)
  }

  async function prompt({ signal: wish, ...wanted }: WantedPrompt): Promise<string> {
    const overdue = `it did not answer within ${server.deadlineMs / 1000} s`
    const stops = AbortSignal.any([wish, closing.signal])
    const { signal, cancel } = startTimeLimit(clock, { ms: server.deadlineMs, problem: overdue, signal: stops })
    try {
      return await getPrompt((await unlessAborted(connect(), signal)).client, wanted, signal)
    } catch (error) {
      const reason: unknown = signal.aborted ? signal.reason : error
      throw new Error(`MCP server ${server.name}: ${describeProblem(reason, server)}`, { cause: error })
    } finally {
      cancel()
    }
  }

  /** A tool that has changed since the call was judged needs a new approval. */
  function demandUnchanged({ name, digest: judged }: ToolDefinition): void {
    const current = list.definitions().find((definition) => definition.name === name)
    if (current === undefined) throw new Refused(`the server no longer has the tool ${name}`)
    if (current.digest !== judged) {
      throw new Refused(`the server has changed the tool ${name} meanwhile; look at it and call it again`)
    }
  }

  function explain(error: unknown, used: OpenClient | undefined, signal: AbortSignal): unknown {
    if (error instanceof Refused) return error
    const reason: unknown = signal.aborted ? signal.reason : (used?.problem() ?? error)
    const problem = describeProblem(reason, server)
    // Nothing was sent, or it was answered.
    if (used === undefined) return signal.aborted ? new Error(`MCP server ${server.name}: ${problem}`) : error
    if (used.isAnswer(error)) return new Error(problem, { cause: error })
    // The server is away or has lost our session. Other calls may still be running.
    if (!signal.aborted && used.isAway(error) && live === used) {
      live = undefined
      failed(reason)
    }
    const doubt = 'Whether the call had an effect is unknown.'
    return new Error(`MCP server ${server.name}: ${problem}. ${doubt}`, { cause: error })
  }

  function lost(open: OpenClient): void {
    leave(open)
    if (open !== live) return
    live = undefined
    failed(new Error(open.problem() ?? 'it ended the connection'))
  }

  function failed(error: unknown): void {
    stopIdleCheck()
    if (state === 'closed') return
    lastError = describeProblem(error, server)
    warn(error)
    retry?.cancel()
    retry = clock.setTimer(backoff.failed(), () => void connect().catch(() => {}))
    enter('failed')
  }

  function leave(open: OpenClient): void {
    callsOf.delete(open)
    const left = open
      .close()
      .catch(warn)
      .finally(() => leaving.delete(left))
    leaving.add(left)
  }

  async function end(): Promise<void> {
    enter('closed')
    retry?.cancel()
    stopIdleCheck()
    closing.abort(new Error('the connection was closed'))
    const last = live
    live = undefined
    if (last) {
      const { signal, cancel } = startTimeLimit(clock, { ms: FAREWELL_MS, problem: 'it does not hear' })
      await unlessAborted(last.endSession(), signal).catch(() => {})
      cancel()
      leave(last)
    }
    await connecting?.catch(() => {})
    await Promise.all(leaving)
  }

  function enter(next: McpState): void {
    if (state === 'closed' || state === next) return
    state = next
    since = clock.now()
    onChange()
  }

  function warn(problem: unknown): void {
    const message = `MCP server ${server.name}: ${describeProblem(problem, server)}`
    log({ level: 'warn', message, mcpServer: server.name })
  }
}

/** Nothing was sent. */
class Refused extends Error {}
