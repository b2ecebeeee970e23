import { percentile } from '../bench-result.ts'
import type { ChildServer } from '../child-server.ts'
import { RawClient, createSession } from '../raw-client.ts'
import { monotonicMicros } from '../stamped-deltas.ts'

export interface OtherNodeDeltas {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

interface Nodes {
  readonly runner: ChildServer
  readonly reader: ChildServer
}

const STREAMS = 8
const LATENCY_STREAMS = 20
const WARMING_DELTAS = 5_000

/** Turns that run on one node and are read on the other: how many deltas arrive, and how late. */
export async function measureOtherNodeDeltas(nodes: Nodes, isQuick: boolean): Promise<OtherNodeDeltas> {
  // New nodes compile their code first, and those of the earlier figures have done so.
  await throughput(nodes, WARMING_DELTAS)
  const perSecond = await throughput(nodes, isQuick ? 5_000 : 25_000)
  const delays = await latencies(nodes, isQuick ? 50 : 150)
  return { perSecond, p50Ms: percentile(delays, 0.5), p99Ms: percentile(delays, 0.99) }
}

/** Each delta of `tokens` is `x `. Other nodes get several of them as one text. */
async function throughput(nodes: Nodes, deltas: number): Promise<number> {
  const sizes = Array.from({ length: STREAMS }, () => 0)
  const startedAt = performance.now()
  await readTurns(nodes, { agent: 'scripted', script: `tokens ${deltas}`, streams: STREAMS }, (text, stream) => {
    for (const [, delta = ''] of text.matchAll(/"delta":"([^"]*)"/g)) sizes[stream]! += delta.length
  })
  const seconds = (performance.now() - startedAt) / 1000
  return sizes.reduce((sum, size) => sum + size, 0) / 2 / seconds
}

async function latencies(nodes: Nodes, deltas: number): Promise<readonly number[]> {
  const seen: number[] = []
  await readTurns(nodes, { agent: 'stamps', script: `stamps ${deltas}`, streams: LATENCY_STREAMS }, (text) => {
    const now = monotonicMicros()
    for (const [, stamp] of text.matchAll(/@(\d+)@/g)) seen.push((now - Number(stamp)) / 1000)
  })
  return seen
}

interface Turns {
  readonly agent: string
  readonly script: string
  readonly streams: number
}

/** Runs a turn on each of so many sessions at one node, and reads it at the other until it has ended. */
async function readTurns(
  { runner, reader }: Nodes,
  { agent, script, streams }: Turns,
  read: (text: string, stream: number) => void,
): Promise<void> {
  await Promise.all(
    Array.from({ length: streams }, async (_, stream) => {
      const path = `/aap/v3/sessions/${await createSession(runner, agent)}`
      const ended = Promise.withResolvers<void>()
      const watching = await RawClient.open(reader)
      await watching.follow(`${path}/events?follow=1`, (chunk) => {
        const text = chunk.toString('latin1')
        read(text, stream)
        if (text.includes('turn_stop')) ended.resolve()
      })
      const response = await fetch(new URL(`${path}/turns`, runner.url), {
        method: 'POST',
        headers: { authorization: `Bearer ${runner.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ stream: 'none', messages: [{ role: 'user', content: script }] }),
      })
      await response.arrayBuffer()
      if (response.status !== 200) throw new Error(`a turn was refused: ${response.status}`)
      await ended.promise
      watching.close()
    }),
  )
}
