import {
  asUserId,
  evolve,
  type JsonValue,
  type Memory,
  type Recorded,
  type SessionState,
  type StoredRule,
} from '@polylogue/engine'
import { openSqliteStores } from '@polylogue/store-sqlite'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import type { AapClient } from '../../support/aap-client.ts'
import type { HistoryMessage } from '../../support/aap-wire.ts'
import { systemClock } from '../system-clock.ts'
import { readWholeLog } from '../../support/read-whole-log.ts'

/** One folder for each schema that was ever released. */
export const GOLDEN = fileURLToPath(new URL('../fixtures/golden', import.meta.url))

export interface GoldenLog {
  readonly name: string
  readonly schemaVersion: number
  readonly sql: string
  /** By session: the folded state, reduced to facts that do not depend on the shape of the state. */
  readonly states: { readonly [sessionId: string]: JsonValue }
  /** By session: the view of a client. */
  readonly histories: { readonly [sessionId: string]: readonly HistoryMessage[] }
  /** The permission rules of the user `local`. Absent in schemas without rules. */
  readonly rules?: readonly StoredRule[]
  /** The memories of the user `local`. Absent in schemas without memories. */
  readonly memories?: readonly Memory[]
}

export function readGoldenLogs(): readonly GoldenLog[] {
  return readdirSync(GOLDEN).map((name) => {
    const read = (file: string): string => readFileSync(join(GOLDEN, name, file), 'utf8')
    const expected = JSON.parse(read('expected.json')) as Pick<GoldenLog, 'states' | 'histories' | 'rules' | 'memories'>
    return { ...expected, name, schemaVersion: Number(name.replace('schema-', '')), sql: read('database.sql') }
  })
}

/** Restores the original database. */
export function restoreGoldenLog({ sql }: Pick<GoldenLog, 'sql'>, file: string): void {
  writeFileSync(file, '', { mode: 0o600 })
  const db = new DatabaseSync(file)
  db.exec(`PRAGMA journal_mode = WAL; BEGIN; ${sql} COMMIT`)
  db.close()
}

/** The sessions of the user `local` that a search finds. */
export async function searchSessions(file: string, text: string): Promise<readonly string[]> {
  const { events, close } = await openSqliteStores({ file, clock: systemClock })
  try {
    const { rows, isPartial } = await events.findSessions({ userId: asUserId('local'), text, offset: 0, limit: 100 })
    if (isPartial === true) throw new Error('the search is partial')
    return rows.map(({ sessionId }) => sessionId)
  } finally {
    await close()
  }
}

/** Folds every log of the user `local`, from its first event. */
export async function readStates(file: string): Promise<GoldenLog['states']> {
  const { events, close } = await openSqliteStores({ file, clock: systemClock })
  try {
    const states: Record<string, JsonValue> = {}
    for (const { sessionId } of await events.listSessions({ userId: asUserId('local'), limit: 1_000 })) {
      states[sessionId] = factsOf(foldAll(await readWholeLog(events, sessionId)))
    }
    return states
  } finally {
    await close()
  }
}

export async function readRules(file: string): Promise<readonly StoredRule[]> {
  const { rules, close } = await openSqliteStores({ file, clock: systemClock })
  try {
    return await rules.listRules(asUserId('local'))
  } finally {
    await close()
  }
}

export async function readMemories(file: string): Promise<readonly Memory[]> {
  const { memories, close } = await openSqliteStores({ file, clock: systemClock })
  try {
    return (await memories.listMemories(asUserId('local'), { limit: 1_000 })).memories
  } finally {
    await close()
  }
}

/** The ids of the memories that a query finds. */
export async function recallIds(file: string, question: string): Promise<readonly number[]> {
  const { memories, close } = await openSqliteStores({ file, clock: systemClock })
  try {
    return (await memories.recall(asUserId('local'), question, 10)).map(({ memoryId }) => memoryId)
  } finally {
    await close()
  }
}

function foldAll(log: readonly Recorded[]): SessionState {
  let state: SessionState | undefined
  for (const recorded of log) state = evolve(state, recorded)
  if (state === undefined) throw new Error('a log has events')
  return state
}

function factsOf(state: SessionState): JsonValue {
  const { seq, userId, agent, head, queue, turn } = state
  const { access, clientTools, options, secretOptions, preset, title } = state.settings
  const { lastOutcome, createdAt, updatedAt } = state
  const calls = turn?.step?.calls.map(({ toolCallId, name, route, phase, attempt }) => ({
    toolCallId,
    name,
    route,
    phase,
    attempt,
  }))
  const open = turn && { turnId: turn.turnId, status: turn.status, takeovers: turn.takeovers, calls }
  const facts = { seq, userId, agent, access, clientTools, options, secretOptions, preset, title, head, queue, open }
  return JSON.parse(JSON.stringify({ ...facts, lastOutcome, createdAt, updatedAt })) as JsonValue
}

export async function readHistories(client: AapClient, ids: readonly string[]): Promise<GoldenLog['histories']> {
  const histories: Record<string, readonly HistoryMessage[]> = {}
  for (const id of ids) histories[id] = await client.history(id, 'full')
  return histories
}
