import {
  LOWEST_LEVEL,
  NODE_ROLES,
  StorageFault,
  asSessionId,
  type KnownNode,
  type NodeRole,
  type Nodes,
} from '@polylogue/engine'
import { integerIn, optionalIntegerIn, optionalTextIn, textIn, type Row } from '@polylogue/store-rows'
import type { Database } from './database.ts'

/** The function keeps its columns for older nodes. A schema that is not upgraded yet has no levels. */
export const LIST_NODES = `SELECT n.*, (to_jsonb(k)->>'level')::int4 AS level
  FROM polylogue.list_nodes() AS n JOIN polylogue.nodes AS k ON k.node_id = n.node_id ORDER BY n.started_at, n.node_id`

export function createPostgresNodes(db: Database): Nodes {
  return {
    async beat({ nodeId, ...facts }, leaseMs) {
      await db.lookForFailover()
      const text = 'SELECT polylogue.now_ms() AS now FROM polylogue.beat($1, $2, $3::jsonb)'
      const [row = {}] = await db.read({
        name: 'beat',
        text,
        values: [nodeId, leaseMs, JSON.stringify(facts)],
        lane: 'lease',
      })
      return integerIn(row, 'now')
    },
    async leave(nodeId) {
      const text = 'DELETE FROM polylogue.nodes WHERE node_id = $1'
      await db.read({ text, values: [nodeId], lane: 'turns' })
    },
    list: async () => (await db.read({ name: 'list_nodes', text: LIST_NODES })).map(nodeIn),
    async countTurns(userId) {
      const text = 'SELECT polylogue.count_turns($1) AS turns'
      const [row = {}] = await db.read({ name: 'count_turns', text, values: [userId] })
      return integerIn(row, 'turns')
    },
    async backlog() {
      const text = 'SELECT *, polylogue.has_room() AS has_room FROM polylogue.backlog()'
      const [row = {}] = await db.read({ name: 'backlog_and_room', text })
      const [waiting, oldestMs] = [integerIn(row, 'waiting'), integerIn(row, 'oldest_ms')]
      return { waiting, oldestMs, hasRoom: row['has_room'] === true }
    },
    async bind(sessionId, { nodeId, machine }) {
      const text = 'SELECT polylogue.bind_session($1, $2, $3) AS is_bound'
      const [row] = await db.read({ name: 'bind_session', text, values: [sessionId, nodeId, machine] })
      return row?.['is_bound'] === true
    },
    async unbind(sessionId, nodeId) {
      const text = 'SELECT polylogue.unbind_session($1, $2)'
      await db.read({ name: 'unbind_session', text, values: [sessionId, nodeId] })
    },
    async placeOf(sessionId) {
      const text = 'SELECT * FROM polylogue.place_of($1)'
      const [row = {}] = await db.read({ name: 'place_of', text, values: [sessionId] })
      const [runsOn, machine] = [optionalTextIn(row, 'runs_on'), optionalTextIn(row, 'machine')]
      return { ...(runsOn !== undefined && { runsOn }), ...(machine !== undefined && { machine }) }
    },
    async minLevel() {
      const [row = {}] = await db.read({ name: 'min_level', text: 'SELECT polylogue.min_level() AS level' })
      return integerIn(row, 'level')
    },
    async levelOf(sessionId) {
      const text = 'SELECT polylogue.level_of($1) AS level'
      const [row = {}] = await db.read({ name: 'level_of', text, values: [sessionId] })
      return optionalIntegerIn(row, 'level') ?? LOWEST_LEVEL
    },
    async leases({ nodeId, limit }) {
      const text = 'SELECT * FROM polylogue.session_leases($1, $2)'
      const rows = await db.read({ name: 'session_leases', text, values: [nodeId ?? null, Math.max(0, limit)] })
      return rows.map((row) => ({
        sessionId: asSessionId(textIn(row, 'session_id')),
        nodeId: textIn(row, 'node_id'),
        epoch: integerIn(row, 'epoch'),
      }))
    },
  }
}

export function nodeIn(row: Row): KnownNode {
  const url = optionalTextIn(row, 'url')
  return {
    nodeId: textIn(row, 'node_id'),
    role: roleIn(row),
    version: textIn(row, 'version'),
    machine: textIn(row, 'machine'),
    pid: integerIn(row, 'pid'),
    level: optionalIntegerIn(row, 'level') ?? LOWEST_LEVEL,
    ...(url !== undefined && { url }),
    startedAt: integerIn(row, 'started_at'),
    leaseUntil: integerIn(row, 'lease_until'),
    isAlive: row['is_alive'] === true,
    sessions: integerIn(row, 'sessions'),
  }
}

function roleIn(row: Row): NodeRole {
  const role = NODE_ROLES.find((known) => known === row['role'])
  if (role === undefined) throw new StorageFault('broken', 'A node has a role that this server does not know.')
  return role
}
