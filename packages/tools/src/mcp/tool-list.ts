import type { Client } from '@modelcontextprotocol/client'
import type { Clock, Digest } from '@polylogue/engine'
import { listTools } from './list-tools.ts'
import { CONNECT_MS, REFRESH_EVERY_MS, REFRESH_LATEST_MS } from './mcp-limits.ts'
import { startTimeLimit } from './time-limit.ts'
import type { ToolDefinition } from './tool-definition.ts'

/** What is known of a server's tools. */
export interface ToolList {
  /** The last list that was read. */
  definitions(): readonly ToolDefinition[]
  /** Reads the list of a client that was just opened. */
  read(client: Client, signal: AbortSignal): Promise<void>
  /** The server says that the list has changed: it is read again, once at a time, and no oftener than need be. */
  refresh(): void
  /** Reads it again if it has changed since `read`, when nobody could. */
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

/** A change that comes within so many pauses after the last one makes the pause longer. */
const RESTLESS = 4

export function createToolList({ clock, digest, signal, client, warn, onChange }: ToolListOptions): ToolList {
  let definitions: readonly ToolDefinition[] = []
  let refreshing: Promise<void> | undefined
  let isStale = false
  let pauseMs = REFRESH_EVERY_MS
  let refreshedAt: number | undefined
  /** A list that is read again has the same problems again. */
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
