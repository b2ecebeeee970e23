import { openPostgresStores } from '@polylogue/store-postgres'
import pg from 'pg'
import type { ServerProcess } from '../../support/server-process.ts'
import { createTestDatabase } from '../../support/test-database.ts'
import { prepareNodes, type Nodes } from '../support/nodes.ts'

/** A web node and a worker, whose clocks are ten minutes apart. */
export interface SkewedNodes {
  readonly nodes: Nodes
  readonly web: ServerProcess
  /** A superuser's connection to their database. */
  readonly admin: pg.Client
  /** Whether the database can store events. */
  setRoom(hasRoom: boolean): Promise<void>
  remove(): Promise<void>
}

export const MINUTES_5 = 5 * 60_000
const SHIFT = new URL('../support/shift-clock.ts', import.meta.url).href
const clockOff = (ms: number) => ({ NODE_OPTIONS: `--import ${SHIFT}`, CLOCK_OFF_MS: String(ms) })

export async function startSkewedNodes(): Promise<SkewedNodes> {
  const database = await createTestDatabase()
  const admin = new pg.Client({ connectionString: database.url })
  await admin.connect()
  const setRoom = async (hasRoom: boolean): Promise<void> => {
    const body = hasRoom ? 'RETURN NEW' : "RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'"
    await admin.query(
      `CREATE OR REPLACE FUNCTION public.take_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body}; END $$`,
    )
  }
  await setRoom(true)
  const clock = { now: () => Date.now(), setTimer: () => ({ cancel: () => undefined }) }
  await (await openPostgresStores({ url: database.url, clock })).close()
  // Before there is a node: a trigger takes a lock on the table, and could wait for a node that waits for it.
  await admin.query(
    'CREATE TRIGGER take_room BEFORE INSERT ON polylogue.events FOR EACH ROW EXECUTE FUNCTION public.take_room()',
  )
  const nodes = await prepareNodes(database.url)
  const web = await nodes.start('web', { flags: ['--role', 'web'], environment: clockOff(MINUTES_5) })
  await nodes.start('worker', { flags: ['--role', 'worker'], environment: clockOff(-MINUTES_5) })
  return {
    ...{ nodes, web, admin, setRoom },
    async remove() {
      await nodes.remove()
      await admin.end()
      await database.drop()
    },
  }
}
