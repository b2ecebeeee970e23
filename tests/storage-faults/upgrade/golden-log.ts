import {
  asUserId,
  canonicalJson,
  evolve,
  type JsonValue,
  type Recorded,
  type SessionState,
  type StoredRule,
} from '@polylogue/engine'
import { openSqliteStores } from '@polylogue/store-sqlite'
import { createHash } from 'node:crypto'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import type { AapClient } from '../../support/aap-client.ts'
import type { HistoryMessage } from '../../support/aap-wire.ts'
import { systemClock } from '../system-clock.ts'

/** One folder for each schema that was ever released. */
export const GOLDEN = fileURLToPath(new URL('../fixtures/golden', import.meta.url))

export interface GoldenLog {
  readonly name: string
  readonly schemaVersion: number
  readonly sql: string
  /** By session: the hash of the state that its log folds to. */
  readonly states: { readonly [sessionId: string]: string }
  /** By session: what a client is shown. */
  readonly histories: { readonly [sessionId: string]: readonly HistoryMessage[] }
  /** The permission rules of the user `local`; absent in a schema that had none. */
  readonly rules?: readonly StoredRule[]
}

export function readGoldenLogs(): readonly GoldenLog[] {
  return readdirSync(GOLDEN).map((name) => {
    const read = (file: string): string => readFileSync(join(GOLDEN, name, file), 'utf8')
    const expected = JSON.parse(read('expected.json')) as Pick<GoldenLog, 'states' | 'histories' | 'rules'>
    return { ...expected, name, schemaVersion: Number(name.replace('schema-', '')), sql: read('database.sql') }
  })
}

/** Writes it as the database that it was. */
export function restoreGoldenLog({ sql }: Pick<GoldenLog, 'sql'>, file: string): void {
  writeFileSync(file, '', { mode: 0o600 })
  const db = new DatabaseSync(file)
  db.exec(`PRAGMA journal_mode = WAL; BEGIN; ${sql} COMMIT`)
  db.close()
}

/** Folds every log of the user `local`, from its first event. */
export async function readStates(file: string): Promise<GoldenLog['states']> {
  const { events, close } = await openSqliteStores({ file, clock: systemClock })
  try {
    const states: Record<string, string> = {}
    for (const { sessionId } of await events.listSessions({ userId: asUserId('local'), limit: 1_000 })) {
      states[sessionId] = hashOf(foldAll(await events.readEvents(sessionId, 0, 10_000)))
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

function foldAll(log: readonly Recorded[]): SessionState {
  let state: SessionState | undefined
  for (const recorded of log) state = evolve(state, recorded)
  if (state === undefined) throw new Error('a log has events')
  return state
}

function hashOf(state: SessionState): string {
  const plain = JSON.parse(JSON.stringify(state)) as JsonValue
  return createHash('sha256').update(canonicalJson(plain)).digest('hex')
}

export async function readHistories(client: AapClient, ids: readonly string[]): Promise<GoldenLog['histories']> {
  const histories: Record<string, readonly HistoryMessage[]> = {}
  for (const id of ids) histories[id] = await client.history(id, 'full')
  return histories
}
