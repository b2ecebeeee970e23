// What nodes share: lists, usage, the right to run a session, streams, and connections that poll.
import { asSessionId, asTurnId, asUserId, type Stores } from '@polylogue/engine'
import { openPostgresStores } from '@polylogue/store-postgres'
import { expect, it } from 'vitest'
import { proofSize, startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { compareLists } from './support/compare-lists.ts'
import { pollThroughNginx } from './support/poll-through-nginx.ts'
import { runTurnsEverywhere } from './support/turns-everywhere.ts'
import { watchElsewhere } from './support/watch-elsewhere.ts'

const SEED = process.env['POLYLOGUE_PROOF_SEED'] ?? 'willow'
const NODES = 3
const clock = { now: () => Date.now(), setTimer: () => ({ cancel: () => undefined }) }

interface Proof {
  readonly what: string
  readonly count: number
  play(): Promise<readonly string[]>
}

async function prove({ what, count, play }: Proof): Promise<void> {
  const seconds = startStopwatch()
  const complaints = await play()
  tellProof({
    ...{ id: 'shared', store: 'postgres', seed: SEED, what, count, complaints },
    ...{ failures: complaints.length, seconds: seconds() },
  })
  expect(complaints).toEqual([])
}

async function withStores<T>(count: number, act: (stores: readonly Stores[], url: string) => Promise<T>): Promise<T> {
  const database = await createTestDatabase()
  const open = () => openPostgresStores({ url: database.url, clock })
  const stores = await Promise.all(Array.from({ length: count }, open))
  try {
    return await act(stores, database.url)
  } finally {
    for (const each of stores) await each.close()
    await database.drop()
  }
}

it('cluster 9: lists of many sessions', () => {
  const count = proofSize(20_000)
  return prove({
    what: 'sessions of one user with equal times and similar titles: every list and search has the same order as on SQLite',
    count,
    play: () =>
      withStores(1, async ([stores]) => (stores ? compareLists(stores, { sessions: count, seed: SEED }) : [])),
  })
})

it('cluster 10: races for a session', () => {
  const count = proofSize(10_000)
  return prove({
    what: 'sessions that two processes claim at the same time: one of them gets it',
    count,
    play: () => withStores(2, (stores) => race(stores, count)),
  })
})

async function race(stores: readonly Stores[], count: number): Promise<readonly string[]> {
  const complaints: string[] = []
  const event = { type: 'turn.cancel-requested', turnId: asTurnId('turn_1'), reason: 'user' } as const
  for (let made = 0; made < count; made++) {
    const sessionId = asSessionId(`0190-${String(made).padStart(8, '0')}`)
    const create = { userId: asUserId(`user-${made % 100}`) }
    await stores[0]?.events.append({ sessionId, expectedSeq: 0, at: 1, events: [event], wanted: false, create })
    const claims = await Promise.all(stores.map(({ events }, index) => events.claim(sessionId, `node-${index}`, 5_000)))
    const winners = claims.filter((fence) => fence !== undefined)
    if (winners.length !== 1) complaints.push(`${winners.length} processes got ${sessionId}`)
  }
  return complaints
}

it('cluster 14: usage that three nodes count', () => {
  const count = proofSize(5_000)
  return prove({
    what: 'turns at three nodes: the usage that they have counted is that of the logs',
    count,
    play: () =>
      withStores(1, async ([stores], url) => {
        const nodes: TestServer[] = []
        for (let started = 0; started < NODES; started++) nodes.push(await startTestServer({ database: url }))
        try {
          return stores ? await runTurnsEverywhere({ nodes, stores, turns: count, seed: SEED }) : []
        } finally {
          for (const node of nodes) await node.stop()
        }
      }),
  })
})

it('cluster 48: streams of turns of another node', () => {
  const count = proofSize(5_000)
  return prove({
    what: 'turns of one node, which readers follow at another one: every event and every word, once and in order',
    count,
    play: () => watchElsewhere(count),
  })
})

it('cluster 59: polling without stickiness', () => {
  const count = proofSize(20_000)
  return prove({
    what: 'messages of a Socket.IO client that polls through nginx, each request at the other node: all are answered, each event comes once',
    count,
    play: () => pollThroughNginx(count),
  })
})
