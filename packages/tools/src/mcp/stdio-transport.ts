// MCP over the standard input and output of a program: one JSON-RPC message per line. Unlike the SDK's transport it owns
// the whole process tree, limits what it reads and tolerates invalid lines.
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import type { Clock } from '@polylogue/engine'
import { LineReader, LineTooLong, lineText } from '@polylogue/kit'
import { z } from 'zod'
import { createJsonCount } from './json-count.ts'
import { isDeeperThan } from './json-depth.ts'
import { DEEPEST_MESSAGE, FLOOD_WINDOW_MS, LARGEST_MESSAGE, MOST_UNASKED, MOST_UNSENT } from './mcp-limits.ts'
import type { McpReach } from './mcp-server.ts'
import { createRateLimit } from './rate-limit.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

export interface StdioTransportOptions {
  readonly reach: Extract<McpReach, { type: 'stdio' }>
  readonly stateDir: string
  readonly clock: Clock
}

/** A transport that can say why it ended. */
export interface ExplainedTransport extends Transport {
  readonly problem: string | undefined
}

const LONGEST_REMARK = 300
const answer = z.looseObject({ jsonrpc: z.literal('2.0'), id: z.union([z.number(), z.string().min(1).max(256)]) })
const unasked = z.looseObject({ jsonrpc: z.literal('2.0'), method: z.string() })

export function createStdioTransport({ reach, stateDir, clock }: StdioTransportOptions): ExplainedTransport {
  const lines = new LineReader(LARGEST_MESSAGE)
  const countUnasked = createRateLimit(MOST_UNASKED, FLOOD_WINDOW_MS, () => clock.now())
  let server: ServerProcess | undefined
  let problem: string | undefined
  let remark = ''
  let isClosed = false
  /** Our open requests by exact id: the SDK accepts `"7"` as an answer to 7, and `""` as one to 0. */
  const asked = new Set<unknown>()

  const transport: ExplainedTransport & { readonly pid: number | undefined; readonly stderr: undefined } = {
    // The SDK uses these two to recognise a program. It treats a silent program as an old one, not as gone.
    get pid() {
      return server?.child.pid
    },
    stderr: undefined,
    get problem() {
      return problem
    },
    async start() {
      const started = await startServerProcess(reach, stateDir)
      server = started
      const { stdin, stdout, stderr } = started.child
      stdin.on('error', () => fail('it closed its input'))
      stdout.on('error', () => fail('its output broke'))
      stderr.on('error', () => {})
      stderr.on('data', (chunk: Buffer) => {
        remark = (remark + chunk.subarray(-LONGEST_REMARK).toString('utf8')).slice(-LONGEST_REMARK)
      })
      stdout.on('data', read)
      // A program may have answered before it exits, so its output is read first. A program that only closes its output
      // has no exit code.
      let isOver = false
      const end = (): void => {
        if (isOver) fail(describeExit())
        isOver = true
        clock.setTimer(DRAIN_MS, () => fail(describeExit()))
      }
      stdout.once('end', end)
      started.child.once('exit', end)
      if (isClosed) await started.stop()
    },
    send(message) {
      const stdin = server?.child.stdin
      if (isClosed || stdin === undefined || !stdin.writable)
        return Promise.reject(new Error('the connection is closed'))
      if (stdin.writableLength > MOST_UNSENT) return Promise.reject(new Error('it does not read what is sent to it'))
      if ('method' in message && 'id' in message) asked.add(message.id)
      else if ('method' in message && message.method === 'notifications/cancelled')
        asked.delete(message.params?.['requestId'])
      stdin.write(`${JSON.stringify(message)}\n`)
      return Promise.resolve()
    },
    async close() {
      if (!isClosed) {
        isClosed = true
        transport.onclose?.()
      }
      await server?.stop()
    },
  }
  return transport

  function read(chunk: Buffer): void {
    if (isClosed) return
    try {
      for (const line of lines.push(chunk)) {
        if (isClosed) return
        if (line.length > SMALL_MESSAGE) createJsonCount().push(line)
        deliver(lineText(line))
      }
    } catch (error) {
      if (error instanceof LineTooLong) fail(`it sent a message larger than ${LARGEST_MESSAGE} bytes`)
      else fail(error instanceof Error ? error.message : String(error))
    }
  }

  function deliver(line: string): void {
    const message = parseMessage(line)
    if (message === undefined) return countUnasked(line.length)
    if ('method' in message) countUnasked(line.length)
    else if (!asked.delete(message.id)) return countUnasked(line.length)
    transport.onmessage?.(message)
  }

  function fail(why: string): void {
    if (isClosed) return
    problem = why
    isClosed = true
    void server?.stop().catch((error: unknown) => transport.onerror?.(error instanceof Error ? error : new Error(why)))
    transport.onclose?.()
  }

  function describeExit(): string {
    const { exitCode = null, signalCode = null } = server?.child ?? {}
    const last = remark.trim().split('\n').at(-1)?.trim() ?? ''
    const end =
      signalCode === null
        ? `it ended${exitCode === null ? '' : ` with exit code ${exitCode}`}`
        : `it was ended by ${signalCode}`
    return last === '' ? end : `${end}: ${last}`
  }
}

const DRAIN_MS = 250
/** In bytes. Has too few values to count. */
const SMALL_MESSAGE = 64 * 1024

/** `undefined` if the line is not a message. Programs print other things too. */
function parseMessage(line: string): JSONRPCMessage | undefined {
  if (!line.trimStart().startsWith('{')) return undefined
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return undefined
  }
  const message = answer.safeParse(value).data ?? unasked.safeParse(value).data
  if (message === undefined) return undefined
  if (!isDeeperThan(message, DEEPEST_MESSAGE)) return message as JSONRPCMessage
  if (!('id' in message) || 'method' in message) return undefined
  const problem = `the answer is nested more than ${DEEPEST_MESSAGE} deep`
  return { jsonrpc: '2.0', id: message.id, error: { code: -32_603, message: problem } }
}
