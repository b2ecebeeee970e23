// One connection attempt: an SDK client with its own transport, so that attempts never share ids or answers.
import { Client, ProtocolError, SdkHttpError, type Transport } from '@modelcontextprotocol/client'
import type { Clock } from '@polylogue/engine'
import type { Allowance } from '../web/allowance.ts'
import { ANSWER_CUT } from './bounded-fetch.ts'
import { createHttpTransport } from './http-transport.ts'
import { NO_TIMEOUT } from './mcp-limits.ts'
import type { McpServer } from './mcp-server.ts'
import { createStdioTransport } from './stdio-transport.ts'
import { unlessAborted } from './unless-aborted.ts'

export interface OpenClient {
  readonly client: Client
  /** Why the connection ended, if known. */
  problem(): string | undefined
  /** Whether an error is the server's answer and not a missing answer. */
  isAnswer(error: unknown): boolean
  /** Whether an error says that the server is gone or has lost our session. */
  isAway(error: unknown): boolean
  close(): Promise<void>
  /** Ends the server's session, if it keeps one. */
  endSession(): Promise<void>
}

export interface OpenClientOptions {
  readonly server: McpServer
  readonly stateDir: string
  readonly allowance: Allowance
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly onClosed: (client: OpenClient) => void
  readonly onToolsChanged: () => void
  readonly onPromptsChanged: () => void
}

const PROBE_MS = 5000

type Era = 'legacy' | 'auto'

/**
 * Uses the handshake that most servers know. A server that supports only the newest protocol refuses it and is asked again
 * with the new one. The other order would send every older server an unknown request, and some exit on one.
 */
export async function openClient(options: OpenClientOptions): Promise<OpenClient> {
  try {
    return await openAs('legacy', options)
  } catch (error) {
    if (options.signal.aborted || options.server.reach.type === 'sse' || !isRefusal(error)) throw error
    return openAs('auto', options)
  }
}

function isRefusal(error: unknown): boolean {
  if (error instanceof ProtocolError) return true
  return error instanceof SdkHttpError && [400, 404, 405, 422].includes(error.status ?? 0)
}

async function openAs(era: Era, options: OpenClientOptions): Promise<OpenClient> {
  const { server, signal } = options
  signal.throwIfAborted()
  const { transport, problem, endSession } = createTransport(options)
  let isLeaving = false
  let left = Promise.resolve()
  const client = new Client(
    { name: 'polylogue', version: '0.1.0' },
    {
      capabilities: {},
      versionNegotiation: { mode: era, probe: { timeoutMs: PROBE_MS } },
      inputRequired: { autoFulfill: false },
      listChanged: {
        tools: { autoRefresh: false, debounceMs: 0, onChanged: () => options.onToolsChanged() },
        prompts: { autoRefresh: false, debounceMs: 250, onChanged: () => options.onPromptsChanged() },
      },
      // Output schemas are not checked: they are untrusted and would have to be run.
      jsonSchemaValidator: {
        getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
    },
  )
  const open: OpenClient = {
    client,
    problem,
    isAnswer: (error) => error instanceof ProtocolError && error.code !== ANSWER_CUT,
    // `fetch` fails with a type error.
    isAway: (error) => error instanceof SdkHttpError || (server.reach.type !== 'stdio' && error instanceof TypeError),
    close() {
      // The SDK's transports report each close, and a listener may close them again.
      if (!isLeaving) {
        isLeaving = true
        left = transport.close()
      }
      return left
    },
    endSession: async () => endSession?.(),
  }
  let isConnected = false
  client.onclose = () => {
    if (isConnected && !isLeaving) options.onClosed(open)
  }
  // Ignore noise and stray answers. Errors that matter reject a pending request.
  client.onerror = () => {}
  try {
    await unlessAborted(client.connect(transport, { timeout: NO_TIMEOUT, signal }), signal)
    isConnected = true
    return open
  } catch (error) {
    await transport.close()
    throw signal.aborted || problem() === undefined ? error : new Error(problem(), { cause: error })
  }
}

function createTransport({ server, stateDir, clock, allowance }: OpenClientOptions): {
  readonly transport: Transport
  readonly problem: () => string | undefined
  readonly endSession?: () => Promise<void>
} {
  const { reach, isPublicOnly, deadlineMs } = server
  if (reach.type !== 'stdio')
    return createHttpTransport({ reach, clock, deadlineMs, ...(isPublicOnly && { publicOnly: allowance }) })
  const transport = createStdioTransport({ reach, stateDir, clock })
  return { transport, problem: () => transport.problem }
}
