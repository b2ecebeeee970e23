import type { EventStore, Stores } from '@polylogue/engine'
import type { McpPool } from '@polylogue/tools'
import { within } from '../within.ts'

/** Long enough for a program that is there. */
const READY_MS = 5_000

export interface AwaitedStores extends Pick<Stores, 'mode'> {
  readonly events: Pick<EventStore, 'dropLeases' | 'wantedSessions'>
}

/**
 * A turn that a dead server left may be in the middle of a call: it goes on when the MCP servers of the configuration are
 * ready or have failed, or after a few seconds. Without such a turn nobody waits.
 */
export async function awaitTools({ mode, events }: AwaitedStores, mcp: Pick<McpPool, 'settled'>): Promise<void> {
  // The former holders are dead, because this process owns the storage.
  if (mode === 'exclusive') await events.dropLeases()
  const left = await events.wantedSessions(1)
  if (left.length > 0) await within(READY_MS, mcp.settled())
}
