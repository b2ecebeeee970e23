import type { CreateTerminalRequest } from '@agentclientprotocol/sdk'
import type { EditorTerminal, EditorTerminals, LogEntry, TerminalCommand, ToolCallId } from '@polylogue/engine'
import { z } from 'zod'
import { RpcError } from '../rpc/rpc-error.ts'
import { NotAsked, type ClientRequests } from './client-requests.ts'

const CREATE_MS = 5_000
const OUTPUT_MS = 5_000
/** Time limit for killing and releasing. */
const END_MS = 1_000

const created = z.object({ terminalId: z.string().min(1) })
const output = z.object({ output: z.string(), truncated: z.boolean() })
const exit = z.object({
  exitCode: z.int().nullish().catch(undefined),
  signal: z.string().max(64).nullish().catch(undefined),
})

export interface ClientTerminalsOptions {
  readonly requests: ClientRequests
  /** Shows the terminal in the call until it is released. */
  embed(toolCallId: ToolCallId, terminalId: string): void
  released(toolCallId: ToolCallId): void
  log(entry: LogEntry): void
}

export function createClientTerminals(options: ClientTerminalsOptions): EditorTerminals {
  const { requests, embed } = options
  return {
    async open(command, signal) {
      const late = (answer: unknown): void => void releaseLate(answer, options)
      try {
        const { terminalId } = await requests.ask('terminal/create', toParams(command), {
          answer: created,
          ms: CREATE_MS,
          signal,
          // The command may or may not run then, so do not try a second time.
          patience: 1,
          late,
        })
        embed(command.toolCallId, terminalId)
        return toTerminal(terminalId, command.toolCallId, options)
      } catch (error) {
        if (error instanceof RpcError || error instanceof NotAsked) return undefined
        throw error
      }
    },
  }
}

function toParams({ file, args, cwd, environment, outputBytes }: TerminalCommand) {
  return {
    command: file,
    args: [...args],
    env: Object.entries(environment).map(([name, value]) => ({ name, value })),
    cwd,
    outputByteLimit: outputBytes,
  } satisfies Omit<CreateTerminalRequest, 'sessionId'>
}

function toTerminal(terminalId: string, toolCallId: ToolCallId, options: ClientTerminalsOptions): EditorTerminal {
  const { requests, released } = options
  return {
    async exited(signal) {
      const { exitCode, signal: ended } = await waitForExit(terminalId, requests, signal)
      return { ...(typeof exitCode === 'number' && { exitCode }), ...(typeof ended === 'string' && { signal: ended }) }
    },
    async output() {
      const told = await requests.ask('terminal/output', { terminalId }, { answer: output, ms: OUTPUT_MS })
      return { text: told.output.toWellFormed(), isCut: told.truncated }
    },
    kill: () => end('terminal/kill', terminalId, options),
    async release() {
      await end('terminal/release', terminalId, options)
      released(toolCallId)
    },
  }
}

async function waitForExit(
  terminalId: string,
  requests: ClientRequests,
  signal: AbortSignal,
): Promise<z.output<typeof exit>> {
  try {
    return await requests.ask('terminal/wait_for_exit', { terminalId }, { answer: exit, signal })
  } catch (error) {
    // Without its exit every later command would have to be killed.
    if (error instanceof RpcError) requests.giveUp('terminal/create')
    throw error
  }
}

/** Never gives up on the method: each terminal must be released. */
async function end(
  method: 'terminal/kill' | 'terminal/release',
  terminalId: string,
  { requests, log }: ClientTerminalsOptions,
): Promise<void> {
  try {
    await requests.ask(method, { terminalId }, { answer: z.unknown(), ms: END_MS, patience: Infinity })
  } catch (error) {
    log({ level: 'info', message: 'a terminal of a client may not have been released', terminalId, method, error })
  }
}

/** Releases a terminal that was created after the time limit. It may be running the command. */
async function releaseLate(answer: unknown, options: ClientTerminalsOptions): Promise<void> {
  const { data: found } = created.safeParse(answer)
  if (found !== undefined) await end('terminal/release', found.terminalId, options)
}
