// Faults of nodes, of their database and of Redis, each many times.
import { expect, it } from 'vitest'
import { proofSize, startStopwatch, tellProof } from '../../storage-faults/proof-result.ts'
import { cutNodesOff } from './cut-nodes-off.ts'
import { fillDisk, lockJobs, writeWithWrongClocks } from './database-faults.ts'
import { failOver } from './fail-over.ts'
import { loseRedis } from './lose-redis.ts'
import { mixVersions } from './mix-versions.ts'
import { startSkewedNodes, type SkewedNodes } from './skewed-nodes.ts'

const CUT_AT_ONCE = 5
const STARTS_WITHIN_MS = 4_000
const HEARD_WITHIN_MS = 5_000

interface Fault {
  readonly what: string
  readonly times: number
  play(rounds: number): Promise<readonly string[]>
}

const onSkewedNodes =
  (play: (stage: SkewedNodes, rounds: number) => Promise<readonly string[]>) =>
  async (rounds: number): Promise<readonly string[]> => {
    const stage = await startSkewedNodes()
    try {
      return await play(stage, rounds)
    } finally {
      await stage.remove()
    }
  }

async function prove({ what, times, play }: Fault): Promise<void> {
  const seconds = startStopwatch()
  const count = proofSize(times)
  const complaints = await play(count)
  tellProof({
    ...{ id: 'faults', store: 'postgres', seed: 'none', what, count, complaints },
    ...{ failures: complaints.length, seconds: seconds() },
  })
  expect(complaints).toEqual([])
}

it('cluster 37: nodes that are cut off from the database', () =>
  prove({
    what: 'nodes are cut off from the database, five at a time: they refuse requests and let their clients go, another node continues their turns, unsafe calls are not repeated',
    times: 50,
    play: (rounds) => cutNodesOff({ rounds: Math.ceil(rounds / CUT_AT_ONCE), nodes: CUT_AT_ONCE }),
  }))

it('cluster 41: failovers', () =>
  prove({
    what: 'failovers to a standby that lacks the newest commits: sessions are read again, clients are told to, turns go on',
    times: 20,
    play: (rounds) => failOver({ rounds }),
  }))

it('cluster 42: wrong clocks', () =>
  prove({
    what: 'sessions and schedules on nodes whose clocks are ten minutes apart: every time is that of the database',
    times: 50,
    play: onSkewedNodes((stage, rounds) => writeWithWrongClocks(stage, { rounds })),
  }))

it('cluster 43, 55: Redis dies', () =>
  prove({
    what: 'Redis dies and comes back: cancels and revoked keys at another node end a stream within five seconds, before, meanwhile and afterwards',
    times: 50,
    play: (rounds) => loseRedis({ rounds, withinMs: HEARD_WITHIN_MS }),
  }))

it('cluster 44: locked tables of the jobs', () =>
  prove({
    what: 'the tables of the jobs are locked: a turn of a web node is answered within four seconds',
    times: 20,
    play: onSkewedNodes((stage, rounds) => lockJobs(stage, { rounds, withinMs: STARTS_WITHIN_MS })),
  }))

it('cluster 45: a full disk', () =>
  prove({
    what: 'the database has no room: 507 for what is new, reads and cancels work, the turn ends when there is room again',
    times: 20,
    play: onSkewedNodes((stage, rounds) => fillDisk(stage, { rounds })),
  }))

it('cluster 46: two versions', () =>
  prove({
    what: 'updates with nodes of two versions: new events wait for the last older node, which never gets a session that it cannot read',
    times: 20,
    play: (rounds) => mixVersions({ rounds }),
  }))
