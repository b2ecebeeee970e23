import { LOWEST_LEVEL, type KnownNode, type SharedState } from '@polylogue/engine'
import { toUnreadable } from './check-database.ts'
import type { Patient } from './examine.ts'
import { fail, ok, warn, type Finding } from './finding.ts'

const MEBIBYTE = 1024 * 1024
/** A standby that lags more than this loses much when it takes over. */
const MUCH_LAG = 64 * MEBIBYTE
const LONG_WAIT_MS = 30_000
/** The connections that one node may open: the pool, the listener and the jobs. */
const CONNECTIONS_OF_A_NODE = 14

/** The database and the nodes of a shared storage. Says nothing about a storage that one process owns. */
export async function checkNodes({ storage }: Patient): Promise<readonly Finding[]> {
  if (!(await storage.describe()).exists) return []
  const inspection = await storage.inspect().catch(toUnreadable)
  // The check of the database says why.
  if (!('shared' in inspection)) return []
  try {
    const state = await inspection.shared?.()
    return state === undefined ? [] : [...describeDatabase(state), ...describeNodes(state)]
  } finally {
    await inspection.close()
  }
}

function describeDatabase({ settings, isStandby, isPooled, connections, standbys }: SharedState): readonly Finding[] {
  const told = settings.map(({ name, value }) => `${name}=${value === '' ? 'none' : value}`).join(', ')
  const isOff = settings.some(({ name, value }) => name !== 'synchronous_standby_names' && value === 'off')
  const room = Number(settings.find(({ name }) => name === 'max_connections')?.value)
  const findings = [
    isOff
      ? fail('settings', `${told}.`, 'Set fsync, synchronous_commit and full_page_writes to on.')
      : ok('settings', `${told}; ${connections} connections are open.`),
  ]
  if (isPooled) {
    const remedy = 'Let doctor read the database itself: --database. Nodes need it too: serve --database-direct.'
    findings.push(fail('settings', 'A pooler such as pgbouncer answers in place of the database.', remedy))
  }
  if (isStandby) {
    findings.push(fail('settings', 'This server is a standby and accepts no writes.', 'Connect to the primary.'))
  }
  if (connections + CONNECTIONS_OF_A_NODE > room) {
    const remedy = `Raise max_connections: a node may open ${CONNECTIONS_OF_A_NODE}.`
    findings.push(warn('settings', `${connections} of ${room} connections are in use.`, remedy))
  }
  return [...findings, ...standbys.map(describeStandby)]
}

function describeStandby({ name, isSynchronous, lagBytes }: SharedState['standbys'][number]): Finding {
  const text = `${name || 'A standby'} is ${isSynchronous ? 'synchronous' : 'asynchronous'} and ${Math.round(lagBytes / MEBIBYTE)} MiB behind.`
  if (lagBytes > MUCH_LAG)
    return warn('standby', text, 'A failover would lose that much. Look at its log and its disk.')
  if (isSynchronous) return ok('standby', text)
  return warn('standby', text, 'A failover may lose the newest commits. synchronous_standby_names prevents it.')
}

function describeNodes({ nodes, parked, backlog: { waiting, oldestMs } }: SharedState): readonly Finding[] {
  const alive = nodes.filter(({ isAlive }) => isAlive)
  const findings = [
    alive.length === 0 ? ok('nodes', 'None runs on this database.') : ok('nodes', alive.map(describeNode).join('; ')),
  ]
  for (const node of nodes) {
    if (node.isAlive || node.sessions === 0) continue
    const text = `${describeNode(node)} has not answered since ${new Date(node.leaseUntil).toISOString()}.`
    findings.push(warn('nodes', text, 'A node that may run turns takes its sessions over. Start one if none runs.'))
  }
  const versions = new Set(alive.map(({ version }) => version))
  if (versions.size > 1) {
    const text = `Nodes of ${versions.size} versions run: ${[...versions].join(', ')}.`
    findings.push(warn('nodes', text, 'Finish the upgrade: restart the older ones.'))
  }
  const levels = new Set(alive.map(({ level = LOWEST_LEVEL }) => level))
  if (levels.size > 1) {
    const text = `Nodes read events up to level ${[...levels].toSorted((one, other) => one - other).join(' or ')}.`
    const remedy = 'Newer events are refused until all nodes can read them. Finish the upgrade: restart the older ones.'
    findings.push(warn('nodes', text, remedy))
  }
  for (const sessionId of parked) {
    const text = `Session ${sessionId} is not run any more: five nodes died while they read it.`
    findings.push(
      fail('nodes', text, 'Look at the logs of these nodes. Its next command, such as a cancel, begins anew.'),
    )
  }
  if (waiting === 0) return findings
  const waits = `${waiting} turns wait for a node, the oldest for ${Math.round(oldestMs / 1000)} s.`
  const remedy = 'Start more nodes of the role all or worker, or look at why those that run are full.'
  return [...findings, oldestMs > LONG_WAIT_MS ? fail('nodes', waits, remedy) : warn('nodes', waits, remedy)]
}

const describeNode = ({ nodeId, role, version, level = LOWEST_LEVEL, machine, sessions }: KnownNode): string =>
  `${nodeId} (${role}, ${version}, event level ${level}, on ${machine}) runs ${sessions} sessions`
