import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock, JsonObject, ToolOutput } from '@polylogue/engine'
import { createInvocation, testDigest } from '@polylogue/testkit'
import { createMcpPool, type McpHold, type McpPool, type McpServer } from '@polylogue/tools'
import { createTempDir } from '../support/temp-dir.ts'
import { findProcesses, untilGone } from '../tools/processes.ts'
import { realClock } from './real-clock.ts'

export interface McpWorld {
  readonly pool: McpPool
  readonly stateDir: string
  /** In the arguments of every process of this world. */
  readonly marker: string
  readonly logged: readonly string[]
  /** A server of ours that has this fault. */
  misbehaving(fault: string, more?: Partial<McpServer>): McpServer
  /** Ends everything; throws when a process or a note of one is left. */
  end(): Promise<void>
}

const PROGRAM = join(import.meta.dirname, 'misbehaving-server.ts')

export async function createMcpWorld(clock: Clock = realClock): Promise<McpWorld> {
  const folder = await createTempDir()
  const marker = `mcp-${randomBytes(8).toString('hex')}`
  const logged: string[] = []
  const log = ({ message }: { readonly message: string }): void => void logged.push(message)
  const pool = createMcpPool({ clock, digest: testDigest, log, stateDir: folder.path })
  return {
    pool,
    stateDir: folder.path,
    marker,
    logged,
    misbehaving: (fault, more = {}) => ({
      name: 'bad',
      reach: { type: 'stdio', command: process.execPath, args: [PROGRAM, fault, marker], env: { KEY: 's3cr3t-value' } },
      trusted: false,
      deadlineMs: 20_000,
      ...more,
    }),
    async end() {
      await pool.close()
      const left = await findProcesses(marker)
      const notes = await readdir(join(folder.path, 'running')).catch(() => [])
      await untilGone(marker)
      await folder.remove()
      if (left.length > 0) throw new Error(`left after close: ${left.map(({ commandLine }) => commandLine).join('; ')}`)
      if (notes.length > 0) throw new Error(`${notes.length} notes of running servers are left`)
    },
  }
}

/** As the engine would call it. Rejects as the tool does. */
export async function callTool(hold: McpHold, name: string, input: JsonObject): Promise<ToolOutput> {
  return callCancellable(hold, name, { input, signal: new AbortController().signal })
}

export async function callCancellable(
  hold: McpHold,
  name: string,
  { input, signal }: { readonly input: JsonObject; readonly signal: AbortSignal },
): Promise<ToolOutput> {
  const tool = hold.tools().find((candidate) => candidate.name === name)
  if (tool === undefined) throw new Error(`there is no tool ${name}: ${JSON.stringify(hold.health())}`)
  return tool.run(createInvocation(tool, input, { signal }))
}

/** What a promise was rejected with, in words. */
export async function problemOf(promise: Promise<unknown>): Promise<string> {
  try {
    return `no problem: ${JSON.stringify(await promise)}`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
