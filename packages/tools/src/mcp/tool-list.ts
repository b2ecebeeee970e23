import type { Client } from '@modelcontextprotocol/client'
import type { Clock, Digest } from '@polylogue/engine'
import { listTools } from './list-tools.ts'
import { CONNECT_MS, REFRESH_EVERY_MS, REFRESH_LATEST_MS } from './mcp-limits.ts'
import { startTimeLimit } from './time-limit.ts'
import type { ToolDefinition } from './tool-definition.ts'

/** The known tools of a server. */
export interface ToolList {
  /** The last list. */
  definitions(): readonly ToolDefinition[]
  /** Reads the list of a client that was just opened. */
  read(client: Client, signal: AbortSignal): Promise<void>
  /** The server reports a changed list. It is read again, one read at a time, and not too often. */
  refresh(): void
  /** Reads it again if it changed while it could not be read. */
  catchUp(): void
}

export interface ToolListOptions {
  readonly clock: Clock
  readonly digest: Digest
  /** Ends all reading. */
  readonly signal: AbortSignal
  readonly client: () => Client | undefined
  readonly warn: (problem: unknown) => void
  readonly onChange: () => void
}

/** A change within this many pauses after the last one makes the pause longer. */
const RESTLESS = 4

export function createToolList({ clock, digest, signal, client, warn, onChange }: ToolListOptions): ToolList {
  let definitions: readonly ToolDefinition[] = []
  let refreshing: Promise<void> | undefined
  let isStale = false
  let pauseMs = REFRESH_EVERY_MS
  let refreshedAt: number | undefined
  /** Reading a list again reports the same problems again. */
  let told: readonly string[] = []

  async function read(from: Client, until: AbortSignal, isWanted: () => boolean): Promise<void> {
    isStale = false
    const listed = await listTools(from, digest, until)
    if (!isWanted()) return
    definitions = listed.definitions
    for (const problem of listed.problems) if (!told.includes(problem)) warn(problem)
    told = listed.problems
    onChange()
  }

  async function readAgain(): Promise<void> {
    const current = client()
    if (current === undefined) return
    const isRestless = refreshedAt !== undefined && clock.now() - refreshedAt < RESTLESS * pauseMs
    pauseMs = isRestless ? Math.min(pauseMs * 2, REFRESH_LATEST_MS) : REFRESH_EVERY_MS
    refreshedAt = clock.now()
    const limit = startTimeLimit(clock, { ms: CONNECT_MS, problem: 'its list of tools did not come', signal })
    try {
      await read(current, limit.signal, () => client() === current)
    } catch (error) {
      if (client() === current) warn(error)
    } finally {
      limit.cancel()
    }
  }

  function refresh(): void {
    isStale = true
    refreshing ??= readAgain()
      .then(() => new Promise<void>((resolve) => void clock.setTimer(pauseMs, resolve)))
      .finally(() => {
        refreshing = undefined
        if (client() !== undefined) catchUp()
      })
  }

  function catchUp(): void {
    if (isStale) refresh()
  }

  return { definitions: () => definitions, read: (from, until) => read(from, until, () => true), refresh, catchUp }
}
